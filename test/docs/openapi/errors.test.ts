import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { DholeError, type ErrorCode } from '../../../src/error.ts'
import { bodyOf } from '../../../src/http/response/error-texts.ts'
import { dhole } from '../../../src/index.ts'
import { type Answer, type CallOptions, type HttpsServer, SECRET, startInProcess } from '../../support/https-server.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { customToken } from '../../support/token.ts'
import {
  allErrors,
  type Documented,
  errorsAt,
  fetchDocument,
  isSignIn,
  isSms,
  isSystem,
  operationsOf,
  responseOf,
} from './document.ts'
import { expectDocumented } from './expectations.ts'
import { credentialsFor, goodBody } from './good-requests.ts'
import { type Provocation, provocations, provoked, type Server, USED_KEY, waysTo } from './provocations.ts'

/** Cannot be brought about from outside: the disk fails, or we do. */
const UNPROVOKED: readonly ErrorCode[] = ['unavailable', 'internal', 'too-busy', 'body-too-slow']

const limits = { maxLeafBytes: 2048, maxWriteBytes: 16 * 1024, maxReadBytes: 4096 }
const servers = new Map<Server, HttpsServer>()
let plain: Elysia
let plainDir: Awaited<ReturnType<typeof tempDir>>
/** Those about text messages have a suite of their own. */
let operations: Documented[]
/** The body of each error in the document. */
let shown: ReadonlyMap<string, unknown>

beforeAll(async () => {
  const app = { open: true, secret: SECRET }
  const patient = { failedCredentials: 0 }
  servers.set('open', await startInProcess({ ...patient, docs: true, applications: { app }, limits }))
  servers.set('locked', await startInProcess({ ...patient, applications: { app: { secret: SECRET } } }))
  servers.set('indexed', await startInProcess({ applications: { app: { ...app, indexPolicy: 'require' } } }))
  servers.set('several', await startInProcess({ applications: { one: app, two: app } }))
  servers.set('wary', await startInProcess({ failedCredentials: 1, applications: { app } }))
  servers.set('calm', await startInProcess({ clients: { ratePerAddress: 1 }, applications: { app } }))
  plainDir = await tempDir()
  plain = new Elysia({ handler: { standardHostname: false } })
    .use(dhole({ dataDir: plainDir.path, applications: { app } }))
    .listen({ hostname: '127.0.0.1', port: 0 })
  const document = await fetchDocument(open())
  operations = operationsOf(document).filter(
    (operation) => !isSms(operation) && !isSystem(operation) && !isSignIn(operation),
  )
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
  await open().call('DELETE', '/used.json', { headers: USED_KEY })
  await open().call('PUT', '/users/alice.json', { body: '{"name":"Alice"}' })
  if (!big) return
  for (const name of ['a', 'b', 'c']) await open().call('PUT', `/big/${name}.json`, { body: `"${'x'.repeat(2000)}"` })
}

function isBodiless(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

async function send(documented: Documented, provocation: Provocation): Promise<Answer> {
  const { server = 'open', path, query = '', headers = credentialsFor(documented) } = provocation
  const named = path === undefined ? documented.target : documented.path.replace('{path}', path)
  // Without `.json` at its end a path is no path of a node.
  const target = (path?.includes('.json') ? named.slice(0, -'.json'.length) : named) + query
  const body = provocation.body ?? goodBody(documented.path, documented.method)
  const options: CallOptions = { headers, body: isBodiless(documented.method) ? undefined : body }
  const https = servers.get(server)
  // One wrong credential is one too many there.
  if (server === 'wary') await https?.call('GET', '/.json?auth=wrong')
  // Two requests are what may come at once.
  if (server === 'calm') for (const target of ['/.json', '/.json']) await https?.call('GET', target)
  if (https !== undefined) return https.call(documented.method, target, options)
  const init = { method: documented.method, ...(options.body === undefined ? {} : { body: options.body }) }
  const reply = await fetch(`http://127.0.0.1:${plain.server?.port}${target}`, init)
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}

test('every error documented at an operation can be brought about there, with that status and body', async () => {
  const seen = new Set<string>()
  const bodies: unknown[] = []
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
          const body: unknown = JSON.parse(answer.text)
          expect(body, what).toMatchObject(expectedBody(documented, status, code as ErrorCode))
          seen.add(code)
          bodies.push(body)
        }
      }
    }
  }
  const missing = provoked.filter((code) => !seen.has(code))
  expect(missing).toEqual([])
  // An example is a body that was sent, to the letter.
  for (const code of seen) if (shown.has(code)) expect(bodies).toContainEqual(shown.get(code))
})

