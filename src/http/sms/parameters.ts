import { DholeError } from '../../error.ts'
import { loopTurn } from '../../scheduling/loop-turn.ts'
import { addForm, parametersOf, type SmsParameters } from '../../sms/format/call-parameters.ts'
import type { Exchange } from '../exchange.ts'
import { useText } from '../request/body.ts'

/** Longest body that is a form, in bytes. */
const MAX_FORM_BYTES = 1024 * 1024
/** Length from which a body is signed in the time for long work, in UTF-16 code units. */
const LONG_BODY = 16 * 1024
const FORM_TYPE = 'application/x-www-form-urlencoded'

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
