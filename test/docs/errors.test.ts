import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { dhole } from '../../src/index.ts'
import { DholeError, type ErrorCode } from '../../src/tree/error.ts'
import { type Answer, type CallOptions, type HttpsServer, SECRET, startServer } from '../support/https-server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { allErrors, type Documented, errorsAt, fetchDocument, operationsOf } from './document.ts'
import { expectDocumented } from './expectations.ts'

type Server = 'open' | 'locked' | 'several' | 'indexed' | 'plain'

/** A request that must fail, made from one that would not. */
interface Provocation {
  readonly server?: Server
  /** What stands for the example of the path parameter, and behind the path. */
  readonly path?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Where a request of this kind cannot come to this error by these means. */
  readonly not?: (documented: Documented) => boolean
}

const DEEP = Array.from({ length: 33 }, () => 'k').join('/')
const nested = (depth: number): string => (depth === 0 ? '1' : `{"k":${nested(depth - 1)}}`)
const isPatch = ({ method }: Documented): boolean => method === 'PATCH'
const isRead = ({ method }: Documented): boolean => method === 'GET' || method === 'HEAD'
const isWrite = (documented: Documented): boolean => !isRead(documented)

/** How each error comes about; several ways where a body and a path can do it. */
const provocations: Readonly<Partial<Record<ErrorCode, readonly Provocation[]>>> = {
  'app-not-named': [{ server: 'several' }],
  'app-unknown': [{ query: '?ns=nobody' }],
  'https-required': [{ server: 'plain' }],
  'json-suffix-missing': [{ path: 'users/alice.json/b' }],
  'bad-parameter': [
    { query: '?print=loud' },
    { query: '?orderBy="height"&equalTo=1&startAt=1' },
    { query: '?orderBy="height"&startAt=1&startAfter=1' },
    { query: '?limitToFirst=1', not: isRead },
  ],
  'bad-data': [
    { body: '{', not: isPatch },
    { body: '{"a":1e400}', not: ({ path }) => path.includes('.priority') },
  ],
  'bad-patch': [{ body: '[1]' }],
  'no-data': [{ body: '' }],
  'too-deep': [
    { path: DEEP, not: ({ path }) => !path.includes('{path}') },
    { body: nested(33), not: (documented) => isRead(documented) || documented.path.includes('.priority') },
  ],
  'key-too-long': [
    { path: 'k'.repeat(769), not: ({ path }) => !path.includes('{path}') },
    {
      body: `{"${'k'.repeat(769)}":1}`,
      not: (documented) => isRead(documented) || documented.path.includes('.priority'),
    },
  ],
  'bad-path': [{ path: 'a%2Fb' }, { path: 'a%zz' }],
  'bad-key': [{ body: '{"a#":1}' }],
  'empty-key': [{ body: '{"":1}' }],
  'priority-method': [{ path: 'users/alice/.priority' }],
  'bad-order': [
    { query: '?orderBy=height' },
    { query: '?orderBy="$height"' },
    { query: '?orderBy=""' },
    { query: '?orderBy="$key"&orderBy="$key"' },
    { query: '?orderBy="$key"&limitToFirst=1&limitToFirst=1' },
  ],
  'shallow-with-order': [{ query: '?orderBy="$key"&shallow=true' }],
  'count-with-limit': [
    { query: '?orderBy="$key"&count=true&limitToFirst=1' },
    { query: '?shallow=true&count=true&limitToLast=1' },
  ],
  'order-missing': [{ query: '?limitToFirst=1' }, { query: '?equalTo=1' }],
  'boolean-bound': [{ query: '?orderBy="height"&startAt=true' }, { query: '?orderBy="$value"&endAt=false' }],
  'bound-types-differ': [{ query: '?orderBy="height"&startAt=1&endAt="a"' }],
  'both-limits': [{ query: '?orderBy="height"&limitToFirst=1&limitToLast=1' }],
  'bad-limit': [{ query: '?orderBy="height"&limitToFirst=x' }, { query: '?shallow=true&limitToLast=0' }],
  'index-missing': [
    { server: 'indexed', path: 'dinosaurs', query: '?orderBy="height"' },
    { server: 'indexed', query: '?orderBy="$value"&count=true' },
  ],
  'key-bound': [{ query: '?orderBy="$key"&startAt=5' }, { query: '?orderBy="$key"&startAt="a","b"' }],
  'bad-bound': [
    { query: '?orderBy="height"&startAt=abc' },
    { query: '?orderBy="height"&equalTo={}' },
    { query: '?orderBy="height"&endAt="\\ud800"' },
    { query: '?orderBy="height"&endAt=1,"\\ud800"' },
  ],
  'priority-type': [{ body: '{"a":1,".priority":{}}', not: ({ path }) => path.includes('.priority') }],
  'priority-boolean': [
    { body: '{"a":1,".priority":true}', not: ({ path }) => path.includes('.priority') },
    { query: '?orderBy="$priority"&startAt=true', not: isWrite },
  ],
  'bad-server-value': [
    { query: '?sv=date' },
    { body: '{"a":{".sv":"date"}}', not: ({ path }) => path.includes('.priority') },
  ],
  'permission-denied': [{ server: 'locked' }],
  'read-too-big': [{ path: 'big' }],
  'leaf-too-big': [{ body: `{"a":"${'x'.repeat(3000)}"}` }],
  'write-too-big': [{ body: `{"a":[${'1,'.repeat(10_000)}1]}` }],
  'bad-token': [{ query: '?auth=wrong' }],
  'priority-on-nothing': [
    { path: 'ghost', not: ({ method }) => method === 'PATCH' },
    { body: '{"ghost/.priority":1}', not: ({ method }) => method !== 'PATCH' },
  ],
}

