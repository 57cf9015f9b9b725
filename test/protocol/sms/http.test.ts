import { describe, expect, test } from 'bun:test'
import { startApplications } from '../../../src/dhole.ts'
import { DholeError } from '../../../src/error.ts'
import { OwnMachine } from '../../../src/http/connection/own-machine.ts'
import { Transport } from '../../../src/http/connection/transport.ts'
import type { Service } from '../../../src/http/exchange.ts'
import { ClientLimits } from '../../../src/http/limits/client-limits.ts'
import { Routes } from '../../../src/http/plugin.ts'
import { OpenConnections } from '../../../src/http/sdk/connection/open-connections.ts'
import { OpenStreams } from '../../../src/http/streams/open-streams.ts'
import { type Observer, silentObserver } from '../../../src/observer.ts'
import type { Messages } from '../../../src/sms/messages.ts'
import { makeApplications, storageOf } from '../../support/engine.ts'
import { exchangeOf } from '../../support/exchange.ts'
import { readHttp1 } from '../../support/reader.ts'
import { sharedCertificate } from '../../support/shared-certificate.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { encoded, FORM, mobiles, pushed, SmsClient, signed, timestamp } from './calls.ts'
import { application, SMS_KEY } from './service.ts'

const limits = new ClientLimits()
const transport = new Transport([], new OwnMachine())

/** Routes over applications of their own, asked without a connection, or behind a listener. */
interface Scene extends AsyncDisposable {
  readonly routes: Routes
  /** The same for exchanges made outside of the routes. */
  readonly parts: Partial<Service>
  /** What nobody foresaw, in order. */
  readonly unforeseen: unknown[]
  ask(method: string, target: string, init?: RequestInit): Promise<Response>
}

interface SceneOptions {
  /** In place of the messages of the application. */
  readonly messages?: () => Messages
  /** Names of applications that are opened when they are asked for, one at a time. */
  readonly onDemand?: readonly string[]
}

async function scene({ messages, onDemand = [] }: SceneOptions = {}): Promise<Scene> {
  const dir: TempDir = await tempDir()
  await makeApplications(dir.path, onDemand)
  const known = { ...application(), secret: 'a secret of the test suite' }
  const { applications } = startApplications(
    { ...storageOf(dir.path), dataDir: dir.path, applications: { app: application() } },
    { find: (id) => (onDemand.includes(id) ? known : undefined), idleMs: 3_600_000, maxOpen: 1 },
  )
  if (messages !== undefined) {
    Object.defineProperty(await applications.choose('app', ''), 'messages', { get: messages })
  }
  const unforeseen: unknown[] = []
  const requestFailed: Observer['requestFailed'] = (_method, _path, error) => void unforeseen.push(error)
  const parts = { applications, observer: { ...silentObserver, requestFailed } }
  const routes = new Routes({
    ...parts,
    transport,
    limits,
    streams: new OpenStreams(),
    connections: new OpenConnections(),
    prefix: '',
    streamHost: undefined,
    admin: undefined,
    metrics: undefined,
    docs: false,
    strictTransport: undefined,
  })
  return {
    routes,
    parts,
    unforeseen,
    ask: async (method, target, init = {}) =>
      routes.handle(new Request(`https://localhost${target}`, { ...init, method }), null),
    [Symbol.asyncDispose]: async () => {
      await applications.close()
      await dir[Symbol.asyncDispose]()
    },
  }
}

function throwing(error: unknown): () => Messages {
  return () => {
    throw error
  }
}

/** Messages whose every answer is the same failure. */
function failing(error: unknown): () => Messages {
  return (() => ({
    key: SMS_KEY,
    admit() {},
    batch: () => Promise.reject(error),
    lease: () => Promise.reject(error),
  })) as unknown as () => Messages
}

const unavailable = { errcode: 70210, message: 'sms status query failure', error: 'The app is out of service' }
const failed = { errcode: 70210, message: 'sms status query failure', error: 'sms status query failure' }

