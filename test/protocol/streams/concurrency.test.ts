import { describe, expect, test } from 'bun:test'
import { readEventId } from '../../support/event-id.ts'
import { type EventSource, escapedTarget, openSource } from '../../support/event-source.ts'
import { type HttpsClient, startInProcess } from '../../support/https-server.ts'
import { someInLanes } from '../../support/lane.ts'
import { StreamCache } from '../../support/stream-cache.ts'
import { withServer } from '../../support/with-server.ts'

const storages = [
  ['as it comes', {}],
  ['every node a row, every list indexed', { shortList: 0, inlineLength: 0 }],
] as const

async function put(server: HttpsClient, target: string, json: unknown): Promise<void> {
  const { status } = await server.call('PUT', target, { body: JSON.stringify(json) })
  expect(status).toBe(200)
}

function numberOf(id: string | undefined): number {
  return readEventId(id).seq
}

describe.each(someInLanes(storages, 2))('storage: %s', (_, storage) => {
  const server = withServer(() => startInProcess({ storage }))

  test('4.2 writes of one turn are told each once, in one order', async () => {
    await put(server, '/.json', { l: { k: -1 } })
    const sources = [
      await openSource(server, '/l.json?resume=true'),
      await openSource(server, '/l.json?resume=true', { http2: true }),
      await openSource(server, '/.json?resume=true'),
    ]
    for (const source of sources) await source.next()
    const writes = 400
    await Promise.all(Array.from({ length: writes }, (_each, index) => put(server, `/l/k${index % 13}.json`, index)))
    const told = await Promise.all(
      sources.map(async (source) => {
        const events: { data: unknown; seq: number }[] = []
        for (let index = 0; index < writes; index++) {
          const event = await source.nextMessage()
          events.push({ data: (JSON.parse(event?.text ?? '') as { data: unknown }).data, seq: numberOf(event?.id) })
        }
        return events
      }),
    )
    expect(told[1]).toEqual(told[0]!)
    expect(told[2]).toEqual(told[0]!)
    const first = told[0]![0]!.seq
    expect(told[0]!.map(({ seq }) => seq)).toEqual(Array.from({ length: writes }, (_each, index) => first + index))
    expect(told[0]!.map(({ data }) => Number(data)).toSorted((left, right) => left - right)).toEqual(
      Array.from({ length: writes }, (_each, index) => index),
    )
    await put(server, '/l.json', 'end')
    expect(await sources[0]?.next()).toEqual({ kind: 'put', path: '/', data: 'end' })
    for (const source of sources) await source.close()
  })

  test('4.2 between the first event and the next there is no gap and no repeat', async () => {
    await put(server, '/.json', { l: { k: 0 } })
    const writes = 600
    let last = 0
    const writing = (async () => {
      for (let index = 0; index < writes; index += 20) {
        await Promise.all(
          Array.from({ length: 20 }, (_each, more) => put(server, `/l/k${more % 7}.json`, index + more)),
        )
      }
      await put(server, '/l.json', { end: true })
      last = 1
    })()
    const sources: EventSource[] = []
    while (last === 0 && sources.length < 60) sources.push(await openSource(server, '/l.json?resume=true'))
    await writing
    for (const source of sources) {
      const numbers: number[] = []
      for (;;) {
        const event = await source.nextMessage()
        numbers.push(numberOf(event?.id))
        if (event?.text.includes('"end"')) break
      }
      expect(numbers).toEqual(numbers.map((_each, index) => numbers[0]! + index))
      await source.close()
    }
  })

  test.each([
    'orderBy="n"',
    'orderBy="n"&startAt=300',
    'orderBy="n"&limitToLast=5',
    'orderBy="$key"&limitToFirst=3',
    'orderBy="n"&limitToLast=200',
  ])('4.4 windows opened while others write end with what GET answers: %s', async (query) => {
    await put(server, '/.json', { l: Object.fromEntries(Array.from({ length: 150 }, (_each, n) => [`k${n}`, { n }])) })
    const target = escapedTarget(`/l.json?${query}`)
    const writing = (async () => {
      for (let round = 0; round < 20; round++) {
        await Promise.all([
          ...Array.from({ length: 10 }, (_each, index) =>
            put(server, `/l/k${(round * 7 + index * 13) % 170}/n.json`, round * index),
          ),
          put(server, `/l/k${round * 3}.json`, null),
          server.call('PATCH', '/l.json', {
            body: `{"k${round}/n":${500 - round},"new${round}":{"n":${round}},"k9/x":${round}}`,
          }),
        ])
      }
    })()
    const sources = await Promise.all(
      Array.from({ length: 12 }, (_each, index) => openSource(server, target, { http2: index % 2 === 0 })),
    )
    await writing
    const { text } = await server.call('GET', target)
    const wanted = new StreamCache()
    wanted.apply({ kind: 'put', path: '/', data: JSON.parse(text) })
    // Else the end could be told together with the last writes.
    for (const source of sources) while (source.cache.plainText !== wanted.plainText) await source.next()
    await put(server, '/l.json', 'end')
    for (const source of sources) {
      let before = ''
      for (;;) {
        const held = source.cache.plainText
        const event = await source.next()
        if (event.path === '/' && event.kind === 'put' && (event.data === null || event.data === 'end')) {
          before = held
          break
        }
      }
      expect(before).toBe(wanted.plainText)
      await source.close()
    }
  })

  test('4.4 more children at once than are looked at one by one', async () => {
    const children = (first: number, n: (index: number) => number) =>
      Object.fromEntries(Array.from({ length: 100 }, (_each, index) => [`k${first + index}`, { n: n(index) }]))
    await put(server, '/.json', { l: children(0, (index) => index) })
    const queries = ['orderBy="n"&limitToLast=2', 'orderBy="n"&limitToFirst=2', 'orderBy="n"&startAt=98']
    const sources = await Promise.all(queries.map((query) => openSource(server, escapedTarget(`/l.json?${query}`))))
    for (const source of sources) await source.next()
    const patch = JSON.stringify(children(1000, (index) => index + 0.5))
    expect((await server.call('PATCH', '/l.json', { body: patch })).status).toBe(200)
    expect(await sources[0]?.next()).toEqual({
      kind: 'patch',
      path: '/',
      data: { k1099: { n: 99.5 }, k98: null },
    })
    expect(await sources[1]?.next()).toEqual({ kind: 'patch', path: '/', data: { k1000: { n: 0.5 }, k1: null } })
    expect(await sources[2]?.next()).toEqual({
      kind: 'patch',
      path: '/',
      data: { k1098: { n: 98.5 }, k1099: { n: 99.5 } },
    })
    for (const source of sources) await source.close()
  })
})
