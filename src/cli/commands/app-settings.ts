import { type Command, Option } from 'commander'
import type { SettingsChange } from '../../admin/settings-change.ts'
import { connectAdmin } from '../connect/admin-client.ts'
import { print, printJson } from '../terminal/output.ts'

/** Names of settings as `--reset` takes them, and as the registration has them. */
const RESET = {
  profile: 'profile',
  open: 'open',
  'index-policy': 'indexPolicy',
  indexes: 'indexes',
  limits: 'limits',
  sms: 'sms',
} as const

interface SetFlags {
  readonly dataDir: string
  readonly profile?: string
  readonly open?: true
  readonly locked?: true
  readonly indexPolicy?: string
  readonly indexes?: string
  readonly limits?: string
  readonly sms?: string
  readonly reset?: readonly (keyof typeof RESET)[]
}

/** Adds the commands that show and change the settings of an application. @param command makes one of them */
export function withSettingsCommands(command: (usage: string, description: string) => Command): void {
  command('show <id>', 'print the settings and limits in force of an application, as JSON').action(show)
  command('set <id>', 'change settings of an application; its streams end and begin anew')
    .addOption(new Option('--profile <family>', 'family whose answers a query gets').choices(['wilddog', 'firebase']))
    .option('--open', 'everyone may read and write until it has rules')
    .option('--locked', 'only its super secret gives access until it has rules')
    .addOption(new Option('--index-policy <policy>', 'whether queries need an index').choices(['allow', 'require']))
    .option('--indexes <json>', 'declared indexes, such as {"/users":["name"]}; null takes a list away')
    .option('--limits <json>', 'limits to change, such as {"maxWriteBytes":1000000}; null takes one away')
    .option('--sms <json>', 'settings for text messages to change, such as {"retentionDays":30}; null takes one away')
    .addOption(
      new Option('--reset <settings...>', 'settings that follow those of the server again').choices(Object.keys(RESET)),
    )
    .action(set)
}

/** Parses the JSON of a flag. The registration checks its content. */
export function jsonOfFlag<T>(flag: string, text: string, example: string): T {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${flag}: expected JSON such as ${example}`, { cause })
  }
}

async function show(id: string, { dataDir }: { readonly dataDir: string }): Promise<void> {
  await using admin = await connectAdmin(dataDir)
  printJson(await admin.call('application-settings', { id }))
}

async function set(id: string, { dataDir, ...flags }: SetFlags): Promise<void> {
  const changes = changesOf(flags)
  await using admin = await connectAdmin(dataDir)
  await admin.call('change-settings', { id, changes })
  print(`the settings of application "${id}" are in force`)
}

/** @throws Error when flags contradict each other, or there is none */
function changesOf(flags: Omit<SetFlags, 'dataDir'>): SettingsChange['changes'] {
  const { profile, open, locked, indexPolicy, indexes, limits, sms, reset = [] } = flags
  if (open && locked) throw new Error('--open and --locked contradict each other: give one')
  const changes = {
    ...Object.fromEntries(reset.map((name) => [RESET[name], null])),
    ...(profile === undefined ? {} : { profile }),
    ...(open === undefined ? {} : { open }),
    ...(locked === undefined ? {} : { open: null }),
    ...(indexPolicy === undefined ? {} : { indexPolicy }),
    ...(indexes === undefined ? {} : { indexes: jsonOfFlag('--indexes', indexes, '{"/users":["name"]}') }),
    ...(limits === undefined ? {} : { limits: jsonOfFlag('--limits', limits, '{"maxWriteBytes":1000000}') }),
    ...(sms === undefined ? {} : { sms: jsonOfFlag('--sms', sms, '{"retentionDays":30}') }),
  }
  if (Object.keys(changes).length > 0) return changes
  throw new Error('nothing to change: give a setting, such as --profile firebase')
}
