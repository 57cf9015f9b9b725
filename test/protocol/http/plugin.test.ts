import { describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { Elysia } from 'elysia'
import { type DholeOptions, dhole } from '../../../src/index.ts'
import { fileTest, storageOf } from '../../support/engine.ts'
import { filesClosed } from '../../support/https-server.ts'
import { sharedCertificate } from '../../support/shared-certificate.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { errorBody, errors } from '../rest/errors.ts'

const applications = { app: { open: true } }

/** Without a listener: the URL says that the request is secure. */
async function ask(
  app: { handle(request: Request): Promise<Response> },
  method: string,
  target: string,
  body?: string,
): Promise<{ status: number; text: string; headers: Headers }> {
  const reply = await app.handle(new Request(`https://localhost${target}`, { method, body: body ?? null }))
  return { status: reply.status, text: await reply.text(), headers: reply.headers }
}

/** An app that never listened has no stop of its own. */
async function close(app: Host): Promise<void> {
  app.listen({ hostname: '127.0.0.1', port: 0 })
  await app.stop(true)
}

interface Host {
  listen(address: { hostname: string; port: number }): unknown
  stop(closeActiveConnections: boolean): Promise<unknown>
}

describe('beside the routes of a host', () => {
  test('at the root the own routes win, everything else is the tree', async () => {
    await using dir = await tempDir()
    const app = new Elysia()
      .get('/health', () => ({ ok: true }))
      .use(dhole({ ...storageOf(dir.path), dataDir: dir.path, applications }))
      .get('/users/:id', ({ params }) => `user ${params.id}`)
      .post('/echo', ({ body }) => body)
    expect((await ask(app, 'GET', '/health')).text).toBe('{"ok":true}')
    expect((await ask(app, 'GET', '/users/7')).text).toBe('user 7')
    expect((await ask(app, 'PUT', '/a.json', '{"b":1}')).text).toBe('{"b":1}')
    expect((await ask(app, 'GET', '/a/b.json')).text).toBe('1')
    expect((await ask(app, 'GET', '/elsewhere')).status).toBe(400)
    const echoed = await app.handle(
      new Request('https://localhost/echo', {
        method: 'POST',
        body: '{"x":1}',
        headers: { 'Content-Type': 'application/json' },
      }),
    )
    expect(await echoed.json()).toEqual({ x: 1 })
    await close(app)
  })

  test('under a prefix the host keeps every other path', async () => {
    await using dir = await tempDir()
    const app = new Elysia()
      .use(dhole({ ...storageOf(dir.path), dataDir: dir.path, applications, prefix: '/tree' }))
      .get('/a.json', () => 'mine')
    expect((await ask(app, 'PUT', '/tree/a.json', '1')).text).toBe('1')
    expect((await ask(app, 'GET', '/tree/a.json')).text).toBe('1')
    expect((await ask(app, 'GET', '/tree/.json')).text).toBe('{"a":1}')
    expect((await ask(app, 'GET', '/a.json')).text).toBe('mine')
    expect((await ask(app, 'GET', '/other.json')).status).toBe(404)
    expect((await ask(app, 'GET', '/treehouse/a.json')).status).toBe(404)
    expect((await ask(app, 'GET', '/tree/a')).status).toBe(400)
    await close(app)
  })

  test('hooks of the host go on working and do not touch the tree', async () => {
    await using dir = await tempDir()
    const seen: string[] = []
    const app = new Elysia()
      .onBeforeHandle(({ path }) => {
        seen.push(path)
      })
      .derive(() => ({ greeting: 'hello' }))
      .onError(({ code, set }) => {
        set.status = 418
        return `host error ${code}`
      })
      .get('/greet', ({ greeting }) => greeting)
      .get('/fail', () => {
        throw new Error('of the host')
      })
      .use(dhole({ ...storageOf(dir.path), dataDir: dir.path, applications, prefix: '/tree' }))
    expect((await ask(app, 'GET', '/greet')).text).toBe('hello')
    expect((await ask(app, 'GET', '/fail')).status).toBe(418)
    const refused = await ask(app, 'PUT', '/tree/a.json', '{')
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8'])
    expect(seen).toContain('/greet')
    await close(app)
  })

  test('headers the host sets on its own answers stay there', async () => {
    await using dir = await tempDir()
    const app = new Elysia()
      .onAfterHandle(({ set }) => {
        set.headers['x-host'] = 'yes'
      })
      .get('/own', () => 'own')
      .use(dhole({ ...storageOf(dir.path), dataDir: dir.path, applications, prefix: '/tree' }))
    expect((await ask(app, 'GET', '/own')).headers.get('x-host')).toBe('yes')
    const own = await ask(app, 'GET', '/own')
    expect(own.headers.get('access-control-allow-origin')).toBeNull()
    await close(app)
  })
})

describe('several in one host', () => {
  test('two with different prefixes and folders share nothing', async () => {
    await using left = await tempDir()
    await using right = await tempDir()
    const app = new Elysia()
      .use(dhole({ ...storageOf(left.path), dataDir: left.path, applications, prefix: '/left' }))
      .use(dhole({ ...storageOf(right.path), dataDir: right.path, applications, prefix: '/right' }))
    await ask(app, 'PUT', '/left/a.json', '"left"')
    await ask(app, 'PUT', '/right/a.json', '"right"')
    expect((await ask(app, 'GET', '/left/a.json')).text).toBe('"left"')
    expect((await ask(app, 'GET', '/right/a.json')).text).toBe('"right"')
    await close(app)
  })

  test('one mounted twice is mounted once', async () => {
    await using dir = await tempDir()
    const plugin = dhole({ ...storageOf(dir.path), dataDir: dir.path, applications, prefix: '/tree' })
    const app = new Elysia().use(plugin).use(plugin)
    expect((await ask(app, 'PUT', '/tree/a.json', '1')).text).toBe('1')
    await close(app)
  })
})

describe('one in several hosts', () => {
  test.each([
    ['first', true],
    ['last', false],
  ])('whoever does not encrypt gets nothing, be the host that does started %s', async (_, encryptedFirst) => {
    await using dir = await tempDir()
    const plugin = dhole({ ...storageOf(dir.path), dataDir: dir.path, applications })
    const address = { hostname: '127.0.0.1', port: 0 }
    const plain = new Elysia().use(plugin)
    const encrypted = new Elysia().use(plugin)
    const { cert, key } = await sharedCertificate()
    if (!encryptedFirst) plain.listen(address)
    encrypted.listen({ ...address, tls: { cert, key } })
    if (encryptedFirst) plain.listen(address)
    expect(await statusOfBare(plain)).toStartWith('HTTP/1.1 404')
    await encrypted.stop(true)
    await plain.stop(true)
  })
})

/** Status line of a GET that does not tell its host, so that its URL has no scheme. */
async function statusOfBare(host: Pick<Elysia, 'server'>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(host.server?.port),
    socket: {
      open: (socket) => void socket.write('GET /.json HTTP/1.1\r\nConnection: close\r\nHost:\r\n\r\n'),
      data: (_, bytes) => resolve(bytes.toString().split('\r\n')[0] ?? ''),
      close: () => resolve(''),
    },
  })
  return promise
}

