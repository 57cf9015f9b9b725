import type { Application } from '../../applications/application.ts'
import { DholeError } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { inTurns } from '../../scheduling/turns.ts'
import { okText } from '../../sms/format/ok-text.ts'
import { parsePush } from '../../sms/format/push.ts'
import type { Messages } from '../../sms/messages.ts'
import type { Report } from '../../sms/model/report.ts'
import type { Origin } from '../request/caller.ts'
import { parseBody } from '../request/parse-body.ts'
import { jsonReply } from '../response/reply.ts'
import { checkSignature, checkSigned, checkTimestamp, given, required, signatureIn } from './checks.ts'
import { handOver } from './confirmed-delivery.ts'
import { checkReporter, parseDelivery } from './delivery-receipt.ts'
import { addParameter, parametersOf, readParameters, readSmsBody, type SmsParameters } from './parameters.ts'
import { parseBatch } from './record.ts'

/**
 * A call about text messages whose application is known. While a body is awaited that may be closed: what is of it is
 * another object afterwards.
 */
export interface SmsRequest extends Origin {
  /** Query string as sent. */
  readonly search: string
  readonly application: Application
  readonly messages: Messages
  /** Hears of what goes wrong once the answer has begun. */
  readonly onFailed: (error: unknown) => void
}

/** One call: which methods it has, and what it answers. */
interface SmsCall {
  readonly methods: readonly string[]
  readonly answer: (request: SmsRequest) => Awaitable<Response>
}

/** Longest body of reports, in bytes. */
const MAX_REPORT_BYTES = 4 * 1024 * 1024
const NOTHING = okText('[]')
/** All that the alias of the batch query may have. */
const SEND_PARAMETERS: ReadonlySet<string> = new Set(['timestamp', 'signature'])
const NO_SENDING = 'Sending is not offered here: record what other software has sent with batch/record'

const GET_OR_POST = ['GET', 'POST']
const POST = ['POST']

const CALLS: ReadonlyMap<string, SmsCall> = new Map<string, SmsCall>([
  ['v2/status', { methods: GET_OR_POST, answer: statuses }],
  ['v2/send', { methods: POST, answer: statusesBySend }],
  ['v1/status', { methods: GET_OR_POST, answer: batch }],
  ['v1/send', { methods: POST, answer: batchBySend }],
  ['v1/batch/record', { methods: POST, answer: record }],
  ['v1/report', { methods: POST, answer: report }],
  ['v1/dlr', { methods: GET_OR_POST, answer: delivery }],
])

/** Calls of Wilddog that send. */
const SENDING: ReadonlySet<string> = new Set(['v1/notify/send', 'v1/code/send'])

/**
 * Answers a call.
 * @param name version and what follows the application, such as `v1/status`
 * @throws `sms-not-offered`, `method-not-allowed` and what goes wrong with the call
 * @see docs/reference/protocol.md#calls
 */
export function answerCall(name: string, request: SmsRequest): Awaitable<Response> {
  const call = CALLS.get(name)
  if (call === undefined) throw new DholeError('sms-not-offered', SENDING.has(name) ? NO_SENDING : undefined)
  if (!call.methods.includes(request.request.method)) throw new DholeError('method-not-allowed')
  return call.answer(request)
}

function statuses(call: SmsRequest): Awaitable<Response> {
  return withParameters(call, (parameters) => hand(call, parameters))
}

function statusesBySend(call: SmsRequest): Awaitable<Response> {
  return withParameters(call, (parameters) => {
    signatureIn(parameters)
    required(parameters, 'timestamp')
    const other = parameters.keys().find((name) => !SEND_PARAMETERS.has(name))
    if (other !== undefined) throw new DholeError('sms-bad-arguments', NO_SENDING)
    return hand(call, parameters)
  })
}

/** Final states that nobody has been given yet. */
async function hand(call: SmsRequest, parameters: SmsParameters): Promise<Response> {
  const { messages, application, limits } = call
  checkSigned(parameters, messages, Date.now(), 'timestamp')
  messages.admit()
  const lease = await limits.inSilence(call, messages.lease())
  return lease.count === 0 ? jsonReply(NOTHING) : handOver(lease, call, ending(call, application.hold()))
}

function ending({ onFailed }: SmsRequest, release: () => void): (failure?: unknown) => void {
  return (failure) => {
    release()
    if (failure !== undefined) onFailed(failure)
  }
}

function batch(call: SmsRequest): Awaitable<Response> {
  return withParameters(call, (parameters) => batchOf(call, parameters))
}

function batchBySend(call: SmsRequest): Awaitable<Response> {
  return withParameters(call, (parameters) => {
    signatureIn(parameters)
    if (given(parameters, 'rrid') === undefined)
      throw new DholeError('sms-bad-arguments', `rrid: missing. ${NO_SENDING}`)
    return batchOf(call, parameters)
  })
}

/** Every message of a batch. */
function batchOf(call: SmsRequest, parameters: SmsParameters): Awaitable<Response> {
  const { messages, limits } = call
  const signature = signatureIn(parameters)
  const rrid = required(parameters, 'rrid')
  const timestamp = given(parameters, 'timestamp')
  if (timestamp !== undefined) checkTimestamp(timestamp, Date.now())
  checkSignature(signature, parameters, messages.key, 'rrid')
  const found = messages.batch(rrid)
  if (!(found instanceof Promise)) return jsonReply(found)
  return limits.inSilence(call, found).then(jsonReply)
}

/** Takes in what other software has sent. */
function record(call: SmsRequest): Awaitable<Response> {
  return withParameters(call, async (parameters) => {
    const { messages, limits } = call
    checkSigned(parameters, messages, Date.now())
    const sent = parseBatch(parameters, (text) => messages.isMobile(text))
    const rrid = await limits.inSilence(call, messages.record(sent))
    return okReply(JSON.stringify({ rrid }))
  })
}

/** Takes in what carriers say, many at once. The body is signed, and only read for whoever may be the owner. */
async function report(call: SmsRequest): Promise<Response> {
  const parameters = parametersOf(call.search)
  const signature = signatureIn(parameters)
  checkTimestamp(required(parameters, 'timestamp'), Date.now())
  const body = await readSmsBody(call, MAX_REPORT_BYTES)
  addParameter(parameters, 'body', body)
  const { messages } = call
  checkSignature(signature, parameters, messages.key)
  return takeIn(call, await inTurns(parsePush(await parseReports(body), messages.time)))
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

/** Takes in what a gateway says of one message. */
function delivery(call: SmsRequest): Awaitable<Response> {
  return withParameters(call, (parameters) => {
    const now = Date.now()
    checkReporter(parameters, call.messages, now)
    return takeIn(call, [parseDelivery(parameters, call.messages.time, now)])
  })
}

async function takeIn(call: SmsRequest, reports: readonly Report[]): Promise<Response> {
  const { accepted, ignored } = await call.limits.inSilence(call, call.messages.report(reports))
  return okReply(JSON.stringify({ accepted, ignored }))
}

/** Without a body to read, at once: the query of a batch is asked over and over. */
function withParameters(
  call: SmsRequest,
  use: (parameters: SmsParameters) => Awaitable<Response>,
): Awaitable<Response> {
  const { request, search } = call
  return request.method === 'GET' ? use(parametersOf(search)) : readParameters(call, search).then(use)
}

/** @param json value of the member `data` */
function okReply(json: string): Response {
  return jsonReply(okText(json))
}
