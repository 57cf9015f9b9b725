import type { Application } from '../../applications/application.ts'
import type { Database } from '../../database/database.ts'
import { DholeError } from '../../error.ts'
import { type BodyOptions, useJson, useText } from '../request/body.ts'
import { callerOf, type Origin } from '../request/caller.ts'
import { methodOf } from '../request/method.ts'
import { dressedReply } from '../response/reply.ts'
import { checkSettingsParameters, type RawParameters, type SettingsParameters } from '../url/parameters.ts'

const PREFIX = '/.settings/'
const RULES = '/.settings/rules.json'
const WRITE_SIZE = '/.settings/defaultWriteSizeLimit.json'
const UNKNOWN = `Unknown setting: there are ${RULES} and ${WRITE_SIZE}`
const DONE = '{"status":"ok"}'

/** A request of the owner. */
interface SettingsRequest {
  readonly origin: Origin
  /** As it is open now: while a body is awaited it may be closed. */
  readonly database: () => Database
  readonly parameters: SettingsParameters
  /** Throws unless it is one still: a body may take its time, and the credential may end meanwhile. */
  readonly check: () => Promise<void>
}

export function isSettings(rawPath: string): boolean {
  return rawPath.startsWith(PREFIX)
}

/**
 * Answers a request to the rules, or to the default of `writeSizeLimit`. Only the owner makes one.
 * @throws `bad-path` for an unknown setting, `method-not-allowed`, `bad-parameter`, `permission-denied`, `bad-rules`,
 * `rule-wildcards`, and as `Authenticator.authenticate`
 * @see docs/reference/protocol.md#rules
 */
export async function answerSettings(
  rawPath: string,
  raw: RawParameters,
  application: Application,
  origin: Origin,
): Promise<Response> {
  if (rawPath !== RULES && rawPath !== WRITE_SIZE) throw new DholeError('bad-path', UNKNOWN)
  const method = methodOf(origin.request, raw)
  if (method !== 'GET' && method !== 'PUT') throw new DholeError('method-not-allowed')
  const parameters = checkSettingsParameters(raw)
  const opened = () => origin.stay?.application ?? application
  const check = async () => {
    const caller = await callerOf(opened(), origin, raw.values)
    if (caller.kind !== 'admin') throw new DholeError('permission-denied')
  }
  await check()
  const request: SettingsRequest = { origin, database: () => opened().database, parameters, check }
  if (rawPath === RULES) return method === 'GET' ? readRules(request) : writeRules(request)
  return method === 'GET' ? readWriteSize(request) : writeWriteSize(request)
}

function readRules({ database, parameters }: SettingsRequest): Response {
  // The source is not ours to print: comments belong to it.
  return dressedReply(parameters.format === 'strict' ? database().strictRules : database().rules, {})
}

function writeRules({ origin, database, parameters, check }: SettingsRequest): Promise<Response> {
  return useText(origin, bodyOptions(database()), async (source) => {
    await check()
    if (parameters.dryRun === 'true') await database().checkRulesInTurns(source)
    else await database().setRules(source)
    return dressedReply(DONE, { print: parameters.print })
  })
}

function readWriteSize({ database, parameters }: SettingsRequest): Response {
  return dressedReply(JSON.stringify(database().writeSizeLimit), { print: parameters.print })
}

function writeWriteSize({ origin, database, parameters, check }: SettingsRequest): Promise<Response> {
  return useJson(origin, bodyOptions(database()), async (size) => {
    await check()
    if (typeof size !== 'string') throw new DholeError('bad-data')
    await database().setWriteSizeLimit(size)
    return dressedReply(JSON.stringify(size), { print: parameters.print })
  })
}

/** Only an admin's body is read. */
function bodyOptions({ limits }: Database): BodyOptions {
  return { maxBytes: limits.maxWriteBytes, malformed: 'bad-data', isTrusted: true }
}
