import { BadPacket } from './packets.ts'

/** How the packets of one request or reply are written one after another. */
export type PayloadForm = 'binary' | 'text'

/** Byte in front of a packet of text; the digits of its length follow, each as one byte. */
const TEXT = 0
/** Byte behind the digits. */
const LENGTH_END = 255
const COLON = ':'
/** Digits of the greatest length: more than any body has. */
const MOST_DIGITS = 10
/** Maximum packets of a payload: more than the listens of a session and what its client has written while offline. */
const MOST_PACKETS = 100_000

/**
 * The payload of packets. In text, each packet is its UTF-8 bytes, one character for each, which are then UTF-8 again;
 * lengths count bytes.
 * @see https://github.com/socketio/engine.io-protocol/tree/v3 section "Payload"
 */
export function payloadOf(packets: readonly string[], form: PayloadForm): Uint8Array<ArrayBuffer> {
  return form === 'binary'
    ? Buffer.concat(packets.flatMap((packet) => binaryParts(Buffer.from(packet))))
    : Buffer.from(textPayloadOf(packets))
}

/** As `payloadOf`, as the characters of the text form. */
export function textPayloadOf(packets: readonly string[]): string {
  return packets.map((packet) => textPart(Buffer.from(packet).toString('latin1'))).join('')
}

function textPart(bytes: string): string {
  return bytes.length + COLON + bytes
}

function binaryParts(bytes: Buffer): Buffer[] {
  const digits = [...String(bytes.byteLength)].map(Number)
  return [Buffer.from([TEXT, ...digits, LENGTH_END]), bytes]
}

/** The packets of a payload. @throws BadPacket */
export function* packetsIn(payload: Uint8Array): Generator<string, void> {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
  let at = 0
  for (let count = 0; at < bytes.byteLength; count++) {
    if (count >= MOST_PACKETS) throw new BadPacket('a payload has too many packets')
    if (bytes[at] !== TEXT) throw new BadPacket('packets are text')
    const digits: number[] = []
    for (at++; bytes[at] !== LENGTH_END; at++) {
      const digit = bytes[at]
      if (digit === undefined || digit > 9 || digits.length === MOST_DIGITS) throw badLength()
      digits.push(digit)
    }
    const start = at + 1
    at = start + lengthOf(digits.join(''))
    if (at > bytes.byteLength) throw badLength()
    yield bytes.toString('utf8', start, at)
  }
}

/** As `packetsIn`, for the characters of the text form. @throws BadPacket */
export function* packetsInText(payload: string): Generator<string, void> {
  let at = 0
  for (let count = 0; at < payload.length; count++) {
    if (count >= MOST_PACKETS) throw new BadPacket('a payload has too many packets')
    const colon = payload.slice(at, at + MOST_DIGITS + 1).indexOf(COLON)
    if (colon === -1) throw badLength()
    const start = at + colon + 1
    at = start + lengthOf(payload.slice(at, at + colon))
    if (at > payload.length) throw badLength()
    yield Buffer.from(payload.slice(start, at), 'latin1').toString('utf8')
  }
}

/** @throws BadPacket */
function lengthOf(digits: string): number {
  if (!/^[1-9]\d*$/.test(digits)) throw badLength()
  return Number(digits)
}

function badLength(): BadPacket {
  return new BadPacket('a payload has a wrong length')
}
