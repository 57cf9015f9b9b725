import type { Answer, HttpsClient } from '../../support/https-server.ts'

const BASE = '/.ws/?v=1.0&cv=0.7.2&EIO=3&transport=polling'

/** A client of Engine.IO that polls in the text form, and sends what it is told. */
export class EnginePollingClient {
  readonly #server: Pick<HttpsClient, 'call'>
  readonly id: string

  private constructor(server: Pick<HttpsClient, 'call'>, id: string) {
    this.#server = server
    this.id = id
  }

  /** Opens a connection. */
  static async open(server: Pick<HttpsClient, 'call'>): Promise<EnginePollingClient> {
    const { text } = await server.call('GET', `${BASE}&b64=1`)
    const [packet = ''] = packetsOf(text)
    return new EnginePollingClient(server, JSON.parse(packet.slice(1)).sid)
  }

  poll(parameters = '&b64=1'): Promise<Answer> {
    return this.#server.call('GET', `${BASE}&sid=${this.id}${parameters}`)
  }

  post(body: string | Uint8Array<ArrayBuffer>, type = 'text/plain;charset=UTF-8', parameters = ''): Promise<Answer> {
    const headers = { 'Content-Type': type }
    return this.#server.call('POST', `${BASE}&sid=${this.id}${parameters}`, { body, headers })
  }

  /** Sends a request of the protocol. */
  request(number: number, action: string, body: unknown): Promise<Answer> {
    return this.post(payload(`42["wd",${JSON.stringify({ t: 'd', d: { r: number, a: action, b: body } })}]`))
  }
}

/** A packet of ASCII in the text form. */
export function payload(packet: string): string {
  return `${packet.length}:${packet}`
}

/** The packets of a payload in the text form. */
export function packetsOf(text: string): readonly string[] {
  const packets: string[] = []
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(':', at)
    const end = colon + 1 + Number(text.slice(at, colon))
    packets.push(Buffer.from(text.slice(colon + 1, end), 'latin1').toString('utf8'))
    at = end
  }
  return packets
}
