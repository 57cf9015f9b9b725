import { expect, test } from 'bun:test'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { customToken, nowInSeconds } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'
import { codeOf, logIn, OPERATOR, operate } from './console-client.ts'

const server = withServer(() =>
  startInProcess({ console: { secret: OPERATOR }, applications: { app: { secret: SECRET } } }),
)
const RULES = `{
  "rules": {
    "users": {
      "$uid": {
        ".read": "auth.uid === $uid",
        ".write": "auth.uid === $uid && (!data.exists() || data.child('open').val() === true)",
        ".validate": "newData.hasChild('name')"
      }
    }
  }
}`
const ADMIN = { Authorization: `Bearer ${SECRET}` }

/** Result of an operation of the operator. */
async function call(name: string, input: object): Promise<unknown> {
  const { headers } = await logIn(server)
  const answer = await operate(server, name, input, headers)
  expect({ name, status: answer.status, text: answer.text }).toMatchObject({ status: 200 })
  return (JSON.parse(answer.text) as { result: unknown }).result
}

/** The refusal of an operation of the operator. */
async function refusal(name: string, input: object): Promise<{ status: number; code: number; error: string }> {
  const { headers } = await logIn(server)
  const answer = await operate(server, name, input, headers)
  return { status: answer.status, code: codeOf(answer), error: (JSON.parse(answer.text) as { error: string }).error }
}

test('rules are checked, set and read', async () => {
  expect(await call('rules-check', { source: RULES })).toEqual({ problems: [] })
  const wrong = RULES.replace("hasChild('name')", 'hasChildd()')
  const { problems } = (await call('rules-check', { source: wrong })) as { problems: object[] }
  expect(problems).toEqual([
    { message: expect.stringContaining('hasChildd'), line: 7, column: expect.any(Number), severity: 'error' },
  ])
  expect(await refusal('tree-set-rules', { id: 'app', source: wrong })).toMatchObject({ status: 400, code: 20602 })
  await call('tree-set-rules', { id: 'app', source: RULES })
  expect(await call('tree-rules', { id: 'app' })).toBe(RULES)
})

test('what rules decide is explained on the tree as it is, and nothing is written', async () => {
  await call('tree-set-rules', { id: 'app', source: RULES })
  await server.call('PUT', '/users/ann.json', { headers: ADMIN, body: '{"name": "Ann"}' })
  const auth = { uid: 'ann' }
  const ask = (input: object) => call('rules-explain', { id: 'app', path: '/users/ann', auth, ...input })
  expect(await ask({ operation: 'read' })).toMatchObject({ allowed: true })
  expect(await ask({ operation: 'read', auth: null })).toMatchObject({
    allowed: false,
    trace: ['/users/$uid .read: "auth.uid === $uid" is false'],
  })
  const write = { operation: 'put', data: { name: 'Bob' } }
  expect(await ask(write)).toMatchObject({ allowed: false })
  expect(await ask({ ...write, path: '/users/bob', auth: { uid: 'bob' } })).toMatchObject({ allowed: true })
  const invalid = { ...write, path: '/users/bob', auth: { uid: 'bob' }, data: { age: 1 } }
  expect(await ask(invalid)).toMatchObject({ allowed: false })
  // Other rules than those in force.
  expect(await ask({ ...write, source: RULES.replace('!data.exists()', 'true') })).toMatchObject({ allowed: true })
  expect(await ask({ operation: 'delete' })).toMatchObject({ allowed: false })
  const query = { orderBy: '$key', limitToFirst: 1 }
  expect(await ask({ operation: 'read', path: '/users', parameters: query })).toMatchObject({ allowed: false })
  expect((await server.call('GET', '/users.json', { headers: ADMIN })).text).toBe('{"ann":{"name":"Ann"}}')
  expect(await call('tree-rules', { id: 'app' })).toBe(RULES)
})

