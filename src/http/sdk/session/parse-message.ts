import { inTurns } from '../../../scheduling/turns.ts'
import { writeBounds } from '../../../tree/json/json-shape.ts'
import { parseJsonInSteps } from '../../../tree/json/parse-json.ts'
import { LARGE_BODY_BYTES } from '../../../tree/limits.ts'

/** Action of a request that is too long. */
export const TOO_LONG = 'too_long'

/** A request of a client. */
export interface RequestMessage {
  readonly number: number
  readonly action: string
  readonly body: Readonly<Record<string, unknown>>
}

/** A control message of a client, by its type. */
export interface ControlMessage {
  readonly control: unknown
}

/**
 * Reads a message of a client. A long one takes several turns of the event loop.
 * @throws Error for what is no message of the protocol
 */
export async function parseMessage(text: string, maxBytes: number): Promise<RequestMessage | ControlMessage> {
  const message = objectOf(await parse(text, maxBytes))
  const data = objectOf(message['d'])
  if (message['t'] === 'c') return { control: data['t'] }
  if (message['t'] !== 'd') throw new SyntaxError('The type of the message is unknown')
  const { r: number, a: action, b: body = {} } = data
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw new SyntaxError('The request has no number')
  if (typeof action !== 'string') throw new SyntaxError('The request has no action')
  return { number, action, body: objectOf(body) }
}

/** The number of a request, where SDKs write it: before the action, or last. `undefined` for what is no request. */
export function numberIn(head: string, tail: string): number | undefined {
  const found = /^\{"t":"d","d":\{"r":(\d{1,15}),"/.exec(head) ?? /"r":(\d{1,15})\}(?:,"t":"d")?\}$/.exec(tail)
  return found?.[1] === undefined ? undefined : Number(found[1])
}

/** Stands for a request that is too long to be kept: it is answered with `too_big`. */
export function tooLongRequest(number: number): string {
  return JSON.stringify({ t: 'd', d: { r: number, a: TOO_LONG, b: {} } })
}

function parse(text: string, maxBytes: number): unknown {
  if (text.length * 3 <= LARGE_BODY_BYTES) return JSON.parse(text)
  return inTurns(parseJsonInSteps(new TextEncoder().encode(text), writeBounds(maxBytes)))
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SyntaxError('An object is expected')
  return value as Readonly<Record<string, unknown>>
}
