import { DholeError } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
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
 * Passes the parameters of the query string, and of the body when that is a form, to `use`. The memory of the body stays
 * reserved until `use` has ended.
 * @throws `sms-bad-arguments` when something cannot be decoded, or a name has two values; what `use` throws
 * @see docs/reference/protocol.md#calls
 */
export async function useParameters<T>(
  exchange: Exchange,
  search: string,
  use: (parameters: SmsParameters) => Awaitable<T>,
): Promise<T> {
  const { request } = exchange
  const parameters = parametersOf(search)
  if (request.method === 'GET' || !isForm(request)) return await use(parameters)
  return await useSmsBody(exchange, MAX_FORM_BYTES, (body) => {
    addForm(body, parameters)
    return use(parameters)
  })
}

/** As `useParameters`, for parameters that are not needed any more once the answer is being made. */
export function readParameters(exchange: Exchange, search: string): Promise<SmsParameters> {
  return useParameters(exchange, search, (parameters) => parameters)
}

/**
 * Passes a body as text, empty when there is none, to `use`; its memory stays reserved until `use` has ended. A body is
 * part of the signature, so it is received before the client is known: compressed bodies, which could unpack to many times
 * their length, are refused.
 * @throws `sms-bad-arguments` when it is too long, compressed, or no UTF-8; what `use` throws
 */
export async function useSmsBody<T>(
  exchange: Exchange,
  maxBytes: number,
  use: (text: string) => Awaitable<T>,
): Promise<T> {
  const { request } = exchange
  const encoding = request.headers.get('content-encoding') ?? ''
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') {
    throw new DholeError('sms-bad-arguments', 'body: expected UTF-8 that is not compressed')
  }
  let isReceived = false
  const received = async (text: string) => {
    isReceived = true
    // To sign a long text takes long.
    if (text.length > LONG_BODY && loopTurn.isOver) await loopTurn.pause(true)
    return await use(text)
  }
  try {
    return await useText(exchange, { maxBytes, malformed: 'bad-data', isTrusted: false }, received)
  } catch (thrown) {
    if (isReceived || !(thrown instanceof DholeError) || thrown.code === 'too-busy') throw thrown
    if (thrown.code === 'no-data') return await use('')
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
