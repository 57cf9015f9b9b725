import { Command, Option } from 'commander'
import type { TablesReport } from '../../admin/migrate.ts'
import { databaseOfEnvironment } from '../connect/database-settings.ts'
import { EXIT_FAILED } from '../exit-status.ts'
import { print, printJson, type ReportFlags, withReport } from '../terminal/output.ts'

interface MigrateFlags extends ReportFlags {
  readonly check?: true
  readonly finish?: true
}

/** The command `dhole migrate`. Its modules are loaded on demand. @see docs/how-to/postgres.md#upgrades */
export function migrateCommand(): Command {
  const command = new Command('migrate')
    .description('bring the tables of the database of DATABASE_URL to this version, as DATABASE_OWNER_URL if it is set')
    .option('--check', 'print what would be done, and change nothing; status 1 if there is something')
    .addOption(
      new Option('--finish', 'make the changes too that servers of older versions cannot live with').conflicts('check'),
    )
  return withReport(command).action(migrate)
}

async function migrate({ check, finish, json, quiet }: MigrateFlags): Promise<void> {
  const server = databaseOfEnvironment()
  if (server === undefined)
    throw new Error('DATABASE_URL is not set: files are brought up to date when they are opened')
  const { bringUpToDate, checkTables } = await import('../../admin/migrate.ts')
  const report = check ? await checkTables(server) : await bringUpToDate(server, finish ?? false)
  if (json) printJson(report)
  else if (!quiet) for (const line of linesOf(report)) print(line)
  if (check && report.pending.length + report.waiting.length > 0) process.exitCode = EXIT_FAILED
}

function* linesOf({ place, schema, version, applied, pending, waiting }: TablesReport): Generator<string, void> {
  for (const name of applied) yield `done: ${name}`
  for (const name of pending) yield `to do: ${name}`
  for (const name of waiting) yield `to do with --finish, when no server of an older version runs: ${name}`
  const isDone = pending.length + waiting.length === 0
  if (isDone) yield `the tables of the schema "${schema}" at ${place} are up to date (version ${version})`
}
