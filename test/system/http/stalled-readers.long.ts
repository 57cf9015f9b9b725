import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { canWatch, startWatchedServer } from '../../support/watched-server.ts'
import { begin, stalled } from './stalled-reader.ts'

const MEBIBYTE = 1024 * 1024
const MAX_TRANSFER_BYTES = 64 * MEBIBYTE
const CONNECTIONS = 20
const STREAMS_EACH = 100
/** A short answer: three bytes for each character. */
const TEXT = '你'.repeat(120_000)
/**
 * What the server may take above what it takes for as many answers of a few bytes: it makes each answer before it is given
 * up for the next.
 */
const MOST_OF_BOUND = 5

/** Peak memory while 2000 streams do not read. */
async function peakOf(path: string): Promise<number> {
  const server = await startWatchedServer({ MAX_TRANSFER_BYTES: String(MAX_TRANSFER_BYTES) })
  try {
    const ca = readFileSync(server.certificate, 'utf8')
    const body = JSON.stringify(TEXT)
    expect((await fetch(`${server.url}/short.json?print=silent`, { method: 'PUT', body, tls: { ca } })).status).toBe(
      204,
    )
    const { peakMemory } = await server.watch(async () => {
      const sessions = Array.from({ length: CONNECTIONS }, () => stalled(server.url, ca))
      for (const session of sessions) {
        await Promise.all(Array.from({ length: STREAMS_EACH }, () => begin(session, path)))
      }
      for (const session of sessions) session.destroy()
    })
    return peakMemory
  } finally {
    await server.stop()
  }
}

test.skipIf(!canWatch)(
  'thousands of streams that do not read hold no more than the bound',
  async () => {
    const least = await peakOf('/none.json')
    for (const path of ['/short.json', '/short.json?print=pretty']) {
      expect((await peakOf(path)) - least).toBeLessThan(MOST_OF_BOUND * MAX_TRANSFER_BYTES)
    }
  },
  120_000,
)
