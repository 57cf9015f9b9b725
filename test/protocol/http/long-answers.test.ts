import { beforeAll, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { dhole } from '../../../src/index.ts'
import { openSource } from '../../support/event-source.ts'
import { someInLanes } from '../../support/lane.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { withServer } from '../../support/with-server.ts'

/** Members of each of the long nodes, which are answered in several pieces. */
const MEMBERS = 6000

const server = withServer()

/** With characters of one to four bytes, quotes, arrays and interior children, and strings longer than a piece. */
const long: Record<string, unknown> = {
  text: `"é€😀\\${'ü€😀'.repeat(60_000)}`,
  plain: `"\\${'only ASCII '.repeat(40_000)}`,
  nested: { deep: members((index) => [`k${index}`, `${index} "é€😀\\`]) },
  array: Array.from({ length: MEMBERS }, (_, index) => ({ text: 'é€😀'.repeat(20), list: [index, null, 2] })),
  records: members((index) => [`😀${index}`, { name: `"Näme" ${index}`, tags: ['a', 'b'], text: 'x'.repeat(20) }]),
}
const withPriorities = {
  '.priority': 1,
  first: members((index) => [`k${index}`, { '.priority': index, '0': 'a', '1': 'b'.repeat(20) }]),
  leaves: members((index) => [`k${index}`, { '.priority': `p${index}`, '.value': '€'.repeat(10) }]),
}

function members(member: (index: number) => [string, unknown]): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: MEMBERS }, (_, index) => member(index)))
}

beforeAll(async () => {
  for (const [target, json] of [
    ['/long.json', long],
    ['/sorted.json', withPriorities],
  ]) {
    expect((await server.call('PUT', `${target}?print=silent`, { body: JSON.stringify(json) })).status).toBe(204)
  }
})

async function get(target: string): Promise<string> {
  const { status, text } = await server.call('GET', target)
  expect(status).toBe(200)
  return text
}

/** Compares without printing megabytes. */
function same(actual: unknown, expected: unknown): boolean {
  return Bun.deepEquals(actual, expected)
}

describe('a long node is answered whole', () => {
  test('plain, pretty, as a script and by a query', async () => {
    const text = await get('/long.json')
    expect(same(JSON.parse(text), long)).toBe(true)
    expect(same(JSON.parse(await get('/long.json?print=pretty')), long)).toBe(true)
    const escaped = text.replaceAll('<', '\\u003c')
    expect((await get('/long.json?callback=use')) === `/**/use(${escaped});`).toBe(true)
    expect(same(JSON.parse(await get('/long.json?orderBy="$key"')), long)).toBe(true)
    expect(
      same(
        JSON.parse(await get('/long/records.json?shallow=true')),
        members((index) => [`😀${index}`, true]),
      ),
    ).toBe(true)
  })

  test('to many clients at once, each its own', async () => {
    const targets = Array.from({ length: 6 }, () => [
      '/long.json',
      '/sorted.json',
      '/long/array.json',
      '/long/plain.json',
    ]).flat()
    const alone = new Map<string, string>()
    for (const target of targets.slice(0, 4)) alone.set(target, await get(target))
    const answers = await Promise.all(targets.map(get))
    expect(answers.map((text, index) => text === alone.get(targets[index] ?? ''))).toEqual(targets.map(() => true))
  })

  test('for an export, where arrays are objects', async () => {
    const exported = JSON.parse(await get('/long.json?format=export')) as typeof long
    expect(same(exported['records'] && Object.keys(exported['records']).length, MEMBERS)).toBe(true)
    const { array } = exported as { array: Record<string, unknown> }
    expect(array['7']).toEqual({ text: 'é€😀'.repeat(20), list: { '0': 7, '2': 2 } })
    expect(Object.keys(array).length).toBe(MEMBERS)
    expect(same(JSON.parse(await get('/sorted.json?format=export')), withPriorities)).toBe(true)
  })

  test('without its priorities', async () => {
    const plain = {
      first: members((index) => [`k${index}`, ['a', 'b'.repeat(20)]]),
      leaves: members((index) => [`k${index}`, '€'.repeat(10)]),
    }
    expect(same(JSON.parse(await get('/sorted.json')), plain)).toBe(true)
    expect(same(JSON.parse(await get('/sorted.json?orderBy="$key"')), plain)).toBe(true)
    expect(
      same(JSON.parse(await get('/sorted.json?orderBy="$key"&format=export')), {
        first: withPriorities.first,
        leaves: withPriorities.leaves,
      }),
    ).toBe(true)
  })

  test.each(['/long.json', '/sorted.json', '/long.json?orderBy="$key"', '/long/records.json?shallow=true'])(
    'HEAD %s tells the length and tag that GET has',
    async (target) => {
      const headers = { 'x-firebase-etag': 'true' }
      const head = await server.call('HEAD', target, { headers })
      const answer = await server.call('GET', target, { headers })
      expect(head.status).toBe(200)
      expect(head.text).toBe('')
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.text)))
      const etag = answer.headers.get('etag')
      expect(head.headers.get('etag')).toBe(etag)
      if (etag === null) return
      expect((await server.call('GET', target, { headers: { 'if-none-match': etag } })).status).toBe(304)
    },
  )
})