test.each([
  ['a put without data', { operation: 'put' }],
  ['a read with data', { operation: 'read', data: 1 }],
  ['a put with a query', { operation: 'put', data: 1, parameters: { orderBy: '$key' } }],
  ['a path that is none', { operation: 'read', path: '/a[b' }],
  ['data that are none', { operation: 'put', data: { 'a.b': 1 } }],
  ['wrong rules', { operation: 'read', source: '{' }],
  ['a query that is none', { operation: 'read', parameters: { orderBy: '' } }],
  ['an unknown operation', { operation: 'list' }],
  ['a user that is a list', { operation: 'read', auth: [] }],
])('%s is not explained', async (_, input) => {
  expect(await refusal('rules-explain', { id: 'app', path: '/a', ...input })).toMatchObject({
    status: 400,
    code: 20701,
  })
})

test.each(['put', 'post', 'patch'])(
  'data of a %s that nest however deep are refused, and not explained',
  async (operation) => {
    const { headers } = await logIn(server)
    for (const depth of [40, 20_000, 50_000, 200_000]) {
      const data = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
      const body = `{"id":"app","operation":"${operation}","path":"/a","data":${data}}`
      const answer = await server.call('POST', '/.admin/operations/rules-explain', { headers, body })
      expect({ depth, status: answer.status }).toEqual({ depth, status: 400 })
    }
  },
)

test('tokens are made, and work as long as they say', async () => {
  const claims = { team: 'red' }
  const { token } = (await call('token-make', { id: 'app', uid: 'ann', claims, expiresIn: 60 })) as { token: string }
  const { payload, verdict } = (await call('token-decode', { id: 'app', token })) as Record<string, unknown>
  expect(payload).toMatchObject({ v: 1, uid: 'ann', claims, exp: expect.any(Number) })
  expect(verdict).toBe('valid')
  expect((await server.call('GET', `/a.json?auth=${token}`)).status).toBe(403)
  const made = (await call('console-token', { id: 'app' })) as { token: string; expires: number }
  const decoded = (await call('token-decode', { id: 'app', token: made.token })) as { payload: { exp: number } }
  expect(decoded.payload.exp * 1000).toBeGreaterThanOrEqual(made.expires)
  expect((await server.call('GET', `/a.json?auth=${made.token}`)).status).toBe(200)
})

test.each([
  ['no user', {}],
  ['an empty user', { uid: '' }],
  ['a user with another sign', { uid: 'a b' }],
  ['no life', { uid: 'ann', expiresIn: 0 }],
  ['a life without end', { uid: 'ann', expiresIn: 1e12 }],
  ['claims that are too long', { uid: 'ann', claims: { a: 'x'.repeat(20_000) } }],
  ['claims that are a list', { uid: 'ann', claims: [] }],
])('a token with %s is not made', async (_, input) => {
  expect(await refusal('token-make', { id: 'app', ...input })).toMatchObject({ status: 400, code: 20701 })
})

test.each([
  ['text', 'a', 'no token'],
  ['three parts', 'a.b.c', 'no token'],
  ['another secret', customToken('another secret of a test', { uid: 'ann' }), 'super secret'],
  ['the past', customToken(SECRET, { uid: 'ann', exp: nowInSeconds() - 10 }), 'expired'],
  ['no user', customToken(SECRET, {}), 'Claims'],
  ['the super secret', SECRET, 'no token'],
])('a token of %s is refused with a reason', async (_, token, reason) => {
  const result = await call('token-decode', { id: 'app', token })
  expect(result).toMatchObject({ verdict: 'refused', reason: expect.stringContaining(reason) })
})

test('a tree of any length is exported as text', async () => {
  const list = Object.fromEntries([...Array(20_000).keys()].map((key) => [`key-${key}`, 'x'.repeat(20)]))
  await server.call('PUT', '/list.json', { headers: ADMIN, body: JSON.stringify(list) })
  const { headers } = await logIn(server)
  const answer = await operate(server, 'tree-export', { id: 'app', path: ['list'] }, headers)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(JSON.parse(answer.text)).toEqual(list)
  expect((await operate(server, 'tree-export', { id: 'none', path: [] }, headers)).status).toBe(404)
})
