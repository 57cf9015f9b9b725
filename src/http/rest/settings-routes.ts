import type { Caller } from '../../auth/caller.ts'
import { checkKeys } from '../../database/access/access.ts'
import { readInTurns } from '../../database/access/rule-cache.ts'
import { DholeError } from '../../error.ts'
import type { Answer, Exchange } from '../exchange.ts'
import { type BodyOptions, useJson, useText } from '../request/body.ts'
import { authenticate } from '../request/caller.ts'
import { methodOf } from '../request/headers.ts'
import { formatReply } from '../response/reply.ts'
import { checkSettingsParameters, type SettingsParameters } from '../url/parameters.ts'

const UNKNOWN = 'Unknown setting: there are /.settings/rules.json and /.settings/defaultWriteSizeLimit.json'
/** Longest part of a `uid` in the history of the rules. */
const LONGEST_UID = 64
const DONE = '{"status":"ok"}'

type SettingAnswer = (exchange: Exchange, parameters: SettingsParameters) => Response | Promise<Response>

/** Reads or replaces the rules. @see docs/reference/protocol.md#rules */
export const answerRules = settingOf(readRules, writeRules)

/** Reads or sets the default of `writeSizeLimit`. */
export const answerWriteSize = settingOf(readWriteSize, writeWriteSize)

/** @throws `bad-path` */
export function refuseSetting(): never {
  throw new DholeError('bad-path', UNKNOWN)
}

/**
 * Lets administrators read or write a setting.
 * @throws `method-not-allowed`, `bad-parameter`, `permission-denied`, `bad-rules`, `rule-wildcards`, and as
 * `Authenticator.authenticate`
 */
function settingOf(read: SettingAnswer, write: SettingAnswer): Answer {
  return async (exchange) => {
    const method = methodOf(exchange)
    if (method !== 'GET' && method !== 'PUT') throw new DholeError('method-not-allowed')
    const parameters = checkSettingsParameters(exchange.target.raw)
    await checkAdmin(exchange)
    await exchange.application.database.fresh()
    checkKeys(exchange)
    return method === 'GET' ? read(exchange, parameters) : write(exchange, parameters)
  }
}

/** Checked again after the body was received: the credential may have ended meanwhile. */
async function checkAdmin(exchange: Exchange): Promise<Caller> {
  const caller = await authenticate(exchange, exchange.target.raw.values)
  if (caller.kind !== 'admin') throw new DholeError('permission-denied')
  return caller
}

function readRules(exchange: Exchange, { format }: SettingsParameters): Response {
  const { database } = exchange.application
  // `print` is ignored: comments and layout belong to the source.
  return formatReply(exchange, format === 'strict' ? database.administration.strictRules : database.rules, {})
}

function writeRules(exchange: Exchange, { dryRun, print }: SettingsParameters): Promise<Response> {
  return useText(exchange, bodyOptions(exchange), async (source) => {
    const caller = await checkAdmin(exchange)
    const { database } = exchange.application
    if (dryRun === 'true') await readInTurns(source)
    else await database.setRules(source, nameOf(caller), undefined, exchange)
    return formatReply(exchange, DONE, { print })
  })
}

function readWriteSize(exchange: Exchange, { print }: SettingsParameters): Response {
  return formatReply(exchange, JSON.stringify(exchange.application.database.writeSizeLimit), { print })
}

function writeWriteSize(exchange: Exchange, { print }: SettingsParameters): Promise<Response> {
  return useJson(exchange, bodyOptions(exchange), async (size) => {
    await checkAdmin(exchange)
    if (typeof size !== 'string') throw new DholeError('bad-data')
    await exchange.application.database.setWriteSizeLimit(size)
    return formatReply(exchange, JSON.stringify(size), { print })
  })
}

/** How the history of the rules names who has set them. */
function nameOf({ auth }: Caller): string {
  const uid = auth?.['uid']
  return typeof uid === 'string' ? `REST ${uid.slice(0, LONGEST_UID)}` : 'REST'
}

/** Only bodies of administrators are read. */
function bodyOptions({ application }: Exchange): BodyOptions {
  return { maxBytes: application.database.limits.maxWriteBytes, malformed: 'bad-data', isTrusted: true }
}
