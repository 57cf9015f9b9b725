import { readFileSync } from 'node:fs'
import { Value } from '@sinclair/typebox/value'
import { publicKeysOf } from '../../auth/sign-in/service-account.ts'
import { DholeError } from '../../error.ts'
import { codeOf, messageOf } from '../../files/system-error.ts'
import { isLoopback } from '../../http/connection/own-machine.ts'
import { Proxies } from '../../http/connection/proxies.ts'
import { indexesSchema } from '../../options/schemas.ts'
import { checkMessages } from '../../options.ts'
import { type IndexSpec, parseIndexes } from '../../query/index-declarations.ts'
import { parseRules } from '../../rules/file/rule-set.ts'
import { serversOf } from '../../store/postgres/connection/address.ts'
import { jsonOf } from '../../tree/json/parse-json.ts'
import { tlsNames } from '../tls/own-names.ts'
import { parseDuration, type TimeUnit } from './duration.ts'
import { type Config, choicesOf, configSchema, settingSchema } from './settings.ts'
import { textOf } from './text-file.ts'

/** Unit of time by the suffix of the setting. */
const UNITS: Readonly<Record<string, TimeUnit>> = { MS: 'ms', S: 's', DAYS: 'd' }

/** Settings as text, by name. */
export type RawConfig = Readonly<Record<string, string | undefined>>

/**
 * Reads settings; an empty text counts as unset.
 * @throws Error that names every wrong setting
 */
export function readConfig(given: RawConfig): Config {
  const raw = withSecretFiles(given)
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(configSchema.properties)) {
    const text = raw[name]
    if (text !== undefined && text !== '') values[name] = readValue(name, text)
  }
  const config = Value.Default(configSchema, values)
  const wrong = new Set([...Value.Errors(configSchema, config)].map(({ path }) => path.split('/')[1] ?? ''))
  const problems = [...wrong].map((name) => `${name}: expected ${expectedOf(name)}${foundOf(name, raw[name])}`)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const checked = config as Config
  if ((checked.TLS_CERT === undefined) !== (checked.TLS_KEY === undefined)) {
    throw new Error('TLS_CERT and TLS_KEY belong together: set both or neither')
  }
  if (checked.DEVELOPMENT && !isOwnMachine(checked.HOST)) {
    throw new Error(`DEVELOPMENT: not with HOST=${checked.HOST}, which other machines can reach`)
  }
  if (checked.DEVELOPMENT && checked.TRUST_PROXY !== undefined) {
    throw new Error('DEVELOPMENT: not with TRUST_PROXY, which forwards clients of other machines')
  }
  readIndexes(checked)
  tlsNames(checked)
  checkDatabase(checked)
  checkSms(checked)
  checkProxies(checked)
  return checked
}

/** Settings whose values may be in files. */
const SECRETS = ['OPERATOR_SECRET', 'APP_SECRET', 'SMS_KEY', 'SECRETS_KEY']

/** Reads secrets from the files that settings name. @throws Error when a file cannot be read, or both settings are set */
function withSecretFiles(raw: RawConfig): RawConfig {
  const read: Record<string, string> = {}
  for (const name of SECRETS) {
    const file = raw[`${name}_FILE`]
    if (file === undefined || file === '') continue
    if (raw[name]) throw new Error(`${name}_FILE: not with ${name}`)
    read[name] = textOf(`${name}_FILE`, file).trim()
  }
  return { ...raw, ...read }
}

/** Converts text to the type of a setting. Returns other text unchanged: the schema refuses it. */
function readValue(name: string, text: string): unknown {
  const schema = settingSchema(name)
  if (schema['type'] !== 'integer') return Value.Convert(schema, text)
  const count = inUnits(name, text)
  return /^-?\d{1,15}$/.test(count) ? Number(count) : text
}

/** Converts a time with a unit, such as `10m`, to the unit of the setting. Returns other text unchanged. */
function inUnits(name: string, text: string): string {
  const unit = unitOf(name)
  return unit === undefined ? text : String(parseDuration(text, unit) ?? text)
}

function unitOf(name: string): TimeUnit | undefined {
  return UNITS[name.slice(name.lastIndexOf('_') + 1)]
}

/** Error text for a value. Leaves out secrets. */
function foundOf(name: string, text: string | undefined): string {
  return /_(SECRET|KEY|URL)$/.test(name) ? '' : `, found ${JSON.stringify(text)}`
}

