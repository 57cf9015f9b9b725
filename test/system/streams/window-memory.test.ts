import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { KeyTable } from '../../../src/hub/key-table.ts'
import { EventSource, escapedTarget, openSource } from '../../support/event-source.ts'
import { type HttpsServer, startInProcess } from '../../support/https-server.ts'

const ROWS = 5000
const KIBI = 1024
const NO_ROOM = 'event: cancel\ndata: The service has no room for so much data, please request less.\n\n'

test('a table of keys is a set of keys, whatever goes in and out', () => {
  const key = fc.oneof(
    fc.constantFrom('', 'a', 'ab', 'é', '\u{1F600}', 'k'.repeat(768)),
    fc.string({ unit: 'grapheme' }),
  )
  const step = fc.record({ key, isIn: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), fc.nat({ max: 20 }), (steps, capacity) => {
      const table = new KeyTable(capacity)
      const set = new Set<string>()
      for (const each of steps) {
        if (each.isIn) {
          table.add(each.key)
          set.add(each.key)
        } else {
          table.delete(each.key)
          set.delete(each.key)
        }
        expect(table.has(each.key)).toBe(set.has(each.key))
      }
      expect(table.size).toBe(set.size)
      expect([...table].sort()).toEqual([...set].sort())
    }),
  )
})

test('a table of keys stays small while keys come and go', () => {
  const table = new KeyTable()
  for (let round = 0; round < 20_000; round++) {
    table.add(`key ${round}`)
    if (round >= 10) table.delete(`key ${round - 10}`)
  }
  expect([table.size, table.byteLength < 4 * KIBI]).toEqual([10, true])
})

async function seed(server: HttpsServer): Promise<void> {
  const rows = Object.fromEntries(Array.from({ length: ROWS }, (_each, row) => [`row${row}`, row]))
  expect((await server.call('PUT', '/list.json', { body: JSON.stringify(rows) })).status).toBe(200)
}

/** Each shows nearly all rows, and none the same. */
function targetOf(number: number): string {
  return escapedTarget(`/list.json?orderBy="$value"&startAt=${number}`)
}

test('a window for whose keys there is no room is refused, and small ones are not', async () => {
  await using server = await startInProcess({ clients: { maxTransferBytes: 96 * KIBI } })
  await seed(server)
  await using small = await openSource(server, escapedTarget('/list.json?orderBy="$value"&limitToLast=3'))
  await using refused = await EventSource.open(server, targetOf(0))
  expect([refused.status, refused.headers.get('retry-after'), JSON.parse(await refused.text())]).toMatchObject([
    503,
    '5',
    { errcode: 20104 },
  ])
  await small.next()
  await server.call('PUT', '/list/last.json', { body: '10000' })
  expect(await small.next()).toMatchObject({ kind: 'patch', data: { last: 10_000 } })
})

test('when all windows together take more than there is, the largest ends and says why', async () => {
  await using server = await startInProcess({ clients: { maxTransferBytes: 512 * KIBI } })
  await seed(server)
  await using largest = await openSource(server, targetOf(0))
  await using shares = await openSource(server, targetOf(0))
  await using smallest = await openSource(server, escapedTarget('/list.json?orderBy="$value"&limitToLast=3'))
  for (const source of [largest, shares, smallest]) await source.next()
  const others: EventSource[] = []
  for (let number = 1; number <= 3; number++) others.push(await openSource(server, targetOf(ROWS / 5 + number)))
  for (const source of [largest, shares]) {
    expect((await source.nextMessage())?.raw).toBe(NO_ROOM)
    expect(await source.nextMessage()).toBeUndefined()
  }
  // What it held is free again.
  for (const source of others) await source.next()
  await server.call('PUT', '/list/last.json', { body: '10000' })
  for (const source of [smallest, ...others]) expect((await source.next()).data).not.toBeNull()
  for (const source of others) await source.close()
})

/** Writes so many children of a length each: a body of a quarter of what the node holds. */
async function writeLong(server: HttpsServer, path: string, length: number): Promise<void> {
  const body = JSON.stringify('x'.repeat(length / 4))
  for (const child of ['a', 'b', 'c', 'd'])
    expect((await server.call('PUT', `${path}/${child}.json?print=silent`, { body })).status).toBe(204)
}

describe.each([
  ['HTTP/1.1', false],
  ['HTTP/2', true],
])('%s', (_, http2) => {
  test('a first event for which there is no room is not sent, and its stream says why', async () => {
    await using server = await startInProcess({ clients: { maxTransferBytes: 1024 * KIBI } })
    await writeLong(server, '/long', 700 * KIBI)
    await using source = await openSource(server, '/long.json', { http2 })
    expect((await source.nextMessage())?.raw).toBe(NO_ROOM)
    expect(await source.ended).toBe(true)
    // It holds no memory any more.
    await writeLong(server, '/long', 400 * KIBI)
    await using shorter = await openSource(server, '/long.json', { http2 })
    expect(await shorter.next()).toMatchObject({ path: '/' })
  })

  test('a first event that is not read makes room for another one: its connection is broken off', async () => {
    await using server = await startInProcess({ clients: { maxTransferBytes: 40 * 1024 * KIBI } })
    await writeLong(server, '/larger', 16 * 1024 * KIBI)
    await writeLong(server, '/smaller', 8 * 1024 * KIBI)
    await using stalled = await openSource(server, '/larger.json', { http2 })
    stalled.pause()
    await using source = await openSource(server, '/smaller.json', { http2 })
    expect(await source.next()).toMatchObject({ path: '/' })
    stalled.resume()
    await stalled.ended
    expect([await stalled.nextMessage(), stalled.rest.length < 16 * 1024 * KIBI]).toEqual([undefined, true])
    await server.call('PUT', '/smaller.json', { body: '1' })
    expect(await source.next()).toMatchObject({ data: 1 })
  })
})

test('memory of windows whose clients have gone is free again', async () => {
  await using server = await startInProcess({ clients: { maxTransferBytes: 256 * KIBI } })
  await seed(server)
  for (let number = 0; number < 5; number++) {
    const source = await openSource(server, targetOf(number))
    await source.next()
    await source.close()
    // The server hears of the end in its own time.
    for (let isFree = false; !isFree; ) {
      await using next = await EventSource.open(server, targetOf(number + 100))
      isFree = next.status === 200
    }
  }
})