test('a long answer is whole for a host that reads it in its own process', async () => {
  await using dir = await tempDir()
  const host = new Elysia().use(dhole({ dataDir: dir.path, applications: { app: { open: true } } }))
  const ask = (method: string, body?: string) =>
    host.handle(new Request('https://localhost/long.json', { method, ...(body === undefined ? {} : { body }) }))
  expect((await ask('PUT', JSON.stringify(long))).status).toBe(200)
  const decode = (bytes: Uint8Array | ArrayBuffer) => JSON.parse(new TextDecoder().decode(bytes)) as unknown
  const ways: Readonly<Record<string, (reply: Response) => Promise<unknown>>> = {
    json: (reply) => reply.json(),
    bytes: async (reply) => decode(await reply.bytes()),
    stream: async (reply) => decode(Buffer.concat(await Array.fromAsync(reply.body ?? []))),
  }
  for (const [way, read] of Object.entries(ways)) {
    expect([way, same(await read(await ask('GET')), long)]).toEqual([way, true])
  }
})

describe.each(someInLanes([false, true], 2))('a stream of a long node (HTTP/2: %p)', (http2) => {
  test.each([
    '/long.json',
    '/long.json?format=export',
    '/long.json?resume=true',
    '/sorted.json',
    '/sorted.json?format=export&resume=true',
    '/long.json?orderBy="$key"&limitToFirst=4',
  ])('begins with what GET answers: %s', async (target) => {
    const got = JSON.parse(await get(target.replace(/[?&]resume=true/, '').replace('.json&', '.json?'))) as unknown
    await using source = await openSource(server, target.replaceAll('"', '%22'), { http2 })
    const first = await source.nextMessage()
    expect(first?.name).toBe('put')
    const { path, data } = JSON.parse(first?.text ?? '') as { path: string; data: unknown }
    expect(path).toBe('/')
    expect(same(data, got)).toBe(true)
    expect(typeof first?.id).toBe(target.includes('resume') ? 'string' : 'undefined')
  })

  test('tells a long change and the short ones around it in their order', async () => {
    const name = `/changed${http2}`
    await using source = await openSource(server, `${name}.json?resume=true`, { http2 })
    await source.take(1)
    const changes = [
      server.call('PUT', `${name}/a.json`, { body: '1' }),
      server.call('PUT', `${name}/long.json?print=silent`, { body: JSON.stringify(long) }),
      server.call('PATCH', `${name}.json?print=silent`, { body: JSON.stringify({ b: 2, again: long }) }),
      server.call('PUT', `${name}/c.json`, { body: '3' }),
    ]
    for (const { status } of await Promise.all(changes)) expect(status).toBeLessThan(300)
    await source.take(changes.length)
    expect(same(source.cache.plain, JSON.parse(await get(`${name}.json`)))).toBe(true)
  })
})
