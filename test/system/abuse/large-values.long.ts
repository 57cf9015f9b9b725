import '../../support/long-lane.ts'
import './large-values.test.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { signatureOf } from '../../protocol/sms/calls.ts'
import { SMS_KEY } from '../../protocol/sms/service.ts'
import { canWatch } from '../../support/watched-server.ts'
import { type HoldServer, holdListened, members, OWNER, startHoldServer, user, withPriority } from './hold-server.ts'
import { LARGE_FILES } from './rule-files.ts'

let server: HoldServer

beforeAll(async () => {
  if (canWatch) server = await startHoldServer({ SMS_KEY })
})

afterAll(() => server?.stop())

const USERS = members(25_000, user)

describe.skipIf(!canWatch)('no write holds the event loop', () => {
  test.each<[string, string, number, string, Record<string, string>?]>([
    ['records', 'PUT', 200, USERS],
    ['records whose tag is wanted', 'PUT', 200, USERS, { 'x-firebase-etag': 'true', 'if-match': '*' }],
    ['a child', 'POST', 200, USERS],
    ['an array of numbers', 'PUT', 200, `[${'1,'.repeat(40_000)}1]`],
    ['an array of empty objects', 'PUT', 200, `[${'{},'.repeat(90_000)}{}]`],
    ['members', 'PUT', 200, members(60_000, (index) => [`k${index}`, 1])],
    ['as many members as one node may have', 'PUT', 200, members(200_000, (index) => [`k${index}`, 1])],
    [
      'members that are numbers out of order',
      'PUT',
      200,
      members(40_000, (index) => [`0${(index * 7919) % 40_000}`, 1]),
    ],
    ['long keys', 'PUT', 200, members(3000, (index) => [`${'k'.repeat(700)}${index}`, 1])],
    ['a long string', 'PUT', 200, JSON.stringify('x'.repeat(10_000_000))],
    ['a long string in a list', 'POST', 200, JSON.stringify('x'.repeat(10_000_000))],
    [
      'a long string beside a number',
      'PATCH',
      200,
      members(2, (index) => [`k${index}`, index || 'x'.repeat(10_000_000)]),
    ],
    ['a long string with a priority', 'PUT', 200, JSON.stringify({ '.value': 'x'.repeat(9_000_000), '.priority': 1 })],
    ['a string of escapes', 'PUT', 200, `"${'\\u00e9'.repeat(700_000)}"`],
    ['server values', 'PUT', 200, members(20_000, (index) => [`k${index}`, { '.sv': 'timestamp' }])],
    ['increments', 'PUT', 200, members(20_000, (index) => [`k${index}`, { '.sv': { increment: 1 } }])],
    ['one member again and again', 'PUT', 200, `{${'"a":1,'.repeat(90_000)}"a":2}`],
    ['members', 'PATCH', 200, members(30_000, (index) => [`k${index}`, index])],
    ['records of one node', 'PATCH', 200, members(60_000, (index) => [`k${index}`, { a: index, b: 'x' }])],
    ['deletes', 'PATCH', 200, members(30_000, (index) => [`k${index}`, null])],
    ['paths', 'PATCH', 200, members(10_000, (index) => [`${index % 10}/k${index}/${'v'.repeat(400)}`, index])],
    ['paths that cover each other', 'PATCH', 400, members(60_000, (index) => [index === 0 ? 'a' : `a/k${index}`, 1])],
    ['brackets', 'PUT', 400, '['.repeat(8_000_000)],
    ['levels', 'PUT', 400, `${'{"a":'.repeat(2000)}${USERS}${'}'.repeat(2000)}`],
    ['too many members', 'PUT', 400, members(250_000, (index) => [`k${index}`, 1])],
    ['digits', 'PUT', 400, `[${'1'.repeat(3_000_000)}]`],
    ['text that ends in the middle', 'PUT', 400, `[${'1,'.repeat(2_000_000)}1`],
  ])('of %s (%s, %i)', async (...[_, method, status, body, headers]) => {
    const request = () => server.send(method, '/large.json', body, headers)
    expect(await server.holdOf(request, status)).toBeLessThan(server.boundMs())
  })

  describe('of different names in every body', () => {
    let used = 0
    /** Objects of a thousand members with names that no body had before. */
    const newNames = (count: number) => {
      const first = used
      used += count
      const part = (start: number) => members(1000, (index) => [`n${first + start + index}`, 1])
      return `[${Array.from({ length: count / 1000 }, (_, index) => part(index * 1000)).join(',')}]`
    }
    const put = (child: number, count: number) =>
      server.send('PUT', `/names${child}.json?print=silent`, newNames(count))

    test.each([
      ['as many as there may be', 200_000, 204],
      ['far too many', 1_000_000, 400],
    ])('%s', async (_, count, status) => {
      expect(await server.holdOf(() => put(0, count), status)).toBeLessThan(server.boundMs())
    })
  })

  describe('of a list of long texts', () => {
    const LONG = 1_000_000
    const LISTED = 64

    const fill = async (child: (text: string) => unknown) => {
      for (let first = 0; first < LISTED; first += 8) {
        const text = (index: number) => child(`${first + index}`.padEnd(LONG, 'x'))
        const body = members(8, (index) => [`k${first + index}`, text(index)])
        await server.send('PATCH', '/long.json?print=silent', body, OWNER)
      }
    }
    const asText = (text: string) => text
    const beside = (text: string) => ({ text, number: text.length % 7 })
    const nothing = members(LISTED, (index) => [`k${index}`, null])
    const replaced = members(LISTED, (index) => [`k${index}`, 1])

    test.each<[string, (text: string) => unknown, string, string, string | undefined, number]>([
      ['deleted', asText, 'DELETE', '/long.json', undefined, 200],
      ['deleted below its children', beside, 'DELETE', '/long.json', undefined, 200],
      ['deleted one by one', asText, 'PATCH', '/long.json?print=silent', nothing, 204],
      ['replaced one by one', asText, 'PATCH', '/long.json?print=silent', replaced, 204],
      ['sorted by them', asText, 'GET', '/long.json?orderBy="$value"&limitToLast=1', undefined, 200],
      ['sorted by what is beside them', beside, 'GET', '/long.json?orderBy="number"&limitToLast=1', undefined, 200],
    ])('%s', async (...[_, child, method, target, body, status]) => {
      const request = async () => {
        await server.send('DELETE', '/long.json', undefined, OWNER)
        await fill(child)
        return server.send(method, target, body, OWNER)
      }
      expect(await server.holdOf(request, status)).toBeLessThan(server.boundMs())
    })
  })

  test('of empty arrays in place of reports on text messages', async () => {
    const body = `{"type":1,"data":[${'[],'.repeat(1_390_000)}[]]}`
    const request = () => {
      const timestamp = String(Date.now())
      const signature = signatureOf({ timestamp, body }, SMS_KEY)
      return server.send('POST', `/api/v1/app/report?timestamp=${timestamp}&signature=${signature}`, body)
    }
    expect(await server.holdOf(request, 400)).toBeLessThan(server.boundMs())
  })

  test.each([
    ['to', '/patched.json'],
    ['to, with priorities', '/patched.json?format=export'],
    ['to, sorted', '/patched.json?orderBy="$value"'],
  ])('of a PATCH of many members that somebody listens %s', async (_, listened) => {
    const body = members(199_000, (index) => [`k${index}`, 1])
    const patch = () => server.send('PATCH', '/patched.json?print=silent', body)
    expect(await holdListened(server, listened, patch)).toBeLessThan(server.boundMs())
  })

  test.each([
    ['PUT', '?print=silent', members(50_000, (index) => [`k${index}`, 1])],
    ['PUT', '', USERS],
    ['PATCH', '', USERS],
    ['GET', '?print=pretty', undefined],
    ['GET', '?shallow=true', undefined],
  ] as const)(
    'of thirty-two clients at once: %s %s',
    async (method, query, body) => {
      const one = (client: number) => server.send(method, `/client${client}.json${query}`, body)
      const request = async () => {
        const statuses = await Promise.all(Array.from({ length: 32 }, (_, client) => one(client)))
        return new Set(statuses).size === 1 ? 200 : 500
      }
      expect(await server.holdOf(request, 200)).toBeLessThan(server.boundMs())
    },
    600_000,
  )

  test('of 8 M numbers in a gzip body of 15 KB', async () => {
    const body = gzipSync(`[${'1,'.repeat(8_000_000)}1]`)
    const request = () => server.send('PUT', '/large.json', body, { 'content-encoding': 'gzip' })
    expect(await server.holdOf(request, 400)).toBeLessThan(server.boundMs())
  })
})

