import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import { openTestDatabase } from '../../support/engine.ts'
import { openSource } from '../../support/event-source.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** The server logs this when it stops and waits in vain for a request or stream. */
const CUT_OFF = 'cut off'
const STREAMS = 20
const PIECE = 4 * 1024 * 1024
/** Together more than a connection takes that nobody reads. */
const PIECES = 6
const VERSIONS = [{ http2: false }, { http2: true }]

// They wait for seconds, and for nothing of each other.
const MOMENTS = [
  ['its events', 0],
  ['its beginning', PIECES],
] as const
test.concurrent.each(MOMENTS)('a stop waits for no reader that stands still in the middle of %s', async (_, early) => {
  const server = await spawnServer()
  const listening = await clientOfProcess(server)
  const write = async (piece: number) => {
    const { status } = await listening.call('PUT', `/a/p${piece}.json`, { body: `"${String(piece).repeat(PIECE)}"` })
    expect(status).toBe(200)
  }
  for (let piece = 0; piece < early; piece++) await write(piece)
  const targets = ['/a.json', ...Array.from({ length: STREAMS }, (_, number) => `/r${number}.json`)]
  const readers = await Promise.all(
    targets.flatMap((target) => VERSIONS.map((version) => openSource(listening, target, version))),
  )
  for (const reader of readers) await reader.next()
  const stalled = await Promise.all(
    VERSIONS.map(async (version) => {
      const source = await openSource(listening, '/a.json', version)
      source.pause()
      return source
    }),
  )
  for (let piece = early; piece < PIECES; piece++) {
    await write(piece)
    for (const reader of readers.slice(0, VERSIONS.length)) await reader.next()
  }
  for (const source of stalled) expect(source.received).toBeLessThan(PIECES * PIECE)
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  for (const reader of readers) {
    expect(await reader.ended).toBe(true)
    expect(await reader.nextMessage()).toBeUndefined()
    expect(reader.rest).toBe('')
  }
  for (const source of stalled) {
    source.resume()
    await source.ended
    expect(source.received).toBeLessThan(PIECES * PIECE)
  }
  await server.stop()
  expect(server.output()).toContain('stopped')
  expect(server.output()).not.toContain(CUT_OFF)
})

test('closing a tree ends every loop over its changes', async () => {
  await using dir = await tempDir()
  const db = await openTestDatabase({ file: dir.file('tree.sqlite') })
  await db.put('/a', { n: 0 })
  const begun = Array.from({ length: STREAMS }, () => Promise.withResolvers<void>())
  const loops = begun.map(async ({ resolve }, number) => {
    const seen: unknown[] = []
    for await (const { data } of db.watch(number % 2 === 0 ? '/a' : '/a/n', { export: number % 3 === 0 })) {
      seen.push(data)
      resolve()
    }
    return seen
  })
  await Promise.all(begun.map(({ promise }) => promise))
  await db.close()
  expect(await Promise.all(loops)).toEqual(loops.map((_, number) => [number % 2 === 0 ? { n: 0 } : 0]))
})