/** Error text for the valid values of a setting. */
function expectedOf(name: string): string {
  if (name === 'SECRETS_KEY') return '32 bytes in base64, as `openssl rand -base64 32` prints'
  const choices = choicesOf(name)
  if (choices !== undefined) return `one of ${choices.join(', ')}`
  const { type, minimum, maximum, minLength, pattern } = settingSchema(name)
  if (type === 'integer') {
    const unit = unitOf(name)
    const what = unit === undefined ? 'a whole number' : 'a time such as 90s or 10m, or a whole number'
    return maximum === undefined ? `${what} of at least ${minimum}` : `${what} from ${minimum} to ${maximum}`
  }
  if (pattern !== undefined) return `text of the form ${pattern}`
  return minLength === undefined ? 'text' : `text of at least ${minLength} characters`
}

/** The proxies of `TRUST_PROXY`. */
export function proxiesOf({ TRUST_PROXY }: Pick<Config, 'TRUST_PROXY'>): readonly string[] {
  return TRUST_PROXY?.split(',').map((entry) => entry.trim()) ?? []
}

function checkProxies(config: Config): void {
  try {
    new Proxies(proxiesOf(config))
  } catch (cause) {
    throw new Error(`TRUST_PROXY: ${messageOf(cause)}`, { cause })
  }
}

function checkDatabase(config: Config): void {
  const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_LISTEN_URL, DATABASE_INSECURE: insecure } = config
  const others = { DATABASE_OWNER_URL, DATABASE_LISTEN_URL }
  if (DATABASE_URL === undefined) {
    const given = Object.entries(others).find(([, url]) => url !== undefined)
    if (given !== undefined) throw new Error(`${given[0]}: only with DATABASE_URL`)
    return
  }
  if (config.DATABASE_POOLER === 'transaction' && DATABASE_LISTEN_URL === undefined && config.HINTS === 'notify') {
    throw new Error(
      'DATABASE_POOLER: a pooler drops notifications: set DATABASE_LISTEN_URL to the address of the database itself, or HINTS=poll',
    )
  }
  for (const [name, url] of Object.entries({ DATABASE_URL, ...others })) {
    if (url === undefined) continue
    try {
      serversOf({ url, insecure })
    } catch (cause) {
      throw new Error(`${name}: ${messageOf(cause)}`, { cause })
    }
  }
}

function checkSms({ SMS_TIME_ZONE: timeZone, SMS_MOBILE: mobile }: Config): void {
  checkMessages('SMS_TIME_ZONE: ', { timeZone })
  checkMessages('SMS_MOBILE: ', { mobile })
}

/** The indexes of `INDEXES`. @throws Error unless the setting is JSON of that shape */
export function readIndexes({ INDEXES }: Config): IndexSpec {
  if (INDEXES === undefined) return {}
  const indexes = jsonOf(INDEXES)
  if (!Value.Check(indexesSchema, indexes)) {
    throw new Error('INDEXES: expected JSON such as {"/dinosaurs": ["height", ".value"]}')
  }
  try {
    parseIndexes(indexes)
  } catch (error) {
    throw error instanceof DholeError ? new Error(`INDEXES: ${error.message}`, { cause: error }) : error
  }
  return indexes
}

/** Source of the rules file `RULES`; `undefined` when unset. @throws Error when the file is missing or wrong */
export function readRules({ RULES }: Config): string | undefined {
  return fromFile('RULES', RULES, (source) => {
    parseRules(source)
    return source
  })
}

/** What the files hold that settings name; `undefined` for settings that are unset. */
export interface FileTexts {
  /** Source of the rules. */
  readonly rules: string | undefined
  /** Public keys of service accounts, as PEM text. */
  readonly serviceAccount: string | undefined
}

/** @throws Error when a file is missing or wrong */
export function readFiles(config: Config): FileTexts {
  return { rules: readRules(config), serviceAccount: readServiceAccount(config) }
}

/**
 * Public keys of the service accounts of `SERVICE_ACCOUNT_FILE`, as PEM text; `undefined` when unset.
 * @throws Error when the file is missing or wrong
 */
function readServiceAccount({ SERVICE_ACCOUNT_FILE }: Config): string | undefined {
  return fromFile('SERVICE_ACCOUNT_FILE', SERVICE_ACCOUNT_FILE, publicKeysOf)
}

/** What a file of a setting holds; `undefined` when that is unset. @throws Error when it is missing or wrong */
function fromFile(setting: string, file: string | undefined, read: (text: string) => string): string | undefined {
  if (file === undefined) return undefined
  try {
    return read(readFileSync(file, 'utf8'))
  } catch (cause) {
    const reason = codeOf(cause) === 'ENOENT' ? 'there is no such file' : messageOf(cause)
    throw new Error(`${setting}: ${file}: ${reason}`, { cause })
  }
}

/** Whether only this machine can reach a host. */
export function isOwnMachine(host: string): boolean {
  return host === 'localhost' || isLoopback(host)
}