describe.skipIf(!canWatch)('no answer holds the event loop', () => {
  beforeAll(async () => {
    await server.send('PUT', '/users.json', USERS)
    await server.send('PUT', '/sorted.json', members(25_000, withPriority))
  })

  test.each<[string, string, Record<string, string>?]>([
    ['GET', '/users.json'],
    ['GET', '/users.json?print=pretty'],
    ['HEAD', '/users.json?print=pretty'],
    ['GET', '/users.json?callback=use&print=pretty'],
    ['GET', '/users.json?download=users.json&format=export'],
    ['GET', '/users.json', { 'x-firebase-etag': 'true' }],
    ['GET', '/sorted.json'],
    ['GET', '/sorted.json?format=export&print=pretty'],
    ['GET', '/users.json?orderBy="id"&limitToFirst=20000&print=pretty', { 'x-firebase-etag': 'true' }],
  ])('%s %s', async (...[method, target, headers]) => {
    const request = () => server.send(method, target, undefined, headers)
    expect(await server.holdOf(request, 200)).toBeLessThan(server.boundMs())
  })

  test('of keys sorted as texts, an integer among them', async () => {
    for (let part = 0; part < 3; part++) {
      await server.send(
        'PATCH',
        '/keys.json',
        members(150_000, (index) => [`k${part}x${index}`, 1]),
      )
    }
    const request = async () => {
      // What was answered before is kept until the list changes.
      await server.send('PUT', '/keys/5.json', '1')
      return server.send('GET', '/keys.json?orderBy="$key"')
    }
    expect(await server.holdOf(request, 200)).toBeLessThan(server.boundMs())
  })

  test('of a write whose cost is estimated, above many nodes', async () => {
    const chain = (levels: number): unknown => (levels === 0 ? 'x'.repeat(4097) : { a: chain(levels - 1) })
    for (let part = 0; part < 12; part++) {
      await server.send(
        'PATCH',
        '/nodes.json?print=silent',
        members(2000, (index) => [`k${part}x${index}`, chain(28)]),
      )
    }
    // It is refused once its cost is known, so that it can be asked again.
    const body = '{"nodes":{"a":1},"nothing/.priority":1}'
    const request = () => server.send('PATCH', '/.json?writeSizeLimit=tiny', body)
    expect(await server.holdOf(request, 400)).toBeLessThan(server.boundMs())
  })
})

describe.skipIf(!canWatch)('no rules file holds the event loop', () => {
  const target = '/.settings/rules.json'

  // They lock the tree.
  afterAll(() => server?.send('PUT', target, '{"rules":{".read":true,".write":true}}', OWNER))

  test.each(LARGE_FILES)('of %s', async (_, make, status) => {
    const source = make()
    const put = () => server.send('PUT', target, source, OWNER)
    expect(await server.holdOf(put, status)).toBeLessThan(server.boundMs())
    if (status !== 200) return
    const get = () => server.send('GET', target, undefined, OWNER)
    expect(await server.holdOf(get, 200)).toBeLessThan(server.boundMs())
    const check = () => server.send('PUT', `${target}?dryRun=true`, source, OWNER)
    expect(await server.holdOf(check, 200)).toBeLessThan(server.boundMs())
  })
})
