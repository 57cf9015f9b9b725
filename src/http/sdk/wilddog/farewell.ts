import { DholeError } from '../../../error.ts'
import { control } from '../session/messages.ts'
import { CLOSE, openPacket, packetOf } from './packets.ts'

const GOING_AWAY = 1001

/** The last message to a client that names no application; `undefined` for other errors. */
export function farewellOf(error: unknown): string | undefined {
  if (!(error instanceof DholeError) || (error.code !== 'app-unknown' && error.code !== 'app-not-named'))
    return undefined
  return `${error.message}: its name is the first label of the host in the URL`
}

/** All packets of a connection without a session. SDKs 2 then connect no more; 0.7 only prints the text. */
export function farewellPackets(text: string): readonly string[] {
  const printed = JSON.stringify({ t: 'd', d: { a: 'sd', b: { msg: text } } })
  return [openPacket(crypto.randomUUID(), []), packetOf(printed), packetOf(control('s', text)), CLOSE]
}

/** A WebSocket without a session. */
export class FarewellEngineSocket {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  open(socket: { sendText(text: string): number; close(code: number): void }): void {
    for (const packet of farewellPackets(this.#text)) if (packet !== CLOSE) socket.sendText(packet)
    socket.close(GOING_AWAY)
  }
}
