import type { Steps } from '../../../scheduling/steps.ts'
import { BadPacket } from './packets.ts'

/**
 * How the packets of one request or reply are written one after another: each with its length in bytes, and its UTF-8.
 * In `text` each of these bytes is a character, which is UTF-8 again; in `script` these characters are part of a string.
 * @see https://github.com/socketio/engine.io-protocol/tree/v3 section "Payload"
 */
export type PayloadForm = 'binary' | 'text' | 'script'

/** Byte in front of a packet of text; the digits of its length follow, each as one byte. */
const TEXT = 0
/** Byte behind the digits. */
const LENGTH_END = 255
const COLON = 0x3a
const DIGIT_0 = 0x30
/** Digits of the greatest length: more than any body has. */
const MOST_DIGITS = 10
/** Maximum packets of a payload: more than the listens of a session and what its client has written while offline. */
const MOST_PACKETS = 100_000
/** Characters, or bytes, of one step. */
const STEP_LENGTH = 64 * 1024

/** The payload of packets. */
export function* payloadInSteps(packets: readonly string[], form: PayloadForm): Steps<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (const packet of packets) {
    const pieces: Buffer<ArrayBuffer>[] = []
    let length = 0
    for (const piece of piecesOf(packet)) {
      const bytes = Buffer.from(piece)
      pieces.push(bytes)
      length += bytes.byteLength
      yield
    }
    for (const bytes of [headOf(length, form), ...pieces]) {
      parts.push(written(bytes, form))
      yield
    }
  }
  return Buffer.concat(parts)
}

/** Pieces of a text. None ends between the halves of a character. */
function* piecesOf(text: string): Generator<string, void> {
  for (let start = 0; start < text.length; ) {
    const end = start + STEP_LENGTH
    const last = text.charCodeAt(end - 1)
    const isWithin = end < text.length && last >= 0xd800 && last <= 0xdbff
    yield text.slice(start, isWithin ? end - 1 : end)
    start = isWithin ? end - 1 : end
  }
}

function headOf(length: number, form: PayloadForm): Buffer<ArrayBuffer> {
  const digits = String(length)
  return form === 'binary' ? Buffer.from([TEXT, ...[...digits].map(Number), LENGTH_END]) : Buffer.from(`${digits}:`)
}

function written(bytes: Buffer<ArrayBuffer>, form: PayloadForm): Uint8Array<ArrayBuffer> {
  if (form === 'binary') return bytes
  const text = bytes.toString('latin1')
  return Buffer.from(form === 'text' ? text : JSON.stringify(text).slice(1, -1).replaceAll('<', '\\u003c'))
}

/** The bytes of a payload that has come as text. */
export function* bytesOfText(payload: Uint8Array): Steps<Uint8Array> {
  const bytes = bufferOf(payload)
  const parts: Buffer[] = []
  for (let start = 0; start < bytes.byteLength; ) {
    const cut = start + STEP_LENGTH
    // Not between the two bytes of a character.
    const end = (bytes[cut] ?? 0) >> 6 === 0b10 ? cut + 1 : cut
    parts.push(Buffer.from(bytes.toString('utf8', start, end), 'latin1'))
    start = end
    yield
  }
  return Buffer.concat(parts)
}

/** The packets in the bytes of a payload. @throws BadPacket */
export function* packetsIn(payload: Uint8Array, isBinary: boolean): Generator<string, void> {
  const bytes = bufferOf(payload)
  const [end, zero] = isBinary ? [LENGTH_END, 0] : [COLON, DIGIT_0]
  let at = 0
  for (let count = 0; at < bytes.byteLength; count++) {
    if (count >= MOST_PACKETS) throw new BadPacket('a payload has too many packets')
    if (isBinary && bytes[at++] !== TEXT) throw new BadPacket('packets are text')
    const first = at
    let length = 0
    for (; bytes[at] !== end; at++) {
      const digit = (bytes[at] ?? Number.NaN) - zero
      if (!(digit >= 0 && digit <= 9) || at - first === MOST_DIGITS) throw badLength()
      length = length * 10 + digit
    }
    const start = at + 1
    at = start + length
    if (length === 0 || at > bytes.byteLength) throw badLength()
    yield bytes.toString('utf8', start, at)
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function badLength(): BadPacket {
  return new BadPacket('a payload has a wrong length')
}
