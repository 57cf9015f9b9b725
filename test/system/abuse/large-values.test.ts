import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { runDhole } from '../../support/dhole-command.ts'
import { inLanes, longTest, someInLanes } from '../../support/lane.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { canWatch } from '../../support/watched-server.ts'
import { type HoldServer, holdListened, members, OWNER, startHoldServer, user, withPriority } from './hold-server.ts'
import { manyRules } from './rule-files.ts'

/** More shapes: large-values.long.ts. */
let server: HoldServer

beforeAll(async () => {
  if (canWatch) server = await startHoldServer()
})

afterAll(() => server?.stop())

const USERS = members(20_000, user)
const OPEN = '{"rules":{".read":true}}'

describe.skipIf(!canWatch)('no write holds the event loop', () => {
  const bodies: [string, string, number, string][] = [
    ['records', 'PUT', 200, USERS],
    ['an array of numbers', 'PUT', 200, `[${'1,'.repeat(70_000)}1]`],
    ['an array of empty objects', 'PUT', 200, `[${'{},'.repeat(90_000)}{}]`],
    ['server values', 'PUT', 200, members(20_000, (index) => [`k${index}`, { '.sv': 'timestamp' }])],
    ['members', 'PATCH', 200, members(10_000, (index) => [`k${index}`, index])],
    ['paths', 'PATCH', 200, members(4_000, (index) => [`${index % 10}/k${index}/${'v'.repeat(400)}`, index])],
    ['a string of quotes', 'PUT', 200, JSON.stringify('"\n'.repeat(3_000_000))],
    ['brackets', 'PUT', 400, '['.repeat(8_000_000)],
    ['spaces around a value', 'PUT', 200, `${' '.repeat(8_000_000)}[1]${' '.repeat(7_000_000)}`],
    ['spaces alone', 'PUT', 400, ' '.repeat(15_000_000)],
  ]
  test.each(someInLanes(bodies, 3))('of %s (%s, %i)', async (_, method, status, body) => {
    const request = () => server.send(method, '/large.json', body)
    expect(await server.holdOf(request, status)).toBeLessThan(server.boundMs())
  })

  longTest('of sixteen clients at once', async () => {
    const body = members(inLanes(10_000, 40_000), (index) => [`k${index}`, 1])
    const put = (client: number) => server.send('PUT', `/client${client}.json?print=silent`, body)
    const request = async () => {
      const statuses = await Promise.all(Array.from({ length: 16 }, (_, client) => put(client)))
      return Math.max(...statuses)
    }
    expect(await server.holdOf(request, 204)).toBeLessThan(server.boundMs())
  })

  test.each(
    someInLanes<[string, string, string]>(
      [
        ['to', '/listened.json', members(inLanes(40_000, 100_000), withPriority)],
        ['below', '/above.json', `{"listened":${members(20_000, withPriority)}}`],
      ],
      2,
    ),
  )('of records that somebody listens %s', async (_, target, body) => {
    const listened = target === '/above.json' ? '/above/listened.json' : target
    const put = () => server.send('PUT', `${target}?print=silent`, body)
    expect(await holdListened(server, listened, put)).toBeLessThan(server.boundMs())
  })

  test.each(
    inLanes(
      [],
      [
        ['below', '/patched/k5.json'],
        ['to some of', '/patched.json?orderBy="$key"&limitToLast=10'],
      ],
    ),
  )('of a PATCH of many members that somebody listens %s', async (_, listened) => {
    const body = members(inLanes(50_000, 150_000), (index) => [`k${index}`, 1])
    const patch = () => server.send('PATCH', '/patched.json?print=silent', body)
    await patch()
    expect(await holdListened(server, listened, patch)).toBeLessThan(server.boundMs())
  })

  test('of 8 M numbers in a gzip body of 15 KB', async () => {
    const body = gzipSync(`[${'1,'.repeat(8_000_000)}1]`)
    const request = () => server.send('PUT', '/large.json', body, { 'content-encoding': 'gzip' })
    expect(await server.holdOf(request, 400)).toBeLessThan(server.boundMs())
  })
})