describe('what goes wrong on our side', () => {
  const surprise = new Error('a path of this machine')
  test.each([
    ['out of service before it is asked', throwing(new DholeError('unavailable')), 503, unavailable, []],
    ['out of service when it is asked', failing(new DholeError('unavailable')), 503, unavailable, []],
    ['nobody foresaw, before', throwing(surprise), 500, failed, [surprise]],
    ['nobody foresaw, when it is asked', failing(surprise), 500, failed, [surprise]],
    [
      'no key',
      throwing(new DholeError('sms-key-unknown')),
      500,
      { errcode: 70211, message: 'sms key query failure', error: 'sms key query failure' },
      [],
    ],
  ])('%s', async (_, given, status, body, told) => {
    await using here = await scene({ messages: given })
    for (const query of [`v1/app/status?${encoded(signed({ rrid: 'r' }))}`, newsQuery('app')]) {
      const reply = await here.ask('GET', `/api/${query}`)
      expect(reply.status).toBe(status)
      expect(await reply.json()).toEqual(body)
      expect(here.unforeseen.splice(0)).toEqual(told)
    }
  })

  test('what an error of the tree is called here', async () => {
    await using here = await scene({ messages: failing(new DholeError('bad-data')) })
    const reply = await here.ask('GET', `/api/${newsQuery('app')}`)
    expect(await reply.json()).toEqual(failed)
    expect(here.unforeseen).toHaveLength(1)
  })
})

test('the key is not looked for before a request could be good', async () => {
  const keyless = new DholeError('sms-key-unknown')
  const messages = {
    get key(): string {
      throw keyless
    },
  }
  await using here = await scene({ messages: (() => messages) as unknown as () => Messages })
  for (const [target, code] of [
    ['v1/app/status?rrid=r', 70206],
    ['v1/app/status?signature=x', 70002],
    ['v2/app/status?signature=x', 70002],
    ['v2/app/status?timestamp=1&signature=x', 70203],
    ['v1/app/dlr?source=a', 70206],
    ['v1/app/dlr?token=a', 70002],
    ['v1/app/status?rrid=r&signature=x', 70211],
    ['v1/app/dlr?source=a&token=x', 70211],
    [newsQuery('app'), 70211],
  ] as const) {
    expect([target, await errcodeOf(await here.ask('GET', `/api/${target}`))]).toEqual([target, code])
  }
})

test('an application that is being handed over stays open until that has ended', async () => {
  await using here = await scene({ onDemand: ['first', 'second'] })
  const tls = await sharedCertificate()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls,
    fetch: (request, listener) => here.routes.handle(request, listener),
  })
  const first = new SmsClient(async (method, target, { body, headers } = {}) => {
    const reply = await here.ask(method, target, { body: body as string, headers: { ...headers } })
    return { status: reply.status, headers: reply.headers, text: await reply.text() }
  }, 'first')
  for (let batch = 0; batch < 40; batch++) {
    const numbers = mobiles(100, batch * 100)
    const rrid = await first.record(numbers)
    await first.report(...numbers.map((mobile) => pushed(rrid, mobile)))
  }
  const other = `/api/v1/second/status?${encoded(signed({ rrid: 'r' }))}`

  const reader = readHttp1({ port: server.port ?? 0, ca: tls.cert }, `/api/${newsQuery('first')}`)
  await reader.until(({ text }) => text.length >= 1024)
  reader.pause()
  // Its answer is there, but not with the client.
  expect((await here.ask('GET', other)).status).toBe(503)
  reader.cut()
  while ((await here.ask('GET', other)).status === 503) await new Promise(setImmediate)
  expect(await (await here.ask('GET', other)).json()).toEqual({ status: 'ok', data: [] })
  // Whoever waited for it to be opened holds it until the turn is over.
  await new Promise(setImmediate)
  expect((await first.fresh()).length).toBe(4000)
  expect(here.unforeseen).toEqual([])
  await server.stop(true)
})

