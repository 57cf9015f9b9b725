import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type ClientHttp2Session, connect } from 'node:http2'
import { startInProcess } from '../../support/https-server.ts'
import { canWatch, startWatchedServer } from '../../support/watched-server.ts'

const MEBIBYTE = 1024 * 1024
const LENGTH = 2 * MEBIBYTE
const READERS = 64
const FLOOD = 192
/** Pieces are longer while less than a quarter of this is held. */
const MAX_TRANSFER_BYTES = 128 * MEBIBYTE
const MOST_MEMORY = 300 * MEBIBYTE

/** A connection over HTTP/2 whose client takes no byte of any body. */
function stalled(url: string, ca: string): ClientHttp2Session & Disposable {
  const session = connect(url, { ca, settings: { initialWindowSize: 0 } })
  // The server may end it.
  session.on('error', () => {})
  return Object.assign(session, { [Symbol.dispose]: () => session.destroy() })
}

/** Status of an answer whose body is not read; `undefined` where the server ended it first. */
function begin(session: ClientHttp2Session, path: string): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  const stream = session.request({ ':path': path })
  stream.on('response', (headers) => resolve(headers[':status']))
  stream.on('error', () => resolve(undefined))
  stream.on('close', () => resolve(undefined))
  stream.pause()
  return promise
}

function beginAll(session: ClientHttp2Session, path: string, count: number): Promise<number | undefined>[] {
  return Array.from({ length: count }, () => begin(session, path))
}

/** Whether one of the answers is 503. Those that are ended before their status may take as long as the idle timeout. */
async function someIsRefused(statuses: readonly Promise<number | undefined>[]): Promise<boolean> {
  const refusals = statuses.map(async (status) => (await status) === 503 || Promise.reject(new Error('not refused')))
  return Promise.any(refusals).catch(() => false)
}

test.each(['/long.json', '/swagger/json', '/swagger/swagger-ui-bundle.js'])(
  'what waits for each client that does not read %s counts, also where they share its text',
  async (path) => {
    await using server = await startInProcess({ docs: true, clients: { maxTransferBytes: 12 * MEBIBYTE } })
    const body = JSON.stringify('x'.repeat(LENGTH))
    expect((await server.call('PUT', '/long.json?print=silent', { body })).status).toBe(204)
    using session = stalled(server.url, server.ca)
    expect(await begin(session, path)).toBe(200)
    expect(await someIsRefused(beginAll(session, path, READERS))).toBe(true)
  },
)

test.skipIf(!canWatch)('a client that does not read a long answer holds a small part of it', async () => {
  const server = await startWatchedServer({ MAX_TRANSFER_BYTES: String(MAX_TRANSFER_BYTES) })
  try {
    const ca = readFileSync(server.certificate, 'utf8')
    const body = JSON.stringify('x'.repeat(LENGTH))
    expect((await fetch(`${server.url}/long.json?print=silent`, { method: 'PUT', body, tls: { ca } })).status).toBe(204)
    const { peakMemory } = await server.watch(async () => {
      using first = stalled(server.url, ca)
      using second = stalled(server.url, ca)
      const statuses = [first, second].flatMap((each) => beginAll(each, '/long.json', FLOOD / 2))
      expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]))
    })
    expect(peakMemory).toBeLessThan(MOST_MEMORY)
  } finally {
    await server.stop()
  }
})