/** Cannot be brought about from outside: the disk fails, or we do. */
const UNPROVOKED: readonly ErrorCode[] = ['unavailable', 'internal']

const limits = { maxLeafBytes: 2048, maxWriteBytes: 16 * 1024, maxReadBytes: 4096 }
const servers = new Map<Server, HttpsServer>()
let plain: Elysia
let plainDir: Awaited<ReturnType<typeof tempDir>>
let operations: Documented[]
/** The body of each error in the document. */
let shown: ReadonlyMap<string, unknown>

beforeAll(async () => {
  const app = { open: true, secret: SECRET }
  servers.set('open', await startServer({ docs: true, applications: { app }, limits }))
  servers.set('locked', await startServer({ applications: { app: { secret: SECRET } } }))
  servers.set('indexed', await startServer({ applications: { app: { ...app, indexPolicy: 'require' } } }))
  servers.set('several', await startServer({ applications: { one: app, two: app } }))
  plainDir = await tempDir()
  plain = new Elysia({ handler: { standardHostname: false } })
    .use(dhole({ dataDir: plainDir.path, applications: { app } }))
    .listen({ hostname: '127.0.0.1', port: 0 })
  const document = await fetchDocument(open())
  operations = operationsOf(document)
  const examples = Object.entries(document.components?.examples ?? {}) as [string, { value: unknown }][]
  shown = new Map(examples.map(([code, { value }]) => [code, value]))
})

afterAll(async () => {
  for (const server of servers.values()) await server.stop()
  await plain.stop(true)
  await plainDir[Symbol.asyncDispose]()
})

function open(): HttpsServer {
  const server = servers.get('open')
  if (server === undefined) throw new Error('not started')
  return server
}

async function seed(big: boolean): Promise<void> {
  await open().call('DELETE', '/.json')
  await open().call('PUT', '/users/alice.json', { body: '{"name":"Alice"}' })
  if (!big) return
  for (const name of ['a', 'b', 'c']) await open().call('PUT', `/big/${name}.json`, { body: `"${'x'.repeat(2000)}"` })
}

async function send(documented: Documented, provocation: Provocation): Promise<Answer> {
  const { server = 'open', path, query = '', headers } = provocation
  const named = path === undefined ? documented.target : documented.path.replace('{path}', path)
  // Without `.json` at its end a path is no path of a node.
  const target = (path?.includes('.json') ? named.slice(0, -'.json'.length) : named) + query
  const body = provocation.body ?? { PUT: '1', POST: '1', PATCH: '{"a":1}' }[documented.method]
  const options: CallOptions = { headers, body: isRead(documented) ? undefined : body }
  const https = servers.get(server)
  if (https !== undefined) return https.call(documented.method, target, options)
  const init = { method: documented.method, ...(options.body === undefined ? {} : { body: options.body as string }) }
  const reply = await fetch(`http://127.0.0.1:${plain.server?.port}${target}`, init)
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}

