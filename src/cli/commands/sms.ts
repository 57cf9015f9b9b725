import { Command, Option } from 'commander'
import type { AdminClient } from '../../admin/admin-client.ts'
import { checkAppFlag, dataDirOption, defaultId } from '../connect/app-flag.ts'
import { exitOnSignals } from '../exit-status.ts'
import type { FormatName } from '../sms/format.ts'
import type { KeyChoice } from '../sms/sign.ts'
import { STDIN as STDIO } from '../terminal/input.ts'
import { print, printJson, type ReportFlags, withReport } from '../terminal/output.ts'
import { printableLines } from '../terminal/printable.ts'

interface AppFlags {
  readonly app: string
  readonly dataDir: string
}

interface FileFlags extends AppFlags, ReportFlags {
  readonly format?: FormatName
}

interface ExportFlags extends FileFlags {
  readonly escapeFormulas?: true
}

interface SignFlags extends AppFlags {
  readonly body?: string
  readonly explain?: true
}

/**
 * The commands `dhole sms …`. Those about messages work with and without a running server. Their modules are loaded on
 * demand.
 * @see docs/reference/protocol.md#text-messages
 */
export function smsCommand(): Command {
  const sms = new Command('sms').description('text messages: import, export, sign requests, count')
  const command = (usage: string, description: string): Command =>
    sms
      .command(usage)
      .description(description)
      .addOption(new Option('--app <id>', 'the application').default(defaultId()))
      .addOption(dataDirOption())
  withReport(
    command('import <file>', 'add messages of elsewhere; `-` is standard input; the same once more changes nothing'),
  )
    .addOption(formatOption("default: what the file's name ends in"))
    .action(importMessages)
  withReport(command('export [file]', 'write all messages to a file, or to standard output'))
    .option('--escape-formulas', 'csv: put an apostrophe before cells that a spreadsheet would compute')
    .addOption(formatOption('default: the ending of the file name; csv for standard output'))
    .action(exportMessages)
  command('counts', 'count messages by state, and reports by result').option('--json', 'print JSON').action(counts)
  command('sign [name=value...]', 'print the signature of the parameters of a request, for debugging')
    .option('--body <file>', 'add the parameter `body`, the text of a file, as for `report`; `-` is standard input')
    .option('--explain', 'print the signed text without the key on standard error')
    .action(signRequest)
  command('token <source>', 'print the token with which a source calls `dlr`').action(token)
  return sms
}

function formatOption(fallback: string): Option {
  return new Option('--format <name>', fallback).choices(['csv', 'ndjson'])
}

async function importMessages(file: string, { format: name, json, quiet, app, dataDir }: FileFlags): Promise<void> {
  const { formatOf } = await import('../sms/format.ts')
  const format = formatOf(file, name)
  const { importFile } = await import('../sms/import.ts')
  await using admin = await adminOf(app, dataDir)
  await importFile(admin, app, file, format, { json, quiet })
}

async function exportMessages(file: string = STDIO, flags: ExportFlags): Promise<void> {
  const { format: name, json, quiet, escapeFormulas, app, dataDir } = flags
  const { formatOf, forSpreadsheets } = await import('../sms/format.ts')
  const written = formatOf(file, name ?? (file === STDIO ? 'csv' : undefined))
  const format = escapeFormulas ? forSpreadsheets(written) : written
  const { destinationOf } = await import('../transfer/destination.ts')
  const { exportTo } = await import('../sms/export.ts')
  await using admin = await adminOf(app, dataDir)
  exitOnSignals()
  using destination = destinationOf(file)
  const count = await exportTo(destination, admin, app, { format, isShown: !json && !quiet })
  // Standard output holds the data.
  if (file === STDIO) return
  if (json) printJson({ file, messages: count })
  else if (!quiet) print(`exported ${count} messages`)
}

async function counts({ json, app, dataDir }: AppFlags & { readonly json?: true }): Promise<void> {
  await using admin = await adminOf(app, dataDir)
  const found = await admin.call('sms-counts', { id: app })
  if (json) printJson(found)
  else print(table(found))
}

async function adminOf(app: string, dataDir: string): Promise<AdminClient> {
  checkAppFlag(app)
  const { connectAdmin } = await import('../connect/admin-client.ts')
  return connectAdmin(dataDir)
}

function table(found: Readonly<Record<string, number>>): string {
  const rows = Object.entries(found).map(([name, count]) => [name, String(count)] as const)
  const nameWidth = Math.max(...rows.map(([name]) => name.length))
  const countWidth = Math.max(...rows.map(([, count]) => count.length))
  return rows.map(([name, count]) => `${name.padEnd(nameWidth)}  ${count.padStart(countWidth)}`).join('\n')
}

async function signRequest(given: readonly string[], flags: SignFlags): Promise<void> {
  const { sign } = await import('../sms/sign.ts')
  const { signature, text } = await sign(given, flags.body, keyChoice(flags))
  if (flags.explain) process.stderr.write(`${printableLines(text)}\n`)
  print(signature)
}

async function token(source: string, flags: AppFlags): Promise<void> {
  const { tokenFor } = await import('../sms/sign.ts')
  print(await tokenFor(source, keyChoice(flags)))
}

function keyChoice({ app, dataDir }: AppFlags): KeyChoice {
  return { app, dataDir, isDefault: app === defaultId() }
}
