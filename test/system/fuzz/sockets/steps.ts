import fc from 'fast-check'
import { BINARY, CONTINUATION, frameOf, PING, TEXT } from '../../../support/raw-socket.ts'
import { anyMessage } from './messages.ts'

const SEGMENT = 16_384

/** What a client does on a WebSocket. */
export type SocketStep =
  | { readonly does: 'send'; readonly bytes: Uint8Array }
  | { readonly does: 'cut' }
  /** Comes back, perhaps with the id of its former session. */
  | { readonly does: 'return'; readonly isSame: boolean }

function segmentsOf(text: string): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / SEGMENT) }, (_, at) =>
    text.slice(at * SEGMENT, (at + 1) * SEGMENT),
  )
}

function textFrames(texts: readonly string[]): Uint8Array {
  return Buffer.concat(texts.map((text) => frameOf(TEXT, text)))
}

/** A message as it should be sent. */
function framesOf(message: string): Uint8Array {
  const segments = segmentsOf(message)
  return textFrames(segments.length > 1 ? [String(segments.length), ...segments] : segments)
}

/** A message whose number of segments is a lie, or which is cut off. */
const anyLie = fc
  .tuple(
    anyMessage,
    fc.oneof(
      fc.integer({ min: -1, max: 3 }).map(String),
      fc.constantFrom('0', '00', '1025', '16400', '99999', '999999', '1e3', '-1', '+2', ' 3', '0x2'),
    ),
    fc.nat(3),
  )
  .map(([message, announced, sent]) => textFrames([announced, ...segmentsOf(message).slice(0, sent)]))

/** Bytes that are hardly a frame. */
const anyBytes = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 20 }),
  anyMessage.map((message) => frameOf(BINARY, message)),
  anyMessage.map((message) => frameOf(TEXT, message, { isMasked: false })),
  anyMessage.map((message) => frameOf(TEXT, message, { isFinal: false })),
  anyMessage.map((message) => frameOf(CONTINUATION, message)),
  fc.constantFrom(0, 4, 125, 126).map((length) => frameOf(PING, 'x'.repeat(length))),
  fc.constant(frameOf(TEXT, Uint8Array.of(0xc3, 0x28))),
  // A length that does not come.
  fc.constant(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0x7b])),
)

const turns = {
  cut: { weight: 1, arbitrary: fc.constant({ does: 'cut' as const }) },
  back: { weight: 2, arbitrary: fc.record({ does: fc.constant('return' as const), isSame: fc.boolean() }) },
}
const sending = (bytes: fc.Arbitrary<Uint8Array>) => bytes.map((found): SocketStep => ({ does: 'send', bytes: found }))

/** A step of a client of Firebase's protocol. */
export const anySocketStep: fc.Arbitrary<SocketStep> = fc.oneof(
  { weight: 24, arbitrary: sending(anyMessage.map(framesOf)) },
  { weight: 2, arbitrary: sending(anyLie) },
  { weight: 2, arbitrary: sending(anyBytes) },
  { weight: 1, arbitrary: sending(anyMessage.map((message) => textFrames([message]))) },
  turns.cut,
  turns.back,
)

/** A packet of Engine.IO: mostly one with a message of Wilddog. */
const anyPacket: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: anyMessage.map((message) => `42["wd",${message}]`) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('2', '3', '6', '5', '2probe', '0', '1', '9', '', '4', '42', '42["x",1]', '42[]'),
  },
  { weight: 1, arbitrary: anyMessage.map((message) => `4${message}`) },
)

/** A step of a client of Wilddog's protocol. */
export const anyEngineStep: fc.Arbitrary<SocketStep> = fc.oneof(
  { weight: 24, arbitrary: sending(anyPacket.map((packet) => frameOf(TEXT, packet))) },
  { weight: 1, arbitrary: sending(anyBytes) },
  turns.cut,
  turns.back,
)

/** What a client asks by long polling. `lie` changes the id, the password or the numbers of segments. */
export interface PollStep {
  readonly message: string
  readonly lie: 'id' | 'password' | 'number' | 'count' | 'base64' | 'twice' | undefined
  /** Whether it waits for what it is told. */
  readonly isHeld: boolean
}

export const anyPollStep: fc.Arbitrary<PollStep> = fc.record({
  message: anyMessage,
  lie: fc.oneof(
    { weight: 12, arbitrary: fc.constant(undefined) },
    { weight: 6, arbitrary: fc.constantFrom('id', 'password', 'number', 'count', 'base64', 'twice') },
  ),
  isHeld: fc.boolean(),
})

/** The body of a POST of Engine.IO's long polling, and whether its id is a lie. */
export interface EnginePollStep {
  readonly body: string
  readonly isForeign: boolean
  readonly isHeld: boolean
}

export const anyEnginePollStep: fc.Arbitrary<EnginePollStep> = fc.record({
  body: fc
    .tuple(fc.array(anyPacket, { minLength: 1, maxLength: 3 }), fc.constantFrom(0, 0, 0, 0, 0, 0, -1, 1, 1e9))
    .map(([packets, more]) => packets.map((packet) => `${packet.length + more}:${packet}`).join('')),
  isForeign: fc.integer({ min: 0, max: 15 }).map((dice) => dice === 0),
  isHeld: fc.boolean(),
})