describe('methods', () => {
  const both = 'GET, POST, OPTIONS'
  test.each([
    ['v2/app/status', both],
    ['v1/app/status', both],
    ['v1/app/dlr', both],
    ['v2/app/send', 'POST, OPTIONS'],
    ['v1/app/send', 'POST, OPTIONS'],
    ['v1/app/batch/record', 'POST, OPTIONS'],
    ['v1/app/report', 'POST, OPTIONS'],
    ['v1/carrier-codes', 'GET, OPTIONS'],
  ])('of %s are %s', async (path, allowed) => {
    await using here = await scene()
    for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE']) {
      const reply = await here.ask(method, `/api/${path}`, { headers: { 'X-HTTP-Method-Override': 'GET' } })
      const isAllowed = allowed.split(', ').includes(method)
      expect([method, reply.status === 405]).toEqual([method, !isAllowed])
      if (!isAllowed) expect(reply.headers.get('allow')).toBe(allowed)
    }
    expect((await here.ask('OPTIONS', `/api/${path}`)).status).toBe(204)
  })
})

describe('answers', () => {
  test('wear nothing that those of the tree can wear', async () => {
    await using here = await scene()
    const fields = signed({ rrid: 'r', print: 'pretty', callback: 'f', download: 'x', ns: 'other', shallow: 'true' })
    const reply = await here.ask('GET', `/api/v1/app/status?${encoded(fields)}`)
    expect(await reply.text()).toBe('{"status":"ok","data":[]}')
    const refusal = await here.ask('GET', '/api/v1/app/status?print=pretty&callback=f')
    expect(await refusal.text()).toBe(
      '{"errcode":70206,"message":"sms params signature empty","error":"sms params signature empty"}',
    )
    expect(refusal.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    refusal.headers.delete('x-request-id')
    for (const { headers } of [reply, refusal]) {
      expect(Object.fromEntries(headers)).toEqual({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-cache',
        'access-control-allow-origin': '*',
        'access-control-expose-headers':
          'ETag, X-Firebase-Auth-Debug, Idempotency-Replayed, X-Request-Id, X-Dhole-Position',
        'x-content-type-options': 'nosniff',
      })
    }
  })

  test('come over HTTPS alone', async () => {
    await using here = await scene()
    for (const path of [newsQuery('app'), 'v1/carrier-codes', 'v1/none/status']) {
      const reply = await here.routes.handle(new Request(`http://localhost/api/${path}`), null)
      expect([reply.status, await errcodeOf(reply)]).toEqual([404, 20106])
    }
  })
})

describe('a body', () => {
  /** A body that remembers whether anybody has begun to read it. */
  function watched(text: string): { readonly body: ReadableStream<Uint8Array>; readonly isRead: () => boolean } {
    let isRead = false
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          isRead = true
          controller.enqueue(new TextEncoder().encode(text))
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    return { body, isRead: () => isRead }
  }

  test.each([
    ['of an unknown application', 'v1/none/report', { timestamp: timestamp(), signature: 'x' }, 70001],
    ['of an unknown call', 'v1/app/notify/send', {}, 70002],
    ['of reports without a signature', 'v1/app/report', { timestamp: timestamp() }, 70206],
    ['of reports without a time', 'v1/app/report', { signature: 'x' }, 70002],
    ['of reports of another time', 'v1/app/report', { timestamp: '1', signature: 'x' }, 70203],
  ])('%s is not looked at', async (_, path, fields, errcode) => {
    await using here = await scene()
    const { body, isRead } = watched('x'.repeat(100))
    const request = new Request(`https://localhost/api/${path}?${encoded(fields)}`, {
      method: 'POST',
      body,
      headers: FORM,
    })
    const exchange = exchangeOf(request, here.parts)
    const { answer, errors } = exchange.endpoint
    const refusal = (thrown: unknown) => errors.reply(exchange, errors.errorOf(thrown))
    const reply = await Promise.try(() => answer(exchange)).catch(refusal)
    expect(await errcodeOf(reply)).toBe(errcode)
    expect(isRead()).toBe(false)
  })
})

async function errcodeOf(reply: Response): Promise<number> {
  return ((await reply.json()) as { readonly errcode: number }).errcode
}

/** The batch query of an application, below `/api/`. */
function newsQuery(id: string): string {
  return `v2/${id}/status?${encoded(signed({ timestamp: timestamp() }))}`
}
