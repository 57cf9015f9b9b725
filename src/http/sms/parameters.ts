import { DholeError } from '../../error.ts'
import { loopTurn } from '../../scheduling/loop-turn.ts'
import type { Exchange } from '../exchange.ts'
import { useText } from '../request/body.ts'

/** Decoded parameters of a call about text messages by name: all that were sent, because all are signed. */
export type SmsParameters = ReadonlyMap<string, string>

/** Longest body that is a form, in bytes. */
const MAX_FORM_BYTES = 1024 * 1024
/** Length from which a body is signed in the time for long work, in UTF-16 code units. */
const LONG_BODY = 16 * 1024
const FORM_TYPE = 'application/x-www-form-urlencoded'
const ESCAPED = /[%+]/
/** Far more than any call has; bounds the time to sort them for the signature. */
const MAX_PARAMETERS = 100
/** The same with empty ones, and with those that are sent again: bounds the time to read them. */
const MAX_MEMBERS = 1000
/** Longest part of a name that an error quotes. */
const LONGEST_SHOWN = 64

/**
 * Parameters of the query string, and of the body when that is a form.
 * @throws `sms-bad-arguments` when something cannot be decoded, or a name has two values
 * @see docs/reference/protocol.md#calls
 */
export async function readParameters(exchange: Exchange, search: string): Promise<SmsParameters> {
  const { request } = exchange
  const parameters = parametersOf(search)
  if (request.method === 'GET' || !isForm(request)) return parameters
  addForm(await readSmsBody(exchange, MAX_FORM_BYTES), parameters)
  return parameters
}

/** As `readParameters`, of the query string alone. */
export function parametersOf(search: string): Map<string, string> {
  const parameters = new Map<string, string>()
  addForm(search, parameters)
  return parameters
}

/** @throws `sms-bad-arguments` when there is another value of that name, or there are too many */
export function addParameter(parameters: Map<string, string>, name: string, value: string): void {
  const known = parameters.get(name)
  if (known !== undefined && known !== value) {
    throw new DholeError('sms-bad-arguments', `${name.slice(0, LONGEST_SHOWN)}: given twice, with two values`)
  }
  if (known === undefined && parameters.size === MAX_PARAMETERS) throw tooMany()
  parameters.set(name, value)
}

/**
 * A body as text, empty when there is none. It is part of the signature, so it is received before the client is known:
 * compressed bodies, which could unpack to many times their length, are refused.
 * @throws `sms-bad-arguments` when it is too long, compressed, or no UTF-8
 */
export async function readSmsBody(exchange: Exchange, maxBytes: number): Promise<string> {
  const { request } = exchange
  const encoding = request.headers.get('content-encoding') ?? ''
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') {
    throw new DholeError('sms-bad-arguments', 'body: expected UTF-8 that is not compressed')
  }
  try {
    const text = await useText(exchange, { maxBytes, malformed: 'bad-data', isTrusted: false }, async (body) => body)
    // To sign a long text takes long.
    if (text.length > LONG_BODY && loopTurn.isOver) await loopTurn.pause(true)
    return text
  } catch (thrown) {
    if (!(thrown instanceof DholeError)) throw thrown
    if (thrown.code === 'no-data') return ''
    if (thrown.code === 'too-busy') throw thrown
    throw new DholeError('sms-bad-arguments', `body: expected ${expectedOf(thrown, maxBytes)}`, { cause: thrown })
  }
}

function expectedOf({ code }: DholeError, maxBytes: number): string {
  if (code === 'write-too-big') return `at most ${maxBytes} bytes`
  return code === 'body-too-slow' ? 'it in time' : 'UTF-8'
}

/** Bodies without a type count as forms: some clients send none. */
function isForm({ headers }: Request): boolean {
  const type = headers.get('content-type') ?? FORM_TYPE
  return type.split(';', 1)[0]?.trim().toLowerCase() === FORM_TYPE
}

function addForm(text: string, parameters: Map<string, string>): void {
  let members = 0
  for (let start = 0; start < text.length; ) {
    if (++members > MAX_MEMBERS) throw tooMany()
    const ampersand = text.indexOf('&', start)
    const end = ampersand === -1 ? text.length : ampersand
    if (end > start) addMember(text.slice(start, end), parameters)
    start = end + 1
  }
}

function tooMany(): DholeError {
  return new DholeError('sms-bad-arguments', `Parameters: expected at most ${MAX_PARAMETERS}`)
}

function addMember(member: string, parameters: Map<string, string>): void {
  const equals = member.indexOf('=')
  if (equals === -1) addParameter(parameters, decode(member), '')
  else addParameter(parameters, decode(member.slice(0, equals)), decode(member.slice(equals + 1)))
}

/** Refuses malformed escapes: a lenient reading would have another signature than the client's. */
function decode(text: string): string {
  if (!ESCAPED.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw new DholeError('sms-bad-arguments', 'Parameters: expected UTF-8, escaped as in forms', { cause })
  }
}
