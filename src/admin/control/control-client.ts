import { join } from 'node:path'
import { codeOf } from '../../files/system-error.ts'
import { AdminClient, type AdminTransport, type SendOptions } from '../admin-client.ts'

/** Error codes of a missing socket, and of the socket of a killed server. */
const NO_SERVER = new Set(['ENOENT', 'ECONNREFUSED'])
/** How long to wait for the first reply: a running server replies at once. */
const CONNECT_MS = 10_000

/** Reply to an operation that returns one value: its result, or the message of its error. */
export type ControlReply = { readonly result?: unknown } | { readonly error: string }
/** Content type of a stream operation. It distinguishes the text of a stream from a `ControlReply`. */
export const STREAM_TYPE = 'application/vnd.dhole.export+json'
/** Last byte of a complete stream. The text of a stream is JSON without line breaks, so it never holds this byte. */
export const END_OF_STREAM = '\n'

/** Maximum length of a socket path that every system accepts, in bytes. */
const MAX_PATH_BYTES = 100

/** Control socket of the server of a folder; `undefined` when the path is too long for a socket. */
export function socketPath(dataDir: string): string | undefined {
  const path = join(dataDir, 'control.sock')
  return Buffer.byteLength(path) > MAX_PATH_BYTES ? undefined : path
}

/** Connects to the server of a socket; `undefined` without a server. @throws Error when the server does not reply */
export async function connect(path: string): Promise<AdminClient | undefined> {
  const client = new AdminClient(new ControlTransport(path))
  try {
    await client.call('state', {}, AbortSignal.timeout(CONNECT_MS))
  } catch (error) {
    if (NO_SERVER.has(codeOf(error))) return undefined
    throw new Error(`the server on ${path} does not answer`, { cause: error })
  }
  return client
}

/** Carries operations over the control socket of a server. */
class ControlTransport implements AdminTransport {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async send(name: string, input: object, { rawMember, signal }: SendOptions = {}): Promise<unknown> {
    const command = JSON.stringify({ do: name, ...input })
    if (rawMember === undefined) return resultOf(await this.#post(command, signal))
    const head = `${command.slice(0, -1)},${JSON.stringify(rawMember.name)}:`
    const { text } = rawMember
    const body = typeof text === 'string' ? `${head}${text}}` : Buffer.concat([Buffer.from(head), text, END_OBJECT])
    return resultOf(await this.#post(body, signal))
  }

  async *stream(name: string, input: object): AsyncGenerator<Uint8Array, void> {
    const reply = await this.#post(JSON.stringify({ do: name, ...input }))
    if (reply.headers.get('content-type') !== STREAM_TYPE) {
      await resultOf(reply)
      throw new Error(`the server answers "${name}" with an unknown result`)
    }
    let isComplete = false
    for await (const chunk of (reply.body ?? []) as AsyncIterable<Uint8Array>) {
      isComplete = chunk.at(-1) === END_OF_STREAM.charCodeAt(0)
      yield isComplete ? chunk.subarray(0, -1) : chunk
    }
    if (!isComplete) throw new Error('the server broke off')
  }

  #post(body: string | Uint8Array<ArrayBuffer>, signal?: AbortSignal): Promise<Response> {
    return fetch('http://localhost/', { unix: this.#path, method: 'POST', body, ...(signal && { signal }) })
  }
}

const END_OBJECT = Buffer.from('}')

/** @throws Error with the message of the operation */
async function resultOf(reply: Response): Promise<unknown> {
  const answer = (await reply.json()) as ControlReply
  if ('error' in answer) throw new Error(answer.error)
  return answer.result
}