/** The ways to bring an error about at one operation; a DELETE is too big by what it takes away. */
function waysTo(code: string, documented: Documented): readonly Provocation[] {
  const { path, method } = documented
  if (path.includes('.priority') && !isRead(documented)) {
    if (code === 'priority-type') return [{ body: '[]' }]
    if (code === 'priority-boolean') return [{ body: 'true' }]
    if (code === 'priority-on-nothing' && !path.includes('{path}')) return []
    if (code === 'write-too-big') return [{ body: `"${'x'.repeat(20_000)}"` }]
    if (code === 'bad-server-value') return [{ query: '?sv=date' }]
  }
  if (code === 'write-too-big' && method === 'DELETE') return []
  const ways = provocations[code as ErrorCode] ?? []
  const bodiless = isRead(documented) || method === 'DELETE'
  return ways.filter(({ body, not }) => !not?.(documented) && !(bodiless && body !== undefined))
}

test('every error documented at an operation can be brought about there, with that status and body', async () => {
  const seen = new Map<string, unknown[]>()
  for (const documented of operations) {
    for (const status of Object.keys(documented.operation.responses).map(Number)) {
      for (const code of errorsAt(documented.operation, status)) {
        if (status < 400 || status === 412 || (status === 401 && code === 'permission-denied')) continue
        for (const provocation of waysTo(code, documented)) {
          await seed(code === 'read-too-big')
          const answer = await send(documented, provocation)
          const what = `${documented.method} ${documented.path} ${code} ${JSON.stringify(provocation).slice(0, 90)}`
          expect(`${what}: ${answer.status}`).toBe(`${what}: ${status}`)
          expectDocumented(documented, answer)
          const { errcode, message } = new DholeError(code as ErrorCode).body
          const body: unknown = JSON.parse(answer.text)
          expect(body, what).toMatchObject({ errcode, message })
          seen.set(code, [...(seen.get(code) ?? []), body])
        }
      }
    }
  }
  const missing = Object.keys(provocations).filter((code) => !seen.has(code))
  expect(missing).toEqual([])
  // An example is a body that was sent, to the letter.
  for (const [code, bodies] of seen) expect(bodies).toContainEqual(shown.get(code))
})

test('no operation answers a provocation with an error it does not document', async () => {
  for (const documented of operations.filter(({ method }) => method !== 'OPTIONS')) {
    const known = allErrors(documented.operation)
    for (const [code, ways] of Object.entries(provocations)) {
      if (documented.method === 'HEAD' || known.includes(code)) continue
      // These paths would be another place of the document.
      const elsewhere = code === 'json-suffix-missing' || code === 'priority-method'
      const named = documented.path === '/{path}.json' || (documented.path.includes('{path}') && !elsewhere)
      const here = (way: Provocation) => way.path === undefined || named
      for (const provocation of ways.filter(here)) {
        await seed(false)
        const answer = await send(documented, provocation)
        const what = `${documented.method} ${documented.path} ${code} ${answer.text.slice(0, 90)}`
        if (answer.status < 400) continue
        const { errcode } = JSON.parse(answer.text) as { errcode: number }
        const numbers = known.map((name) => new DholeError(name as ErrorCode).body.errcode)
        expect(numbers, what).toContain(errcode)
      }
    }
  }
})

test('HEAD fails as GET does, without a body', async () => {
  const { status, text } = await open().call('HEAD', '/a.json?print=loud')
  expect({ status, text }).toEqual({ status: 400, text: '' })
})

test('a Firebase client is told 401 where permission is denied', async () => {
  const documented = operations.find(({ operation }) => operation.operationId === 'getNode')
  const locked = servers.get('locked')
  const answer = await locked?.call('GET', '/users/alice.json?ns=app')
  expect(answer?.status).toBe(401)
  expect(JSON.parse(answer?.text ?? '')).toEqual(new DholeError('permission-denied').body)
  expect(errorsAt(documented?.operation ?? { responses: {} }, 401)).toContain('permission-denied')
})

test('what cannot be provoked is documented all the same', () => {
  for (const { operation, path, method } of operations) {
    if (method === 'OPTIONS' || method === 'HEAD') continue
    expect(errorsAt(operation, 500)).toEqual(['internal'])
    expect(errorsAt(operation, 503)).toEqual(path.startsWith('/.info') ? [] : ['unavailable'])
  }
  const known = new Set<string>([...Object.keys(provocations), ...UNPROVOKED])
  expect(operations.flatMap(({ operation }) => allErrors(operation)).filter((code) => !known.has(code))).toEqual([])
})
