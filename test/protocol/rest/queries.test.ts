import { describe, expect, test } from 'bun:test'
import type { DholeOptions } from '../../../src/index.ts'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { inLanes, longTest, someInLanes } from '../../support/lane.ts'
import { withServer } from '../../support/with-server.ts'
import { S } from './data-sets.ts'
import { errorBody, errors } from './errors.ts'
import { type Call, type Case, play } from './interpreter.ts'
import { declaredIndexes, firebaseQueries, indexedQueries, requiredIndexes } from './queries/clients.ts'
import { queryErrors } from './queries/errors.ts'
import { queries } from './queries/queries.ts'

const app = { open: true, secret: SECRET } as const

/** Plays tables against a service of its own. */
function against(what: string, options: DholeOptions, tables: readonly (readonly Case[])[]): void {
  describe(what, () => {
    const server = withServer(() => startInProcess({ applications: { app }, ...options }))
    test.each(tables.flat().map((row) => [row.name, row] as const))('%s', (_, row) => play(row, server.call))
  })
}

/** In the short lane each of two services has an eighth of the rows, all of which a third one has. */
function eighth(which: 0 | 1): readonly Case[] {
  return inLanes(
    queries.filter((_, at) => at % 8 === which),
    queries,
  )
}

against('every list has an index', { storage: { shortList: 0, inlineLength: 0 } }, [
  someInLanes(queries, 3),
  queryErrors,
])

against(
  'indexes are declared, and lists soon long',
  {
    applications: {
      app: { ...app, indexes: { ...declaredIndexes, '/list': ['h', '.value', 'a/b'], '/$list': ['h'] } },
    },
    storage: { shortList: 5, inlineLength: 30 },
  },
  [eighth(0)],
)

const COVERING = ['h', '.value', 'a/b', 'n', 'o/p'].map((child) => ({ child, covering: true }))

against(
  'indexes cover',
  {
    applications: { app: { ...app, indexes: { '/$list': COVERING, '/$list/$one': COVERING } } },
    storage: { shortList: 0 },
  },
  [eighth(1)],
)

against('profile firebase', { applications: { app: { ...app, profile: 'firebase' } } }, [firebaseQueries])

against(
  'profile firebase, every list has an index',
  { applications: { app: { ...app, profile: 'firebase' } }, storage: { shortList: 0, inlineLength: 0 } },
  [someInLanes(firebaseQueries, 3)],
)

against(
  'indexes are required, some declared',
  { applications: { app: { ...app, indexPolicy: 'require', indexes: declaredIndexes } } },
  [indexedQueries],
)

against('indexes are required', { applications: { app: { ...app, indexPolicy: 'require' } } }, [requiredIndexes])

/** What shows that a Firebase client is asking. */
const marks: Readonly<Record<string, (call: Call) => Call>> = {
  ns: (call) => (method, target, options) =>
    call(method, `${target}${target.includes('?') ? '&' : '?'}ns=app`, options),
  access_token: (call) => (method, target, options) =>
    call(method, `${target}${target.includes('?') ? '&' : '?'}access_token=${encodeURIComponent(SECRET)}`, options),
  'X-Firebase-ETag': (call) => withHeader(call, 'X-Firebase-ETag', 'true'),
  'X-Firebase-Decoding': (call) => withHeader(call, 'X-Firebase-Decoding', '1'),
  'Authorization: Bearer': (call) => withHeader(call, 'Authorization', `Bearer ${SECRET}`),
  'x-goog-api-client': (call) => withHeader(call, 'x-goog-api-client', 'gl-node/20'),
}

function withHeader(call: Call, name: string, value: string): Call {
  return (method, target, options = {}) =>
    call(method, target, { ...options, headers: { ...options.headers, [name]: value } })
}

describe.each(Object.keys(marks))('a Firebase client, known by %s', (mark) => {
  const server = withServer()
  const call = marks[mark]?.(server.call) ?? server.call
  // In the short lane each way to know a client has a sixth of the rows, which all of them together cover.
  const ways = Object.keys(marks)
  const rows = inLanes(
    firebaseQueries.filter((_, at) => at % ways.length === ways.indexOf(mark)),
    firebaseQueries,
  )
  test.each(rows.map((row) => [row.name, row] as const))('%s', (_, row) => play(row, call))
})

test('permission is asked before an index is missed', async () => {
  await using closed = await startInProcess({ applications: { app: { secret: SECRET, indexPolicy: 'require' } } })
  const denied = await closed.call('GET', '/scores.json?orderBy="$value"')
  expect([denied.status, JSON.parse(denied.text)]).toEqual([403, errorBody(errors.denied)])
  const malformed = await closed.call('GET', '/scores.json?orderBy=x')
  expect([malformed.status, JSON.parse(malformed.text)]).toEqual([400, errorBody(errors.order)])
})