describe.skipIf(!canWatch)('no answer of a list whose first children are short holds the event loop', () => {
  const PARTS = inLanes(8, 16)
  const CHILDREN = 500
  let round = 0

  beforeAll(async () => {
    for (let part = 0; part < PARTS; part++) {
      const child = (index: number): [string, unknown] => [
        `k${part * CHILDREN + index + 10_000}`,
        part === 0 && index < 20 ? 1 : 'x'.repeat(8000),
      ]
      await server.send('PATCH', '/uneven.json?print=silent', members(CHILDREN, child))
    }
  })

  test.each(someInLanes(['/uneven.json', '/uneven.json?orderBy="$key"&startAt="k"', '/uneven.json?shallow=true'], 3))(
    'GET %s',
    async (target) => {
      // A write between two reads: the second finds no finished text.
      const request = async () => {
        await server.send('PUT', '/uneven/k10000.json?print=silent', String(round++))
        return server.send('GET', target)
      }
      expect(await server.holdOf(request, 200)).toBeLessThan(server.boundMs())
    },
  )
})

describe.skipIf(!canWatch)('no answer holds the event loop', () => {
  beforeAll(async () => {
    await server.send('PUT', '/users.json', USERS)
    await server.send('PUT', '/sorted.json', members(15_000, withPriority))
  })

  const requests: [string, string, Record<string, string>?][] = [
    ['GET', '/users.json'],
    ['GET', '/users.json?print=pretty'],
    ['HEAD', '/users.json?print=pretty'],
    ['GET', '/users.json?callback=use&print=pretty'],
    ['GET', '/users.json?download=users.json&format=export'],
    ['GET', '/users.json', { 'x-firebase-etag': 'true' }],
    ['GET', '/sorted.json'],
    ['GET', '/sorted.json?format=export&print=pretty'],
    ['GET', '/users.json?orderBy="id"&limitToFirst=15000&print=pretty', { 'x-firebase-etag': 'true' }],
  ]
  test.each(someInLanes(requests, 4))('%s %s', async (...[method, target, headers]) => {
    const request = () => server.send(method, target, undefined, headers)
    expect(await server.holdOf(request, 200)).toBeLessThan(server.boundMs())
  })
})

describe.skipIf(!canWatch)('long texts with the same beginning', () => {
  const LENGTH = 300_000
  const TEXTS = 480
  const BATCH = 30

  longTest('are sorted without holding the event loop, or all of them in memory', async () => {
    for (let first = 0; first < TEXTS; first += BATCH) {
      const body = members(BATCH, (index) => [`k${first + index}`, 'x'.repeat(LENGTH) + (first + index)])
      expect(await server.send('PATCH', '/tied.json?print=silent', body, OWNER)).toBe(204)
    }
    const sort = () => server.send('GET', '/tied.json?orderBy="$value"&limitToLast=1')
    const least = await server.peakOf(() => server.send('GET', '/tied.json?limitToLast=1'))
    expect(await server.holdOf(sort, 200)).toBeLessThan(server.boundMs())
    expect((await server.peakOf(sort)) - least).toBeLessThan(TEXTS * LENGTH)
    await server.send('DELETE', '/tied.json', undefined, OWNER)
  })
})

describe.skipIf(!canWatch)('of rules', () => {
  longTest('no application that is opened holds the event loop with its rules', async () => {
    await using dir = await tempDir()
    const environment = { DATA_DIR: dir.path }
    for (const id of ['one', 'other']) expect((await runDhole(['apps', 'add', id], environment)).status).toBe(0)
    const opening = await startHoldServer({ ...environment, MAX_OPEN_APPS: '1' })
    try {
      const rules = (id: string, source: string) =>
        opening.send('PUT', `/.settings/rules.json?app=${id}`, source, OWNER)
      const open = (id: string) => opening.send('GET', `/a.json?app=${id}`, undefined, OWNER)
      // Opening the other one closes the first.
      const reopen = async () => ((await open('other')) === 200 ? open('one') : 500)
      expect([await rules('one', OPEN), await rules('other', OPEN)]).toEqual([200, 200])
      const least = await opening.holdOf(reopen, 200)
      expect(await rules('one', manyRules(16_000).replace('{"rules":{', '{"rules":{".read":true,'))).toBe(200)
      expect(await opening.holdOf(reopen, 200)).toBeLessThan(Math.max(opening.boundMs(), 2 * least))
    } finally {
      await opening.stop()
    }
  })

  longTest('no rules file holds the event loop', async () => {
    const source = manyRules(16_000)
    const check = () => server.send('PUT', '/.settings/rules.json?dryRun=true', source, OWNER)
    expect(await server.holdOf(check, 200)).toBeLessThan(server.boundMs())
  })
})
