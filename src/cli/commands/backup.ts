import { join } from 'node:path'
import { Command } from 'commander'
import type { Manifest } from '../../admin/backup/manifest.ts'
import { dataDirOption } from '../connect/app-flag.ts'
import { exitOnSignals } from '../exit-status.ts'
import { print, printJson, type ReportFlags, withReport } from '../terminal/output.ts'

interface BackupFlags extends ReportFlags {
  readonly app?: readonly string[]
  readonly dataDir: string
  readonly withSecrets?: true
}

/** The command `dhole backup`. Its modules are loaded on demand. @see docs/how-to/back-up-and-restore.md#backing-up */
export function backupCommand(): Command {
  const command = new Command('backup')
    .description('copy the trees of a folder, beside the running server or without one, and examine the copies')
    .argument('[target]', 'the new folder (default: one in `backups` of the data folder)')
    .option('--app <id...>', 'only these applications (default: all)')
    .addOption(dataDirOption())
    .option('--with-secrets', 'copy the keys of the applications too; the backup then gives full access')
  return withReport(command).action(backup)
}

async function backup(given: string | undefined, flags: BackupFlags): Promise<void> {
  const { app, dataDir, withSecrets, json, quiet } = flags
  const isShown = !json && !quiet
  const { connectFiles } = await import('../connect/files.ts')
  const { makeBackup } = await import('../../admin/backup/backup.ts')
  const { CopyProgress } = await import('../terminal/progress.ts')
  const { stampOf } = await import('../terminal/stamp.ts')
  const target = given ?? join(dataDir, 'backups', stampOf(new Date()))
  exitOnSignals()
  const progress = new CopyProgress(isShown)
  const options = { dataDir, target, ids: app, withSecrets: withSecrets ?? false }
  await using admin = await connectFiles(dataDir)
  let manifest: Manifest
  try {
    manifest = await makeBackup(options, admin, {
      onCopying: (bytes, total) => progress.showBytes(bytes, total),
      onCopied: (id, { bytes, seq, epoch }) => {
        progress.clear()
        if (isShown) print(`"${id}": ${bytes} bytes, commit ${seq} of ${epoch}, nothing wrong with it`)
      },
    })
  } finally {
    progress.clear()
  }
  if (json) printJson({ target, withSecrets: manifest.withSecrets, applications: manifest.applications })
  if (!isShown) return
  print(`backup in ${target}`)
  if (withSecrets) print('it holds keys: store it where no other user can read it')
}