test('an answer is as large as a read may be, whatever the list', async () => {
  await using server = await startInProcess({ limits: { maxReadBytes: 2000 } })
  const list = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`k${index}`, { h: index, t: 'x'.repeat(90) }]),
  )
  expect((await server.call('PUT', '/l.json?print=silent', { body: JSON.stringify(list) })).status).toBe(204)
  const whole = await server.call('GET', '/l.json?orderBy="h"')
  expect([whole.status, JSON.parse(whole.text)]).toEqual([400, errorBody(errors.readTooBig)])
  const many = await server.call('GET', '/l.json?orderBy="h"&limitToLast=100')
  expect([many.status, JSON.parse(many.text)]).toEqual([400, errorBody(errors.readTooBig)])
  expect((await server.call('GET', '/l.json?orderBy="h"&limitToLast=1')).text).toBe(
    `{"k199":${JSON.stringify(list['k199'])}}`,
  )
  expect((await server.call('GET', '/l.json?orderBy="h"&startAt=10&count=true')).text).toBe('190')
})

longTest('a query that takes longer than its timeout is given up', async () => {
  await using slow = await startInProcess({ storage: { inlineLength: 0, cacheLength: 0 } })
  // Far more than one stretch of work, however fast the machine.
  const CHILDREN = 40_000
  const body = JSON.stringify(
    Object.fromEntries(Array.from({ length: CHILDREN }, (_, index) => [`key-${index}`, { h: -index }])),
  )
  expect((await slow.call('PUT', '/big.json?print=silent', { body })).status).toBe(204)
  const refused = await slow.call('GET', '/big.json?orderBy="h"&timeout=0.001ms')
  expect([refused.status, JSON.parse(refused.text)]).toEqual([400, errorBody(errors.readTooBig)])
  const found = await slow.call('GET', '/big.json?orderBy="h"&limitToFirst=1&timeout=15min')
  expect(found.text).toBe(`{"key-${CHILDREN - 1}":{"h":${1 - CHILDREN}}}`)
})

test('queries of one list from many clients agree while the list is written', async () => {
  await using server = await startInProcess({ storage: { shortList: 0 } })
  await server.call('PUT', '/.json', { body: JSON.stringify(S) })
  // The sum of two values never changes: no answer may show one without the other.
  const move = async (step: number) => {
    const body = JSON.stringify({ ann: 100 + step, bob: 100 - step })
    expect((await server.call('PATCH', '/scores.json', { body })).status).toBe(200)
  }
  await move(0)
  const asked = Array.from({ length: 50 }, async (_, step) => {
    const write = move(step % 5)
    const { text } = await server.call('GET', '/scores.json?orderBy="$value"&startAt=95')
    await write
    return Object.values(JSON.parse(text) as Record<string, number>).reduce((sum, value) => sum + value, 0)
  })
  expect(new Set(await Promise.all(asked))).toEqual(new Set([200]))
})

test('an index that is made while its list is written misses nothing', async () => {
  await using server = await startInProcess()
  const indexes = Array.from({ length: 6_000 }, (_, index) => index)
  const textOf = (heights: readonly (readonly [number, number])[]) =>
    JSON.stringify(Object.fromEntries(heights.map(([index, h]) => [`k${index}`, { h }])))
  const body = textOf(indexes.map((index) => [index, index]))
  expect((await server.call('PUT', '/l.json?print=silent', { body })).status).toBe(204)
  const asked = server.call('GET', '/l.json?orderBy="h"&startAt=0&limitToFirst=1')
  // Every child once, before, behind and at the end of what is built: a seventh go, the others go to one of both ends.
  const goes = (index: number) => index % 7 === 0
  const height = (index: number) => (index % 2 === 0 ? 1_000_000 + index : -index)
  const writes = Array.from({ length: 200 }, (_, first) => {
    const own = indexes.filter((index) => index % 200 === first)
    const patch = own.map((index) => (goes(index) ? [`k${index}`, null] : [`k${index}/h`, height(index)]))
    return server.call('PATCH', '/l.json?print=silent', { body: JSON.stringify(Object.fromEntries(patch)) })
  })
  expect((await asked).status).toBe(200)
  for (const { status } of await Promise.all(writes)) expect(status).toBe(204)
  const sorted = indexes
    .filter((index) => !goes(index))
    .map((index) => [index, height(index)] as const)
    .sort(([, left], [, right]) => left - right)
  const low = sorted.filter(([, h]) => h < 0)
  expect((await server.call('GET', '/l.json?orderBy="h"')).text).toBe(textOf(sorted))
  expect((await server.call('GET', '/l.json?orderBy="h"&endBefore=0')).text).toBe(textOf(low))
  const high = await server.call('GET', '/l.json?orderBy="h"&startAt=0&count=true')
  expect(high.text).toBe(String(sorted.length - low.length))
})