/** What is known of an error's body: an example where it stands, or the row of the table. */
function expectedBody({ operation }: Documented, status: number, code: ErrorCode): object {
  const example = responseOf(operation, status)?.content?.['application/json']?.examples?.[code]
  if (example !== undefined && 'value' in example) return example.value as object
  const { errcode, message } = bodyOf(new DholeError(code))
  return { errcode, message }
}

/** The number of an error, in either of the shapes there are. */
function errcodeOf(text: string): number {
  const { errcode, error } = JSON.parse(text) as { errcode?: number; error: { code: string } }
  return errcode ?? Number(error.code)
}

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
        const numbers = known.map((name) => bodyOf(new DholeError(name as ErrorCode)).errcode)
        expect(numbers, what).toContain(errcodeOf(answer.text))
      }
    }
  }
})

test('HEAD fails as GET does, without a body', async () => {
  const { status, text } = await open().call('HEAD', '/a.json?print=loud')
  expect({ status, text }).toEqual({ status: 400, text: '' })
})

test('whoever is refused for wrong credentials is told when to come again', async () => {
  const wary = servers.get('wary')
  const token = 'wrong'
  await wary?.call('GET', '/.json?auth=wrong')
  const exchange = { body: JSON.stringify({ token }) }
  const answers = [
    await wary?.call('GET', `/.json?auth=${token}`),
    await wary?.call('POST', '/.auth/customTokenToIdToken.json', exchange),
  ]
  for (const answer of answers) {
    expect({ status: answer?.status, wait: answer?.headers.get('retry-after') }).toEqual({ status: 429, wait: '60' })
  }
  expect((await wary?.call('GET', '/.json'))?.status).toBe(200)
  const documented = operations.filter(({ operation }) => responseOf(operation, 429) !== undefined)
  expect(documented).toHaveLength(operations.filter(({ method }) => method !== 'OPTIONS').length)
  for (const { operation } of documented) expect(responseOf(operation, 429)?.headers).toHaveProperty('Retry-After')
})

test.each([
  ['open', 200],
  ['locked', 403],
] as const)(
  'a token that asks for it is told by the %s server what the rules said, where the document says so',
  async (name, status) => {
    const auth = customToken(SECRET, { uid: 'alice', debug: true })
    await seed(false)
    for (const documented of operations.filter(({ method }) => method !== 'OPTIONS')) {
      const { headers } = (await servers.get(name)?.call(documented.method, `${documented.target}?auth=${auth}`, {
        body: isBodiless(documented.method) ? undefined : goodBody(documented.path, documented.method),
      })) ?? { headers: new Headers() }
      const known = responseOf(documented.operation, status)?.headers ?? {}
      const told = headers.has('x-firebase-auth-debug')
      expect({ target: documented.target, told }).toEqual({
        target: documented.target,
        told: Object.hasOwn(known, 'X-Firebase-Auth-Debug'),
      })
    }
  },
)

test('a Firebase client is told 401 where permission is denied', async () => {
  const documented = operations.find(({ operation }) => operation.operationId === 'getNode')
  const locked = servers.get('locked')
  const answer = await locked?.call('GET', '/users/alice.json?ns=app')
  expect(answer?.status).toBe(401)
  expect(JSON.parse(answer?.text ?? '')).toEqual(bodyOf(new DholeError('permission-denied')))
  expect(errorsAt(documented?.operation ?? { responses: {} }, 401)).toContain('permission-denied')
})

test('what cannot be provoked is documented all the same', () => {
  for (const { operation, path, method } of operations) {
    if (method === 'OPTIONS' || method === 'HEAD') continue
    expect(errorsAt(operation, 500)).toEqual(['internal'])
    expect(errorsAt(operation, 503)).toEqual(path.startsWith('/.info') ? ['too-busy'] : ['unavailable', 'too-busy'])
  }
  const known = new Set<string>([...provoked, ...UNPROVOKED])
  expect(operations.flatMap(({ operation }) => allErrors(operation)).filter((code) => !known.has(code))).toEqual([])
})
