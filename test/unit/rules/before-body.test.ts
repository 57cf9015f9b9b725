import { describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import fc from 'fast-check'
import type { Reach } from '../../../src/rules/decision/may-write-some.ts'
import { parseRules } from '../../../src/rules/file/rule-set.ts'
import type { Value } from '../../../src/tree/value.ts'
import { errorBody, errors } from '../../protocol/rest/errors.ts'
import { SECRET } from '../../support/https-server.ts'
import { turns } from '../../support/store.ts'
import { customToken } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'
import { chanceOf, judge } from './driver.ts'

const admin = `auth=${encodeURIComponent(SECRET)}`
const ann = `auth=${customToken(SECRET, { uid: 'ann' })}`
/** Sent with each request: it is no JSON, so the answer shows whether it was read. */
const BROKEN = '{'
/** Length of a body that is judged before it is read. */
const LONG_BYTES = 17 * 1024

const server = withServer()

async function begin(rules: unknown, data: unknown = null): Promise<void> {
  await server.call('PUT', `/.json?${admin}`, { body: JSON.stringify(data) })
  const body = JSON.stringify({ rules })
  expect((await server.call('PUT', `/.settings/rules.json?${admin}`, { body })).status).toBe(200)
}

const LOCKED = {}
const OWN = { users: { $user: { '.write': 'auth.uid === $user' } } }
const SIGNED_IN = { a: { $b: { '.write': 'newData.child("x").exists() && auth != null && newData.isString()' } } }
const CREATE = { a: { '.write': '!data.exists() && newData.exists()' } }

describe('a body is read only where some payload could be allowed', () => {
  test.each([
    ['no rule', LOCKED, 'PUT /a', 'refused'],
    ['no rule', LOCKED, 'POST /a', 'refused'],
    ['no rule', LOCKED, 'PATCH /', 'refused'],
    ['no rule, and POST means PATCH', LOCKED, 'POST /?x-http-method-override=PATCH', 'refused'],
    ['false', { '.write': false, a: { '.write': 'false' } }, 'PATCH /', 'refused'],
    ['true above', { a: { '.write': true, b: { '.write': false } } }, 'PUT /a/b/c', 'read'],
    ['true beside', { a: { '.write': true } }, 'PUT /b', 'refused'],
    ['true below, where PUT does not ask', { a: { b: { '.write': true } } }, 'PUT /a', 'refused'],
    ['true below, where PATCH does', { a: { b: { c: { '.write': true } } } }, 'PATCH /a', 'read'],
    ['true for any child, of POST', { a: { $b: { '.write': true } } }, 'POST /a', 'read'],
    ['true for a named child, of POST', { a: { b: { '.write': true } } }, 'POST /a', 'refused'],
    ['own node of nobody', OWN, 'PUT /users/ann', 'refused'],
    ['own node of somebody else', OWN, `PUT /users/bob?${ann}`, 'refused'],
    ['own node', OWN, `PUT /users/ann/name?${ann}`, 'read'],
    ['own node of nobody, of PATCH', OWN, 'PATCH /', 'refused'],
    ['own node of nobody, of POST', OWN, 'POST /users', 'refused'],
    ['some own node, of PATCH', OWN, `PATCH /users?${ann}`, 'read'],
    ['a signed in user', SIGNED_IN, `PUT /a/b?${ann}`, 'read'],
    ['nobody signed in', SIGNED_IN, 'PUT /a/b', 'refused'],
    ['nobody signed in, of POST', SIGNED_IN, 'POST /a', 'refused'],
    ['what is sent alone', { '.write': 'newData.exists()' }, 'PUT /a', 'read'],
    ['what is sent, or somebody', { '.write': 'auth != null || newData.exists()' }, 'PUT /a', 'read'],
    ['neither by a negation', { '.write': '!newData.exists() && auth != null' }, 'PUT /a', 'refused'],
    ['a choice of two that are false', { '.write': 'newData.exists() ? auth != null : false' }, 'PUT /a', 'refused'],
    ['a choice of which one is not', { '.write': 'newData.exists() ? auth != null : true' }, 'PUT /a', 'read'],
    ['a rule without an answer', { '.write': 'auth.uid.length > 3 && newData.exists()' }, 'PUT /a', 'refused'],
    [
      'a key of PATCH that is compared with what is sent',
      { a: { $k: { '.write': 'newData.val() == $k' } } },
      'PATCH /a',
      'read',
    ],
    ['a key of PATCH that is not the user', { a: { $k: { '.write': '$k != auth.uid' } } }, 'PATCH /a', 'read'],
    [
      'a key of PATCH that is compared with a failure',
      { a: { $k: { '.write': "auth.uid + 'x' == $k" } } },
      'PATCH /a',
      'refused',
    ],
    ['a priority', { a: { '.write': 'newData.getPriority() > 1' } }, 'PUT /a/.priority', 'read'],
    ['a priority of nobody', LOCKED, 'PUT /a/.priority', 'refused'],
  ])('%s: %j, %s', async (_, rules, request, outcome) => {
    await begin(rules)
    const [method = '', target = ''] = request.split(' ')
    const [path = '', query] = target.split('?')
    const answer = await server.call(method, `${path === '/' ? '/' : path}.json${query ? `?${query}` : ''}`, {
      body: BROKEN,
    })
    expect(answer.status).toBe(outcome === 'read' ? 400 : 403)
    // A short body is judged after it is read, these before.
    for (const [body, headers] of [
      [BROKEN.padEnd(LONG_BYTES), {}],
      [Bun.gzipSync(BROKEN), { 'Content-Encoding': 'gzip' }],
    ] as const) {
      const long = await server.call(method, `${path === '/' ? '/' : path}.json${query ? `?${query}` : ''}`, {
        body,
        headers,
      })
      expect([long.status, long.text]).toEqual([answer.status, answer.text])
    }
  })

  test('a short one that is late, too', async () => {
    await begin({ mine: { '.write': 'auth != null && data.exists()' } })
    const head = `PUT /mine.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1\r\n\r\n`
    for (const rest of [BROKEN, '1']) {
      const socket = connect({ port: server.port, host: 'localhost', ca: server.ca })
      socket.write(head)
      await once(socket, 'secureConnect')
      await turns(20)
      socket.write(rest)
      expect(await text(socket)).toStartWith('HTTP/1.1 403 ')
    }
  })

  test('as the tree is now', async () => {
    await begin(CREATE)
    expect((await server.call('PUT', '/a.json', { body: '1' })).status).toBe(200)
    const refused = await server.call('PUT', '/a.json', {
      body: Bun.gzipSync('2'),
      headers: { 'Content-Encoding': 'x' },
    })
    expect([refused.status, JSON.parse(refused.text)]).toEqual([403, errorBody(errors.denied)])
    expect((await server.call('DELETE', `/a.json?${admin}`)).status).toBe(200)
    expect((await server.call('PUT', '/a.json', { body: '3' })).text).toBe('3')
  })

  test('or the same write was done before', async () => {
    await begin(CREATE)
    const headers = { 'Idempotency-Key': 'once' }
    for (const _ of ['first', 'again'])
      expect((await server.call('PUT', '/a.json', { body: '1', headers })).text).toBe('1')
    for (const body of ['2', BROKEN]) {
      const other = await server.call('PUT', '/a.json', { body, headers: { 'Idempotency-Key': 'other' } })
      expect(other.status).toBe(403)
    }
  })

  test('and what is wrong with it tells nothing of the tree', async () => {
    const rules = { a: { '.write': 'data.exists() && newData.child("pin").val() == data.child("pin").val()' } }
    for (const [method, body] of [
      ['PUT', BROKEN],
      ['PUT', ''],
      ['PUT', '{"$":1}'],
      ['PATCH', '{}'],
      ['PATCH', '[]'],
      ['POST', BROKEN],
      ['PUT', '{"pin":6}'],
    ] as const) {
      const seen: string[] = []
      for (const data of [null, { a: { pin: 7 } }]) {
        await begin(rules, data)
        const { status, text } = await server.call(method, '/a.json', { body })
        seen.push(`${status} ${text}`)
      }
      expect([method, body, seen[0]]).toEqual([method, body, seen[1] ?? ''])
    }
    await begin(rules, { a: { pin: 7 } })
    expect((await server.call('PUT', '/a.json', { body: '{"pin":7,"b":1}' })).status).toBe(200)
    expect((await server.call('PATCH', '/a.json', { body: '{"b":2}' })).text).toBe('{"b":2}')
  })
})

test('what is refused before the body would be refused whatever is in it', () => {
  const atom = fc.constantFrom(
    'auth != null',
    'auth.uid == $k',
    'auth.uid != $k',
    '$k == "a"',
    'newData.exists()',
    'newData.val() == 1',
    'newData.parent().child("b").exists()',
    'data.exists()',
    'data.child("b").val() == newData.child("b").val()',
    'root.child("a").child($k).exists()',
    'auth.level > 1',
    'newData.val() > 0',
    'now > 500',
    'true',
    'false',
  )
  const { rule } = fc.letrec<{ rule: string }>((tie) => ({
    rule: fc.oneof(
      { maxDepth: 3 },
      atom,
      fc
        .tuple(tie('rule'), fc.constantFrom('&&', '||'), tie('rule'))
        .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
      tie('rule').map((inner) => `!(${inner})`),
      fc.tuple(tie('rule'), tie('rule'), tie('rule')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    ),
  }))
  const value = fc.constantFrom<Value | null>(null, 1, 'x', { b: 1 }, { a: { b: 1 } })
  const key = fc.constantFrom('a', 'b', '-Nxxxxxxxxxxxxxxxxxxx')
  const auth = fc.constantFrom(null, { uid: 'a' }, { uid: 'c', level: 2 })
  const request = fc.record({
    rule,
    value,
    key,
    before: value,
    auth,
    reach: fc.constantFrom<Reach>('node', 'new-child', 'below'),
  })
  fc.assert(
    fc.property(request, ({ rule: text, value: written, key: child, before, auth: who, reach }) => {
      const source = JSON.stringify({ rules: { a: { '.write': 'newData.val() == 7', $k: { '.write': text } } } })
      const rules = parseRules(source)
      const given = { auth: who, before: before ?? undefined }
      const chance = chanceOf(rules, reach === 'node' ? `/a/${child}` : '/a', reach, given)
      const verdict = judge(rules, { ...given, writes: { [`/a/${child}`]: written } })
      if (chance === 'none') expect(verdict.allowed).toBe(false)
      if (chance === 'sure') expect(verdict.allowed).toBe(true)
    }),
    { numRuns: 1000 },
  )
})
