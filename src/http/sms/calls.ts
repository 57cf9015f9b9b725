import { DholeError } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { inTurns } from '../../scheduling/turns.ts'
import { addParameter, parametersOf, type SmsParameters } from '../../sms/format/call-parameters.ts'
import { okText } from '../../sms/format/ok-text.ts'
import { parsePush } from '../../sms/format/push.ts'
import type { Messages } from '../../sms/messages.ts'
import type { Lease } from '../../sms/model/lease.ts'
import type { Report } from '../../sms/model/report.ts'
import type { Exchange } from '../exchange.ts'
import { parseBody } from '../request/parse-body.ts'
import { jsonReply } from '../response/reply.ts'
import { checkSignature, checkSigned, checkTimestamp, given, required, signatureIn } from './checks.ts'
import { deliver } from './confirmed-delivery.ts'
import { checkReporter, parseDelivery } from './delivery-receipt.ts'
import { readParameters, useParameters, useSmsBody } from './parameters.ts'
import { parseBatch } from './record.ts'

/** Longest body of reports, in bytes. */
const MAX_REPORT_BYTES = 4 * 1024 * 1024
const NOTHING = okText('[]')
/** The only parameters of the alias of the status query. */
const SEND_PARAMETERS: ReadonlySet<string> = new Set(['timestamp', 'signature'])
const NO_SENDING = 'Sending is not offered here: record what other software has sent with batch/record'

/** Wilddog's calls that send messages. */
const SENDING = /^\/api\/v1\/[^/]*\/(notify|code)\/send$/

/** @throws `sms-not-offered` */
export function refuseCall({ target }: Exchange): never {
  throw new DholeError('sms-not-offered', SENDING.test(target.rawPath) ? NO_SENDING : undefined)
}

/** Hands out final states. @see docs/reference/protocol.md#calls */
export function statuses(exchange: Exchange): Awaitable<Response> {
  return withParameters(exchange, (parameters) => deliverStates(exchange, parameters))
}

/** Alias of `statuses` for clients of the call that sends. */
export function statusesBySend(exchange: Exchange): Awaitable<Response> {
  return withParameters(exchange, (parameters) => {
    signatureIn(parameters)
    required(parameters, 'timestamp')
    const other = parameters.keys().find((name) => !SEND_PARAMETERS.has(name))
    if (other !== undefined) throw new DholeError('sms-bad-arguments', NO_SENDING)
    return deliverStates(exchange, parameters)
  })
}

/** Final states that were not delivered yet. */
async function deliverStates(exchange: Exchange, parameters: SmsParameters): Promise<Response> {
  const { application, limits } = exchange
  const { messages } = exchange.application
  checkSigned(parameters, messages, Date.now(), 'timestamp')
  const lease = await limits.withoutIdleTimeout(exchange, leaseFrom(messages))
  return lease.count === 0
    ? jsonReply(exchange, NOTHING)
    : deliver(lease, exchange, ending(exchange, application.hold()))
}

async function leaseFrom(messages: Messages): Promise<Lease> {
  await messages.admit()
  return await messages.lease()
}

function ending(exchange: Exchange, release: () => void): (failure?: unknown) => void {
  return (failure) => {
    release()
    if (failure !== undefined) exchange.reportFailure(failure)
  }
}

/** Answers with all messages of a batch. */
export function batch(exchange: Exchange): Awaitable<Response> {
  return withParameters(exchange, (parameters) => batchOf(exchange, parameters))
}

/** Alias of `batch` for clients of the call that sends. */
export function batchBySend(exchange: Exchange): Awaitable<Response> {
  return withParameters(exchange, (parameters) => {
    signatureIn(parameters)
    if (given(parameters, 'rrid') === undefined)
      throw new DholeError('sms-bad-arguments', `rrid: missing. ${NO_SENDING}`)
    return batchOf(exchange, parameters)
  })
}

function batchOf(exchange: Exchange, parameters: SmsParameters): Awaitable<Response> {
  const { messages } = exchange.application
  const signature = signatureIn(parameters)
  const rrid = required(parameters, 'rrid')
  const timestamp = given(parameters, 'timestamp')
  if (timestamp !== undefined) checkTimestamp(timestamp, Date.now())
  checkSignature(signature, parameters, messages.key, 'rrid')
  const found = messages.batch(rrid)
  if (!(found instanceof Promise)) return jsonReply(exchange, found)
  return exchange.limits.withoutIdleTimeout(exchange, found).then((text) => jsonReply(exchange, text))
}

/** Records messages that other software has sent. */
export function record(exchange: Exchange): Promise<Response> {
  return useParameters(exchange, exchange.target.search, async (parameters) => {
    const { limits } = exchange
    const { messages } = exchange.application
    checkSigned(parameters, messages, Date.now())
    const sent = parseBatch(parameters, (text) => messages.isMobile(text))
    const rrid = await limits.withoutIdleTimeout(exchange, messages.record(sent))
    return okReply(exchange, JSON.stringify({ rrid }))
  })
}

/** Records reports of carriers, many at once. The body is part of the signature, so it is read before that is checked. */
export async function report(exchange: Exchange): Promise<Response> {
  const parameters = parametersOf(exchange.target.search)
  const signature = signatureIn(parameters)
  checkTimestamp(required(parameters, 'timestamp'), Date.now())
  return await useSmsBody(exchange, MAX_REPORT_BYTES, async (body) => {
    addParameter(parameters, 'body', body)
    const { messages } = exchange.application
    checkSignature(signature, parameters, messages.key)
    return recordReports(exchange, await inTurns(parsePush(await parseReports(body), messages.time)))
  })
}

async function parseReports(body: string): Promise<unknown> {
  try {
    return await parseBody(Buffer.from(body), MAX_REPORT_BYTES, 'bad-data')
  } catch (cause) {
    const isJson = cause instanceof DholeError && cause.code !== 'bad-data'
    const hint = isJson ? 'body: expected fewer values and levels' : 'body: expected JSON'
    throw new DholeError('sms-bad-arguments', hint, { cause })
  }
}

/** Records the report of a gateway about one message. */
export function delivery(exchange: Exchange): Promise<Response> {
  return useParameters(exchange, exchange.target.search, (parameters) => {
    const now = Date.now()
    const { messages } = exchange.application
    checkReporter(parameters, messages, now)
    return recordReports(exchange, [parseDelivery(parameters, messages.time, now)])
  })
}

async function recordReports(exchange: Exchange, reports: readonly Report[]): Promise<Response> {
  const { accepted, ignored } = await exchange.limits.withoutIdleTimeout(
    exchange,
    exchange.application.messages.report(reports),
  )
  return okReply(exchange, JSON.stringify({ accepted, ignored }))
}

/** Synchronous without a body: clients poll the query of a batch. */
function withParameters(
  exchange: Exchange,
  use: (parameters: SmsParameters) => Awaitable<Response>,
): Awaitable<Response> {
  const { search } = exchange.target
  return exchange.method === 'GET' ? use(parametersOf(search)) : readParameters(exchange, search).then(use)
}

/** @param json value of the member `data` */
function okReply(exchange: Exchange, json: string): Response {
  return jsonReply(exchange, okText(json))
}
