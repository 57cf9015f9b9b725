/** Types of packets of Engine.IO 3: the first character of a packet. */
const OPEN = '0'
export const CLOSE = '1'
export const PING = '2'
export const PONG = '3'
export const MESSAGE = '4'
export const UPGRADE = '5'
export const NOOP = '6'

/** What a client sends to try a WebSocket, and what it is answered. */
export const PROBE = `${PING}probe`
export const PROBED = `${PONG}probe`

/** An event of SDKs: what is in front of the message, and behind it. */
const EVENT_HEAD = '2["wd",'
const EVENT_TAIL = ']'
/** First characters of what clients send beside events. */
const NO_EVENT = /^[01]/

/** A packet with a message of the protocol. */
export function packetOf(message: string): string {
  return MESSAGE + EVENT_HEAD + message + EVENT_TAIL
}

/**
 * The message in a packet, without its first character.
 * @returns `undefined` if there is none @throws BadPacket
 */
export function messageIn(data: string): string | undefined {
  if (data.startsWith(EVENT_HEAD) && data.endsWith(EVENT_TAIL)) {
    return data.slice(EVENT_HEAD.length, -EVENT_TAIL.length)
  }
  if (NO_EVENT.test(data)) return undefined
  throw new BadPacket('a packet has no event')
}

/** The first packet of a connection. */
export function openPacket(id: string, upgrades: readonly string[]): string {
  return OPEN + JSON.stringify({ sid: id, upgrades, pingInterval: PING_MS, pingTimeout: PING_TIMEOUT_MS })
}

/** Time after which a client asks whether the server is there, in milliseconds, and time that it then waits. */
export const PING_MS = 25_000
const PING_TIMEOUT_MS = 60_000
/**
 * Time in which a client may be silent on a WebSocket, in milliseconds. A message is one frame, and its client answers no
 * ping while it sends it. Clients themselves give up a connection after this time.
 */
export const SILENCE_MS = PING_MS + PING_TIMEOUT_MS

/** What is no packet of Engine.IO: the connection cannot be understood any more. */
export class BadPacket extends Error {}
