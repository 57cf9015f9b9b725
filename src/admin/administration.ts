import { type Static, Type } from '@sinclair/typebox'
import { isApplicationId } from '../applications/application-id.ts'
import { LEAST_SECRET_LENGTH } from '../data-folder/secret-file.ts'
import { DholeError } from '../error.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import { type RulesKind, rulesKind } from './registry.ts'
import type { OwnSettings, SettingsChange } from './settings-change.ts'

/** Keys of a new application. They are shown only once. */
export const addedApplication = Type.Object({
  secret: Type.String(),
  smsKey: Type.String(),
  /** Whether a tree of a removed application of that name exists. */
  hasData: Type.Boolean(),
})
export type AddedApplication = Static<typeof addedApplication>

/** Keys of an application. */
export const shownKeys = Type.Object({ secret: Type.String(), smsKey: Type.String() })
export type ShownKeys = Static<typeof shownKeys>

const keyName = Type.Union([Type.Literal('secret'), Type.Literal('sms')])

/** Replacement of one key of an application. */
export const rotation = Type.Object({
  key: keyName,
  /** Default: a generated key. */
  value: Type.Optional(Type.String()),
})
export type Rotation = Static<typeof rotation>

/** State of the applications that is in no file. */
export const serverState = Type.Object({
  defaultId: Type.String(),
  /** Keys of the default application that settings of the server fix. */
  fixedKeys: Type.Array(keyName),
  /** Open applications; none without a server. */
  open: Type.Array(Type.Object({ id: Type.String(), profile: Type.String(), rules: rulesKind })),
  /** Whether they are stored on a database server. */
  isInDatabase: Type.Optional(Type.Boolean()),
  /** Whether the program that embeds Dhole names them: no operation adds, changes or removes one. */
  isOfHost: Type.Optional(Type.Boolean()),
})
export type ServerState = Static<typeof serverState>

/** One line of `dhole apps list`. */
export const listedApplication = Type.Object({
  id: Type.String(),
  /** Query dialect; absent when only a running server knows it. */
  profile: Type.Optional(Type.Unsafe<string | undefined>(Type.String())),
  /** Rules; of a closed application those of its registration. */
  rules: Type.Optional(Type.Unsafe<RulesKind | undefined>(rulesKind)),
  /** Size of the database file and its write-ahead log; 0 without a file, absent on a database server. */
  bytes: Type.Optional(Type.Integer()),
  isDefault: Type.Boolean(),
})
export type ListedApplication = Static<typeof listedApplication>

/** Process and address of a server. */
export const serverProcess = Type.Object({
  pid: Type.Integer(),
  /** Origin of the HTTPS listener; absent until it listens. */
  url: Type.Optional(Type.String()),
})
export type ServerProcess = Static<typeof serverProcess>

/** The application of requests without an application name. It is not registered: its settings are those of the server. */
export interface DefaultApplication {
  readonly id: string
  /** Keys that settings of the server fix: they cannot be rotated. */
  readonly fixedKeys: ServerState['fixedKeys']
  /** Whether every client may read and write until the application has its own rules. */
  readonly isOpen: boolean
}

/** Settings of the server that fix keys of the default application. */
export const SETTING = { secret: 'APP_SECRET', sms: 'SMS_KEY' } as const

/** Keys that settings of the server fix. An empty setting counts as unset. */
export function fixedKeys(settings: Readonly<Record<string, string | undefined>>): ServerState['fixedKeys'] {
  return (['secret', 'sms'] as const).filter((key) => settings[SETTING[key]])
}

/**
 * Registers, rotates and removes applications, and applies the changes to the open ones. Every method throws `admin-input`,
 * `admin-unknown` and `admin-state` with a message for the operator.
 */
export interface Administration {
  add(id: string, settings: unknown): Awaitable<AddedApplication>
  /** @throws Error when `rotate` would refuse the rotation */
  checkRotation(id: string, rotation: Rotation): Awaitable<void>
  /** @returns the new key */
  rotate(id: string, rotation: Rotation): Awaitable<string>
  /** @param deleteData also deletes the tree */
  remove(id: string, deleteData: boolean): Promise<void>
  /** The default application, then all registered ones by name. */
  list(): Awaitable<readonly ListedApplication[]>
  /** What an application is set to beside the settings of all applications. */
  settings(id: string): Awaitable<OwnSettings>
  /**
   * Changes the settings of an application. Its streams end and begin anew; every request that comes after it returns finds
   * the new settings.
   */
  changeSettings(id: string, change: SettingsChange): Promise<void>
  /** The keys of an application. */
  keys(id: string): Awaitable<ShownKeys>
  state(): ServerState
  /** Resolves when every commit to the tree is durable. */
  settle(id: string): Promise<void>
  /**
   * Replaces a tree by the file that lies ready beside it. Streams end and requests wait.
   * @param stamp suffix of the names of the new and of the old file
   * @param keep keeps the old file
   */
  replaceTree(id: string, stamp: string, keep: boolean): Promise<void>
}

/** The refusal to change the settings of the default application. */
export function ofServer(id: string): DholeError {
  return new DholeError(
    'admin-state',
    `"${id}" is the default application: change the settings of the server, and start it again`,
  )
}

/** @throws `admin-input` unless a text can be a key */
export function checkKey(value: string | undefined): void {
  if (value !== undefined && (value.length < LEAST_SECRET_LENGTH || value !== value.trim())) {
    throw new DholeError(
      'admin-input',
      `a secret has at least ${LEAST_SECRET_LENGTH} characters, and no space at either end`,
    )
  }
}

/** @throws `admin-input` unless a text can name an application */
export function checkId(id: string): void {
  if (isApplicationId(id)) return
  throw new DholeError(
    'admin-input',
    `${JSON.stringify(id)} cannot name an application: up to 63 lower-case letters, digits and -, with - neither first nor last`,
  )
}
