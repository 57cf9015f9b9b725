import { type Static, Type } from '@sinclair/typebox'
import { DholeError } from '../error.ts'
import { messageOf } from '../files/system-error.ts'
import { type ApplicationSettings, checkApplicationSettings } from '../options.ts'

/** What an application is set to beside the settings of all applications, and where that is changed. */
export const ownSettings = Type.Object({
  /** `registration`: an operation changes them; `server`: the settings of the server; `host`: the options of the plugin. */
  from: Type.Union([Type.Literal('registration'), Type.Literal('server'), Type.Literal('host')]),
  /** Those of a registration, as `add` takes them; empty otherwise. */
  settings: Type.Unsafe<ApplicationSettings>(Type.Record(Type.String(), Type.Unknown())),
})
export type OwnSettings = Static<typeof ownSettings>

const json = Type.Record(Type.String(), Type.Unknown())

/** A change of the settings of an application. */
export const settingsChange = Type.Object({
  /** New members; `null` takes one away. Members of `limits`, `sms` and `indexes` are changed one by one. */
  changes: json,
  /** All settings as they were read; nothing is changed where they are others by now. */
  expected: Type.Optional(json),
})
export type SettingsChange = Static<typeof settingsChange>

/**
 * The settings of an application after a change.
 * @throws `admin-input` unless they are valid; `admin-state` when the settings are not those that are expected
 */
export function changedSettings(
  id: string,
  before: ApplicationSettings,
  { changes, expected }: SettingsChange,
): ApplicationSettings {
  if (expected !== undefined && !Bun.deepEquals(expected, before)) {
    throw new DholeError('admin-state', `the settings of "${id}" have been changed meanwhile: look at them again`)
  }
  const after = merged(before, changes, (old, value) =>
    isObject(value) ? merged(isObject(old) ? old : {}, value, (_, member) => member) : value,
  )
  checkSettings(after)
  return after
}

type Members = Readonly<Record<string, unknown>>

/** Members of an object after changes; `null` takes one away. No member becomes a prototype. */
function merged(before: object, changes: object, value: (old: unknown, changed: unknown) => unknown): Members {
  const members = new Map<string, unknown>(Object.entries(before))
  for (const [name, changed] of Object.entries(changes)) {
    const next = changed === null ? undefined : value(members.get(name), changed)
    if (next === undefined || isEmpty(next)) members.delete(name)
    else members.set(name, next)
  }
  return Object.fromEntries(members)
}

/** Whether it is an object without members, which says as much as none. */
function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @throws `admin-input` unless they are settings of an application */
export function checkSettings(settings: unknown): asserts settings is ApplicationSettings {
  try {
    checkApplicationSettings(settings)
  } catch (cause) {
    throw new DholeError('admin-input', messageOf(cause), { cause })
  }
}
