import { inTurns } from '../../../scheduling/turns.ts'
import { writeBounds } from '../../../tree/json/json-shape.ts'
import { parseJsonInSteps } from '../../../tree/json/parse-json.ts'
import { LARGE_BODY_BYTES } from '../../../tree/limits.ts'

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

function parse(text: string, maxBytes: number): unknown {
  if (text.length * 3 <= LARGE_BODY_BYTES) return JSON.parse(text)
  return inTurns(parseJsonInSteps(new TextEncoder().encode(text), writeBounds(maxBytes)))
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SyntaxError('An object is expected')
  return value as Readonly<Record<string, unknown>>
}
