import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'
import { Command, Option } from 'commander'
import type { ApplicationSettings } from '../options.ts'
import { parseRules } from '../rules/rule-set.ts'
import type { Rotation } from '../server/administration.ts'
import { type ListedApplication, listApplications } from '../server/app-list.ts'
import { administrationOf } from './administration.ts'

interface FolderFlags {
  readonly dataDir: string
}

interface AddFlags extends FolderFlags {
  readonly profile?: 'wilddog' | 'firebase'
  readonly open?: true
  readonly rules?: string
  readonly indexPolicy?: 'allow' | 'require'
  readonly limits?: string
  readonly sms?: string
}

interface RotateFlags extends FolderFlags {
  readonly smsKey?: true
  readonly secret?: string
}

interface RemoveFlags extends FolderFlags {
  readonly deleteData?: true
  readonly yes?: true
}

/** The commands `dhole apps …`: they work with a running server and without one. @see docs/protocol.md#ground-rules */
export function appsCommand(): Command {
  const apps = new Command('apps').description('applications beside the default one, each with a tree of its own')
  const command = (usage: string, description: string): Command =>
    apps
      .command(usage)
      .description(description)
      .addOption(new Option('--data-dir <folder>', 'folder of the server').env('DATA_DIR').default('./data'))
  command('add <id>', 'register one, and show its keys once')
    .addOption(new Option('--profile <family>', 'whose answers a query gets').choices(['wilddog', 'firebase']))
    .option('--open', 'let everybody read and write until it has rules (default: nobody)')
    .option('--rules <file>', 'rules it begins with')
    .addOption(new Option('--index-policy <policy>', 'whether queries need an index').choices(['allow', 'require']))
    .option('--limits <json>', 'limits of its own, such as {"maxWriteBytes":1000000}')
    .option('--sms <json>', 'what its text messages are like, such as {"timeZone":"Europe/Berlin","retentionDays":30}')
    .action(add)
  command('list', 'show them').option('--json', 'as JSON').action(list)
  command('rotate <id>', 'replace the super secret: the old one is refused at once')
    .option('--sms-key', 'replace the SMS key instead')
    .option('--secret <text>', 'the new one; other users of the machine can see it (default: one is made)')
    .action(rotate)
  command('remove <id>', 'forget one; its tree stays unless told otherwise')
    .option('--delete-data', 'delete its tree too')
    .option('--yes', 'do not ask')
    .action(remove)
  return apps
}

async function add(id: string, flags: AddFlags): Promise<void> {
  const administration = await administrationOf(flags.dataDir)
  const { secret, smsKey, hasData } = await administration.add(id, settingsOf(flags))
  print(`super secret of application "${id}", shown only now: ${strong(secret)}`)
  print(`SMS key of application "${id}", shown only now: ${strong(smsKey)}`)
  if (flags.open) print(`open: everybody who reaches the server may read and write "${id}"`)
  if (hasData) print('there was a tree of that name: its data and its rules are there again')
}

/** What is left out is not written down, so that it follows the defaults. */
function settingsOf({ profile, open, rules, indexPolicy, limits, sms }: AddFlags): ApplicationSettings {
  if (open && rules !== undefined) throw new Error('--open and --rules contradict each other: give one')
  return {
    ...(profile === undefined ? {} : { profile }),
    ...(open === undefined ? {} : { open }),
    ...(rules === undefined ? {} : { rules: rulesOf(rules) }),
    ...(indexPolicy === undefined ? {} : { indexPolicy }),
    ...(limits === undefined ? {} : { limits: json('--limits', limits, '{"maxWriteBytes":1000000}') }),
    ...(sms === undefined ? {} : { sms: json('--sms', sms, '{"timeZone":"Europe/Berlin"}') }),
  }
}

/** @throws Error that names the file, and the line of what is wrong in it */
function rulesOf(file: string): string {
  try {
    const source = readFileSync(file, 'utf8')
    parseRules(source)
    return source
  } catch (cause) {
    throw new Error(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** What it says is checked by whoever registers it. */
function json<T>(flag: string, text: string, example: string): T {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${flag}: expected JSON such as ${example}`, { cause })
  }
}

async function list({ dataDir, json }: FolderFlags & { readonly json?: true }): Promise<void> {
  const administration = await administrationOf(dataDir)
  const applications = listApplications(dataDir, await administration.state())
  if (json) print(JSON.stringify(applications, undefined, 2))
  else for (const line of table(applications)) print(line)
}

async function rotate(id: string, { dataDir, smsKey, secret }: RotateFlags): Promise<void> {
  const rotation: Rotation = { key: smsKey ? 'sms' : 'secret', value: secret }
  const administration = await administrationOf(dataDir)
  const fresh = await administration.rotate(id, rotation)
  print(`${smsKey ? 'SMS key' : 'super secret'} of application "${id}", shown only now: ${strong(fresh)}`)
}

async function remove(id: string, { dataDir, deleteData, yes }: RemoveFlags): Promise<void> {
  const administration = await administrationOf(dataDir)
  if (!yes) await confirm(`Remove application "${id}"${deleteData ? ' and all its data' : ''}?`)
  await administration.remove(id, deleteData ?? false)
  print(`application "${id}" is removed${deleteData ? ' with its data' : '; its data stays'}`)
}

/** @throws Error unless somebody is there to say yes, and does */
async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new Error('nobody is here to ask: say --yes')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Whoever ends the input has not said yes.
  const ended = once(terminal, 'close').then(() => '')
  const answer = await Promise.race([terminal.question(`${question} (y/N) `), ended])
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('nothing is removed')
}

const HEAD = ['name', 'profile', 'rules', 'bytes', '']

function table(applications: readonly ListedApplication[]): readonly string[] {
  const rows = applications.map(({ id, profile, rules, bytes, isDefault }) => [
    id,
    profile ?? '',
    rules ?? '',
    String(bytes),
    isDefault ? 'default' : '',
  ])
  const widths = HEAD.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const [head = '', ...lines] = [HEAD, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [strong(head), ...lines]
}

function strong(text: string): string {
  return process.stdout.isTTY && !process.env['NO_COLOR'] ? styleText('bold', text) : text
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
