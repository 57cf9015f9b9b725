import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import type { ListedApplication, Rotation } from '../../admin/administration.ts'
import { publicKeysOf } from '../../auth/sign-in/service-account.ts'
import { SAFE_SECRET_LENGTH } from '../../data-folder/secret-file.ts'
import { DholeError } from '../../error.ts'
import type { ApplicationSettings } from '../../options.ts'
import { parseRules } from '../../rules/file/rule-set.ts'
import { connectAdmin } from '../connect/admin-client.ts'
import { dataDirOption } from '../connect/app-flag.ts'
import { confirm } from '../terminal/confirmation.ts'
import { reason } from '../terminal/input.ts'
import { print, printError, printJson, printStyled, strong } from '../terminal/output.ts'
import { printable } from '../terminal/printable.ts'
import { jsonOfFlag, withSettingsCommands } from './app-settings.ts'

interface FolderFlags {
  readonly dataDir: string
}

interface AddFlags extends FolderFlags {
  readonly json?: true
  readonly profile?: 'wilddog' | 'firebase'
  readonly open?: true
  readonly rules?: string
  readonly serviceAccount?: string
  readonly indexPolicy?: 'allow' | 'require'
  readonly limits?: string
  readonly sms?: string
}

interface RotateFlags extends FolderFlags {
  readonly smsKey?: true
  readonly secret?: string
  readonly yes?: true
  readonly dryRun?: true
  readonly json?: true
}

interface RemoveFlags extends FolderFlags {
  readonly deleteData?: true
  readonly yes?: true
}

/** The commands `dhole apps …`: they work with a running server and without one. @see docs/reference/protocol.md#ground-rules */
export function appsCommand(): Command {
  const apps = new Command('apps').description('applications beside the default one, each with a tree of its own')
  const command = (usage: string, description: string): Command =>
    apps.command(usage).description(description).addOption(dataDirOption())
  command('add <id>', 'add an application, and show its keys once')
    .addOption(new Option('--profile <family>', 'family whose answers a query gets').choices(['wilddog', 'firebase']))
    .option('--open', 'everyone may read and write until it has rules (default: locked)')
    .option('--rules <file>', 'its first rules')
    .option(
      '--service-account <file>',
      'key of a service account of Firebase, JSON or PEM, whose custom tokens sign users in',
    )
    .addOption(new Option('--index-policy <policy>', 'whether queries need an index').choices(['allow', 'require']))
    .option('--limits <json>', 'limits of its own, such as {"maxWriteBytes":1000000}')
    .option('--sms <json>', 'its settings for text messages, such as {"timeZone":"Europe/Berlin","retentionDays":30}')
    .option('--json', 'print the keys as JSON')
    .action(add)
  command('list', 'list the registered applications').option('--json', 'print JSON').action(list)
  withSettingsCommands(command)
  command('rotate <id>', 'replace the super secret: the old one is refused at once')
    .option('--sms-key', 'replace the SMS key instead')
    .option('--secret <text>', 'the new one; other users of the machine can see it (default: generated)')
    .option('--yes', 'do not ask for confirmation')
    .option('--dry-run', 'print what would be replaced, and change nothing')
    .option('--json', 'print the new one as JSON')
    .action(rotate)
  command('remove <id>', 'remove an application; its tree stays without --delete-data')
    .option('--delete-data', 'delete its tree too')
    .option('--yes', 'do not ask for confirmation')
    .action(remove)
  return apps
}

async function add(id: string, flags: AddFlags): Promise<void> {
  await using admin = await connectAdmin(flags.dataDir)
  const added = await admin.call('add', { id, settings: settingsOf(flags) })
  const { secret, smsKey, hasData } = added
  if (flags.json) return printJson({ id, ...added, open: flags.open ?? false })
  printStyled(`super secret of application "${id}", shown only now: ${strong(secret)}`)
  printStyled(`SMS key of application "${id}", shown only now: ${strong(smsKey)}`)
  if (flags.open) print(`open: everybody who reaches the server may read and write "${id}"`)
  if (hasData) print('there was a tree of that name: its data and its rules are there again')
}

