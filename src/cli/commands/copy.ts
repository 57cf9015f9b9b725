import { Command } from 'commander'
import type { CopiedApplication, CopyOptions } from '../../admin/copy/copy.ts'
import type { Place } from '../../admin/copy/place.ts'
import { databaseOfEnvironment } from '../connect/database-settings.ts'
import { confirm } from '../terminal/confirmation.ts'
import { print, printJson, type ReportFlags, withReport } from '../terminal/output.ts'

interface CopyFlags extends ReportFlags {
  readonly from: string
  readonly to: string
  readonly app?: readonly string[]
  readonly keepSource?: true
  readonly yes?: true
  readonly dryRun?: true
}

const DATABASE = /^postgres(ql)?:\/\//i

/** The command `dhole copy`. Its modules are loaded on demand. @see docs/how-to/copy-between-engines.md */
export function copyCommand(): Command {
  const command = new Command('copy')
    .description('move applications between a data folder and a PostgreSQL database, and examine them there')
    .requiredOption('--from <place>', 'data folder, or postgres://… address of a database')
    .requiredOption('--to <place>', 'database, or data folder')
    .option('--app <id...>', 'only these applications (default: all)')
    .option(
      '--keep-source',
      'leave the source in use: the copy begins a history of its own, and streams do not resume on it',
    )
    .option('--yes', 'do not ask for confirmation')
    .option('--dry-run', 'print what would be copied, and change nothing')
  return withReport(command).action(copy)
}

async function copy({ from, to, app, keepSource, yes, dryRun, json, quiet }: CopyFlags): Promise<void> {
  const isShown = !json && !quiet
  const { copyApplications, planCopy } = await import('../../admin/copy/copy.ts')
  const { nameOf } = await import('../../admin/copy/place.ts')
  const options: CopyOptions = {
    from: placeOf('--from', from),
    to: placeOf('--to', to),
    ids: app,
    keepSource: keepSource ?? false,
  }
  const plan = await planCopy(options)
  const ids = [...plan.keys()]
  if (dryRun) {
    if (json) return printJson(ids.map((id) => ({ id, would: plan.get(id) })))
    for (const id of ids) print(`"${id}": would ${WOULD[plan.get(id) ?? 'copy']} to ${nameOf(options.to)}`)
    return
  }
  if (!keepSource) {
    const what = `${ids.length === 1 ? 'application' : 'applications'} ${ids.map((id) => `"${id}"`).join(', ')}`
    await confirm(
      `Move ${what} to ${nameOf(options.to)}? Nothing is served from ${nameOf(options.from)} then.`,
      yes ?? false,
    )
  }
  const { Progress } = await import('../terminal/progress.ts')
  let progress = new Progress('rows', undefined, false)
  let shown: string | undefined
  const copied = await copyApplications(options, {
    onRows: (id, rows, total) => {
      if (shown !== id) progress = new Progress('rows', total, isShown)
      shown = id
      progress.show(rows, rows)
    },
    onCopied: (application) => {
      progress.clear()
      if (isShown) print(lineOf(application, nameOf(options.to)))
    },
  }).finally(() => progress.clear())
  if (json) printJson(copied)
}

const WOULD = { copy: 'be copied', complete: 'be completed: its copy was interrupted, and goes', done: 'stay: it went' }

function lineOf({ id, done, rows, seconds, seq, epoch }: CopiedApplication, to: string): string {
  if (done === 'done') return `"${id}": it is in ${to} already`
  if (done === 'complete') return `"${id}": its interrupted copy to ${to} is complete`
  const all = Object.values(rows ?? {}).reduce((sum, each) => sum + each, 0)
  const rate = Math.round(all / Math.max(seconds, 0.001))
  return `"${id}": ${all} rows in ${seconds.toFixed(1)} s (${rate}/s), commit ${seq} of ${epoch}, in ${to}`
}

/** @throws Error for an empty text, such as a variable that is not set, and for wrong settings of a database */
function placeOf(flag: '--from' | '--to', text: string): Place {
  if (text === '') throw new Error(`${flag} is empty: expected a folder, or the address of a database`)
  const server = DATABASE.test(text) ? databaseOfEnvironment(text) : undefined
  return server === undefined ? { kind: 'folder', folder: text } : { kind: 'database', server }
}
