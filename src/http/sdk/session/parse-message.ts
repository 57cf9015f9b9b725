import { DholeError } from '../../../error.ts'
import type { Awaitable } from '../../../scheduling/awaitable.ts'
import type { Steps } from '../../../scheduling/steps.ts'
import { runInTurns } from '../../../scheduling/turns.ts'
import { LARGE_BODY_BYTES } from '../../../tree/limits.ts'
import { type Path, parsePath } from '../../../tree/path.ts'
import { parseLongJson } from '../../request/parse-long-json.ts'
import { Encoding } from '../../response/encoding.ts'

/** Action that stands for a request that is refused as it is. */
export const REFUSED = 'refused'

/** A request of a client. */
export interface RequestMessage {
  readonly number: number
  readonly action: string
  readonly body: Readonly<Record<string, unknown>>
}

/** A control message of a client, by its type. */
interface ControlMessage {
  readonly control: unknown
}

export type Message = RequestMessage | ControlMessage

/**
 * Reads a message of a client. A long one takes several turns of the event loop.
 * @throws Error for what is no message of the protocol, now or later
 */
export function parseMessage(text: string, maxBytes: number): Awaitable<Message> {
  if (text.length * 3 <= LARGE_BODY_BYTES) return messageOf(JSON.parse(text))
  return runInTurns(utf8InSteps(text))
    .then((bytes) => parseLongJson(bytes, maxBytes))
    .then(messageOf)
}

/** The UTF-8 of a long text. The fresh memory that it takes is filled in steps. */
function* utf8InSteps(text: string): Steps<Uint8Array> {
  const bytes = new Uint8Array(Buffer.byteLength(text))
  const encoding = new Encoding([text])
  for (let length = 0; !encoding.isDone; yield) {
    const block = encoding.next()
    bytes.set(block, length)
    length += block.byteLength
  }
  return bytes
}

function messageOf(json: unknown): Message {
  const message = objectOf(json)
  const data = objectOf(message['d'])
  if (message['t'] === 'c') return { control: data['t'] }
  if (message['t'] !== 'd') throw new SyntaxError('The type of the message is unknown')
  const { r: number, a: action, b: body = {} } = data
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw new SyntaxError('The request has no number')
  if (typeof action !== 'string') throw new SyntaxError('The request has no action')
  return { number, action, body: objectOf(body) }
}

/**
 * The number of a request, which SDKs write beside the action, in any order: in front of the body or behind it. `undefined`
 * for what is no request.
 */
export function numberIn(head: string, tail: string): number | undefined {
  const found =
    /^\{(?:"t":"d",)?"d":\{(?:"a":"\w{1,10}",)?"r":(\d{1,15}),"/.exec(head) ??
    /"r":(\d{1,15})(?:,"a":"\w{1,10}")?\}(?:,"t":"d")?\}$/.exec(tail)
  return found?.[1] === undefined ? undefined : Number(found[1])
}

/** Text that stands for a request that is too long to be kept. */
export function tooLongRequest(number: number): string {
  return JSON.stringify({ t: 'd', d: { r: number, a: REFUSED, b: {} } })
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SyntaxError('An object is expected')
  return value as Readonly<Record<string, unknown>>
}

/** Whether it is a set or a merge. */
export function isWrite({ action }: RequestMessage): boolean {
  return action === 'p' || action === 'm'
}

/** @throws `bad-path` */
export function pathOf(body: RequestMessage['body']): Path {
  const path = body['p']
  if (typeof path !== 'string') throw new DholeError('bad-path')
  return parsePath(path)
}

/** @throws `no-data` */
export function dataOf(body: RequestMessage['body']): unknown {
  if (!Object.hasOwn(body, 'd')) throw new DholeError('no-data')
  return body['d']
}
