import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { ClientHttp2Session } from 'node:http2'
import { http2Client } from '../../support/http2-client.ts'
import { startInProcess } from '../../support/https-server.ts'
import { canWatch, startWatchedServer } from '../../support/watched-server.ts'
import { begin, stalled } from './stalled-reader.ts'

const MEBIBYTE = 1024 * 1024
const LENGTH = 2 * MEBIBYTE
/** Even the shortest pieces of so many readers are more than the memory for them. */
const READERS = 80
const MEMORY_OF_READERS = 8 * MEBIBYTE
const FLOOD = 192
/** Pieces are longer while less than a quarter of this is held. */
const MAX_TRANSFER_BYTES = 128 * MEBIBYTE
const MOST_MEMORY = 300 * MEBIBYTE

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
    await using server = await startInProcess({ docs: true, clients: { maxTransferBytes: MEMORY_OF_READERS } })
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

/** Length of a short answer, and its bytes, of three for each character. */
const SHORT_LENGTH = 100_000
const SHORT_BYTES = 3 * SHORT_LENGTH
/** Memory for this number of them. */
const ROOM = 40

test.each(['/short.json', '/short.json?print=pretty', '/swagger/swagger-ui.css'])(
  'of many short answers %s that are not read, as many are kept as there is memory for',
  async (path) => {
    await using server = await startInProcess({ docs: true, clients: { maxTransferBytes: ROOM * SHORT_BYTES } })
    const text = '你'.repeat(SHORT_LENGTH)
    expect((await server.call('PUT', '/short.json?print=silent', { body: JSON.stringify(text) })).status).toBe(204)
    using first = stalled(server.url, server.ca)
    using second = stalled(server.url, server.ca)
    const sent = [first, second].flatMap((session) => Array.from({ length: 2 * ROOM }, () => sendOne(session, path)))
    const leastEnded = sent.length - Math.ceil((ROOM * SHORT_BYTES) / lengthOf(await server.call('GET', path))) - 1
    await Promise.all(sent.map(({ begun }) => begun))
    await until(() => sent.filter(({ isEnded }) => isEnded()).length >= leastEnded)
    // Those who read get it whole.
    expect(JSON.parse((await server.call('GET', '/short.json')).text)).toBe(text)
    await using client = http2Client(server.url, server.ca)
    expect(JSON.parse((await client.call('GET', '/short.json')).text)).toBe(text)
  },
)

function lengthOf({ text }: { readonly text: string }): number {
  return Buffer.byteLength(text)
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate)
}

/** Sends a request whose answer is not read. */
function sendOne(session: ClientHttp2Session, path: string): { begun: Promise<unknown>; isEnded: () => boolean } {
  const stream = session.request({ ':path': path })
  let isEnded = false
  stream.on('close', () => {
    isEnded = true
  })
  const begun = new Promise((resolve) => {
    for (const event of ['response', 'error', 'close']) stream.on(event, resolve)
  })
  stream.pause()
  return { begun, isEnded: () => isEnded }
}