/** Leaves out absent flags, so that they follow the defaults. */
function settingsOf({ profile, open, rules, serviceAccount, indexPolicy, limits, sms }: AddFlags): ApplicationSettings {
  if (open && rules !== undefined) throw new Error('--open and --rules contradict each other: give one')
  return {
    ...(profile === undefined ? {} : { profile }),
    ...(open === undefined ? {} : { open }),
    ...(rules === undefined ? {} : { rules: rulesOf(rules) }),
    ...(serviceAccount === undefined ? {} : { serviceAccount: publicKeysIn(serviceAccount) }),
    ...(indexPolicy === undefined ? {} : { indexPolicy }),
    ...(limits === undefined ? {} : { limits: jsonOfFlag('--limits', limits, '{"maxWriteBytes":1000000}') }),
    ...(sms === undefined ? {} : { sms: jsonOfFlag('--sms', sms, '{"timeZone":"Europe/Berlin"}') }),
  }
}

/** @throws Error with the file and the faulty line */
function rulesOf(file: string): string {
  try {
    const source = readFileSync(file, 'utf8')
    parseRules(source)
    return source
  } catch (cause) {
    throw new Error(`${file}: ${cause instanceof DholeError ? cause.message : reason(cause)}`, { cause })
  }
}

/** @throws Error with the file */
function publicKeysIn(file: string): string {
  try {
    return publicKeysOf(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new Error(`${file}: ${cause instanceof TypeError ? cause.message : reason(cause)}`, { cause })
  }
}

async function list({ dataDir, json }: FolderFlags & { readonly json?: true }): Promise<void> {
  await using admin = await connectAdmin(dataDir)
  const applications = await admin.call('list', {})
  if (json) printJson(applications)
  else for (const line of table(applications)) printStyled(line)
}

async function rotate(id: string, { dataDir, smsKey, secret, yes, dryRun, json }: RotateFlags): Promise<void> {
  const rotation: Rotation = { key: smsKey ? 'sms' : 'secret', ...(secret === undefined ? {} : { value: secret }) }
  await using admin = await connectAdmin(dataDir)
  await admin.call('check-rotation', { id, rotation })
  const what = `${smsKey ? 'SMS key' : 'super secret'} of application "${id}"`
  const effect = smsKey ? 'calls signed with the old one are refused' : 'the old one and every token of it are refused'
  if (dryRun) {
    if (json) printJson({ id, key: rotation.key, dryRun: true })
    else print(`would replace the ${what}: ${effect}`)
    return
  }
  await confirm(`Replace the ${what}? From then on ${effect}.`, yes ?? false)
  const fresh = await admin.call('rotate', { id, rotation })
  if (fresh.length < SAFE_SECRET_LENGTH) {
    printError(`the ${what} has ${fresh.length} characters: use ${SAFE_SECRET_LENGTH} or more that are random`)
  }
  if (json) printJson({ id, key: rotation.key, value: fresh })
  else printStyled(`${what}, shown only now: ${strong(fresh)}`)
}

async function remove(id: string, { dataDir, deleteData, yes }: RemoveFlags): Promise<void> {
  await using admin = await connectAdmin(dataDir)
  await confirm(`Remove application "${id}"${deleteData ? ' and all its data' : ''}?`, yes ?? false)
  await admin.call('remove', { id, deleteData: deleteData ?? false })
  print(`application "${id}" is removed${deleteData ? ' with its data' : '; its data stays'}`)
}

const HEAD = ['name', 'profile', 'rules', 'bytes', '']

function table(applications: readonly ListedApplication[]): readonly string[] {
  const rows = applications.map(({ id, profile, rules, bytes, isDefault }) => [
    printable(id),
    profile ?? '',
    rules ?? '',
    bytes === undefined ? '' : String(bytes),
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
