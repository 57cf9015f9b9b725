import type { Application } from '../service/applications.ts'
import type { Database } from '../service/database.ts'
import { DholeError } from '../tree/error.ts'
import { readJson, readText } from './body.ts'
import { callerOf, type Origin } from './caller.ts'
import { methodOf } from './method.ts'
import { checkSettingsParameters, type RawParameters, type SettingsParameters } from './parameters.ts'
import { dressedReply } from './reply.ts'

const PREFIX = '/.settings/'
const RULES = '/.settings/rules.json'
const WRITE_SIZE = '/.settings/defaultWriteSizeLimit.json'
const DONE = '{"status":"ok"}'

/** A request of the owner. */
interface SettingsRequest {
  readonly origin: Origin
  readonly database: Database
  readonly parameters: SettingsParameters
  /** Throws unless it is one still: a body may take its time, and the credential may end meanwhile. */
  readonly check: () => Promise<void>
}

export function isSettings(rawPath: string): boolean {
  return rawPath.startsWith(PREFIX)
}

/**
 * Answers a request to the rules, or to the default of `writeSizeLimit`. Only the owner makes one.
 * @throws `bad-path` for anything else, `method-not-allowed`, `bad-parameter`, `permission-denied`, `bad-rules`,
 * `rule-wildcards`, and as `Gate.identify`
 * @see docs/protocol.md#rules
 */
export async function answerSettings(
  rawPath: string,
  raw: RawParameters,
  { gate, database }: Application,
  origin: Origin,
): Promise<Response> {
  if (rawPath !== RULES && rawPath !== WRITE_SIZE) throw new DholeError('bad-path')
  const method = methodOf(origin.request, raw)
  if (method !== 'GET' && method !== 'PUT') throw new DholeError('method-not-allowed')
  const parameters = checkSettingsParameters(raw)
  const check = async () => {
    const caller = await callerOf(gate, origin, raw.values)
    if (caller.kind !== 'admin') throw new DholeError('permission-denied')
  }
  await check()
  const request: SettingsRequest = { origin, database, parameters, check }
  if (rawPath === RULES) return method === 'GET' ? readRules(request) : writeRules(request)
  return method === 'GET' ? readWriteSize(request) : writeWriteSize(request)
}

function readRules({ database, parameters }: SettingsRequest): Response {
  // The source is not ours to print: comments belong to it.
  return dressedReply(parameters.format === 'strict' ? database.strictRules : database.rules, {})
}

async function writeRules({ origin, database, parameters, check }: SettingsRequest): Promise<Response> {
  const source = await readText(origin, database.limits.maxWriteBytes, 'bad-data')
  await check()
  if (parameters.dryRun === 'true') database.checkRules(source)
  else await database.setRules(source)
  return dressedReply(DONE, { print: parameters.print })
}

function readWriteSize({ database, parameters }: SettingsRequest): Response {
  return dressedReply(JSON.stringify(database.writeSizeLimit), { print: parameters.print })
}

async function writeWriteSize({ origin, database, parameters, check }: SettingsRequest): Promise<Response> {
  const size = await readJson(origin, database.limits.maxWriteBytes, 'bad-data')
  await check()
  if (typeof size !== 'string') throw new DholeError('bad-data')
  await database.setWriteSizeLimit(size)
  return dressedReply(JSON.stringify(size), { print: parameters.print })
}
