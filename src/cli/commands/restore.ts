import { Command } from 'commander'
import type { PlannedRestore } from '../../admin/backup/restore.ts'
import { dataDirOption } from '../connect/app-flag.ts'
import { exitOnSignals } from '../exit-status.ts'
import { confirm } from '../terminal/confirmation.ts'
import { print, printJson, type ReportFlags, withReport } from '../terminal/output.ts'

interface RestoreFlags extends ReportFlags {
  readonly app?: readonly string[]
  readonly dataDir: string
  readonly discard?: true
  readonly yes?: true
  readonly dryRun?: true
}

/** The command `dhole restore`. Its modules are loaded on demand. @see docs/how-to/back-up-and-restore.md#restoring */
export function restoreCommand(): Command {
  const command = new Command('restore')
    .description('replace trees by those of a backup, beside the running server or without one')
    .argument('<source>', 'a folder made by `dhole backup`, or one file of a tree')
    .option('--app <id...>', 'only these applications (default: all of the backup); for a file, its application')
    .addOption(dataDirOption())
    .option('--discard', 'do not keep the trees that are replaced')
    .option('--yes', 'do not ask for confirmation')
    .option('--dry-run', 'print what would be replaced, and change nothing')
  return withReport(command).action(restoreFrom)
}

async function restoreFrom(source: string, flags: RestoreFlags): Promise<void> {
  const { app, dataDir, discard, yes, dryRun, json, quiet } = flags
  const { connectFiles } = await import('../connect/files.ts')
  const { planRestore, restore } = await import('../../admin/backup/restore.ts')
  const { CopyProgress } = await import('../terminal/progress.ts')
  const { stampOf } = await import('../terminal/stamp.ts')
  const options = { dataDir, source, ids: app, stamp: stampOf(new Date()), keep: !discard }
  await using admin = await connectFiles(dataDir)
  const planned = await planRestore(options, admin, dryRun ?? false)
  if (dryRun) return printPlan(planned, options.keep, flags)
  await confirm(questionOf(planned, dataDir, options.keep), yes ?? false)
  exitOnSignals()
  const isShown = !json && !quiet
  const progress = new CopyProgress(isShown)
  const restored: Record<string, unknown>[] = []
  const keys = new Map<string, AddedKeys>()
  try {
    await restore(options, admin, {
      onCopying: (bytes, total) => progress.showBytes(bytes, total),
      onRestored: (id, kept) => {
        progress.clear()
        restored.push({ id, kept: kept ?? null, ...keys.get(id) })
        if (isShown) print(`"${id}": restored${kept === undefined ? '' : `; what was there is ${kept}`}`)
      },
      onRegistered: (id, fresh) => {
        progress.clear()
        if (fresh === undefined) return
        keys.set(id, { secret: fresh.secret, smsKey: fresh.smsKey })
        if (json) return
        print(`super secret of application "${id}", shown only now: ${fresh.secret}`)
        print(`SMS key of application "${id}", shown only now: ${fresh.smsKey}`)
      },
    })
  } finally {
    progress.clear()
  }
  if (json) printJson({ source, applications: restored })
}

/** Keys generated for a new application. */
interface AddedKeys {
  readonly secret: string
  readonly smsKey: string
}

function questionOf(planned: readonly PlannedRestore[], dataDir: string, keep: boolean): string {
  const named = planned.map(({ id }) => `"${id}"`).join(', ')
  const old = keep ? 'What is there stays in files beside them.' : 'What is there is deleted.'
  return `Restore ${named} in ${dataDir}? ${old}`
}

function printPlan(planned: readonly PlannedRestore[], keep: boolean, { json, quiet }: ReportFlags): void {
  if (json) printJson({ dryRun: true, applications: planned })
  if (json || quiet) return
  for (const { id, bytes, replacedBytes, registers } of planned) {
    const parts = [
      ...(registers ? ['would register it'] : []),
      ...(bytes === null ? ['the backup has no tree of it'] : [`would restore a tree of ${bytes} bytes`]),
      ...(replacedBytes === null || bytes === null
        ? []
        : [`${keep ? 'keeping' : 'deleting'} the one that is there, of ${replacedBytes} bytes`]),
    ]
    print(`"${id}": ${parts.join(', ')}`)
  }
}