describe('life', () => {
  const address = { hostname: '127.0.0.1', port: 0 }

  test('stop() of the host closes the files of every plugin, so that others can open them', async () => {
    await using left = await tempDir()
    await using right = await tempDir()
    for (const round of [1, 2]) {
      const app = new Elysia()
        .use(dhole({ ...storageOf(left.path), dataDir: left.path, applications, prefix: '/left' }))
        .use(dhole({ ...storageOf(right.path), dataDir: right.path, applications, prefix: '/right' }))
        .listen(address)
      for (const side of ['left', 'right']) {
        expect((await ask(app, 'PUT', `/${side}/round/${round}.json`, String(round))).status).toBe(200)
        expect((await ask(app, 'GET', `/${side}/round.json?count=true`)).text).toBe(String(round))
      }
      await app.stop(true)
      const stopped = await ask(app, 'GET', '/left/round.json')
      expect([stopped.status, JSON.parse(stopped.text)]).toEqual([503, errorBody(errors.unavailable)])
      expect((await ask(app, 'PUT', '/right/round.json', '1')).status).toBe(503)
      await filesClosed(left.path)
      await filesClosed(right.path)
    }
  })

  fileTest('several processes may serve a database', 'a file in use is refused', async () => {
    await using dir = await tempDir()
    const app = new Elysia().use(dhole({ ...storageOf(dir.path), dataDir: dir.path, applications })).listen(address)
    expect(() => dhole({ ...storageOf(dir.path), dataDir: dir.path, applications })).toThrow(/in use/)
    await app.stop(true)
    await filesClosed(dir.path)
  })

  fileTest('the database keeps the secret', 'a secret is made once and kept for its owner only', async () => {
    await using dir = await tempDir()
    const secrets: string[] = []
    for (let start = 0; start < 2; start++) {
      const app = new Elysia().use(dhole({ ...storageOf(dir.path), dataDir: dir.path })).listen(address)
      const secret = (await Bun.file(dir.file('secrets/app.secret')).text()).trim()
      expect((await ask(app, 'GET', '/a.json')).status).toBe(403)
      expect((await ask(app, 'GET', `/a.json?auth=${secret}`)).status).toBe(200)
      secrets.push(secret)
      await app.stop(true)
      await filesClosed(dir.path)
    }
    expect(secrets[0]).toBe(secrets[1] ?? '')
    expect(secrets[0]?.length).toBeGreaterThanOrEqual(32)
    expect(statSync(dir.file('secrets/app.secret')).mode & 0o077).toBe(0)
  })
})

describe('wrong options', () => {
  test.each([
    ['dataDir', { dataDir: 7 }],
    ['dataDir', { dataDir: '' }],
    ['prefix', { prefix: 'tree' }],
    ['prefix', { prefix: '/tree/' }],
    ['prefix', { prefix: '/a?b' }],
    ['applications', { applications: [] }],
    ['My App', { applications: { 'My App': {} } }],
    ['applications/app/open', { applications: { app: { open: 'yes' } } }],
    ['applications/app/secret', { applications: { app: { secret: 'short' } } }],
    ['applications/app/opne', { applications: { app: { opne: true } } }],
    ['baseDomain', { baseDomain: '' }],
    ['trustProxy', { trustProxy: '127.0.0.1' }],
    ['docs', { docs: 1 }],
    ['limits/maxReadMs', { limits: { maxReadMs: 0 } }],
    ['limits/maxWriteBytes', { limits: { maxWriteBytes: 2 ** 30 } }],
    ['limits/maxdepth', { limits: { maxdepth: 3 } }],
    ['storage/inlineLength', { storage: { inlineLength: -1 } }],
    ['dataDri', { dataDri: '/data' }],
  ])('%s is named in a TypeError', (name, options) => {
    const open = () => dhole(options as unknown as DholeOptions)
    expect(open).toThrow(TypeError)
    expect(open).toThrow(name)
  })

  test('no options at all but something else', () => {
    expect(() => dhole('data' as unknown as DholeOptions)).toThrow(TypeError)
    expect(() => dhole(null as unknown as DholeOptions)).toThrow(TypeError)
  })
})
