import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { generate } from 'selfsigned'
import { longTest, someInLanes } from '../../support/lane.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'

const NAME = [{ name: 'commonName', value: 'localhost' }]

const running: ServerProcess[] = []

async function start(settings: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const server = await spawnServer(settings)
  running.push(server)
  return server
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

async function call(server: ServerProcess, path: string, init: BunFetchRequestInit = {}): Promise<Response> {
  return fetch(server.url + path, { ...init, tls: { ca: await Bun.file(server.certificate).text() } })
}

test('a first run makes certificate, secret and database, and a second one keeps them', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'dhole-kept-'))
  try {
    const first = await spawnServer({ DATA_DIR: dataDir }, { makesCertificate: true })
    const secret = (await Bun.file(join(dataDir, 'secrets', 'app.secret')).text()).trim()
    expect(secret.length).toBeGreaterThan(30)
    expect(first.output()).not.toContain(secret)
    expect((await stat(join(dataDir, 'secrets', 'app.secret'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(dataDir, 'secrets', 'app.sms'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(dataDir, 'tls', 'certificate-key.pem'))).mode & 0o777).toBe(0o600)
    const certificate = await Bun.file(first.certificate).text()
    await call(first, '/kept.json', { method: 'PUT', body: '{"a":[1,2]}' })
    first.kill('SIGTERM')
    expect(await first.exited).toBe(0)

    await using second = await spawnServer({ DATA_DIR: dataDir })
    expect(second.output()).not.toContain(secret)
    expect(await Bun.file(second.certificate).text()).toBe(certificate)
    expect(await (await call(second, `/kept.json?auth=${secret}`)).json()).toEqual({ a: [1, 2] })
    expect((await call(second, '/kept.json?auth=wrong')).status).toBe(401)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

describe.each(someInLanes(['SIGTERM', 'SIGINT'] as const, 2))('%s', (signal) => {
  test('finishes the request under way, folds the log, exits 0', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'dhole-stop-'))
    try {
      const server = await spawnServer({ DATA_DIR: dataDir })
      await call(server, '/a.json', { method: 'PUT', body: '1' })
      const body = ['"begun', ' and ended"'] as const
      const request = await beginPut(server, '/b.json', body)
      server.kill(signal)
      expect(await request.end()).toEndWith(`\r\n\r\n${body.join('')}`)
      expect(await server.exited).toBe(0)
      const files = await readdir(join(dataDir, 'apps'))
      for (const name of files.filter((file) => file.endsWith('-wal'))) {
        expect((await stat(join(dataDir, 'apps', name))).size).toBe(0)
      }
      await using again = await spawnServer({ DATA_DIR: dataDir })
      expect(await (await call(again, '/.json')).json()).toEqual({ a: 1, b: 'begun and ended' })
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})

/** Sends a PUT but for the end of its body, and waits until the server has begun with it. */
async function beginPut(
  server: ServerProcess,
  path: string,
  [begin, rest]: readonly [string, string],
): Promise<{ end(): Promise<string> }> {
  const begun = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<string>()
  const { hostname: host, port } = new URL(server.url)
  const socket = connectTls({ host, port: Number(port), ca: await Bun.file(server.certificate).text() }, () => {
    const length = `Content-Length: ${begin.length + rest.length}\r\nConnection: close`
    socket.write(`PUT ${path} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n${length}\r\n\r\n${begin}`)
  })
  let received = ''
  socket.on('data', (chunk) => {
    received += String(chunk)
    if (received.startsWith('HTTP/1.1 100 ')) begun.resolve()
  })
  socket.on('error', begun.reject)
  socket.on('close', () => answered.resolve(received))
  await begun.promise
  return {
    end: () => {
      socket.write(rest)
      return answered.promise
    },
  }
}

test('plain HTTP gets 404 and no data, on its own port and on that of HTTPS', async () => {
  const server = await start({ HTTP_PORT: '0' })
  await call(server, '/a.json', { method: 'PUT', body: '1' })
  const plain = /plain HTTP on (http:\S+)"/.exec(server.output())?.[1] ?? ''
  for (const [method, path] of [
    ['GET', '/a.json'],
    ['PUT', '/a.json'],
    ['GET', '/swagger'],
    ['GET', '/swagger/json'],
    ['OPTIONS', '/a.json'],
  ] as const) {
    const reply = await fetch(plain + path, { method, ...(method === 'PUT' ? { body: '2' } : {}) })
    expect(reply.status).toBe(404)
    expect(reply.headers.has('strict-transport-security')).toBe(false)
    expect(await reply.json()).toMatchObject({ errcode: 20106 })
  }
  expect(await (await call(server, '/a.json')).text()).toBe('1')
  expect(await plainAnswer(Number(new URL(server.url).port))).not.toContain('200')
})

/** What a TLS port says to a client that does not encrypt. */
function plainAnswer(port: number): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /a.json HTTP/1.1\r\nHost: localhost\r\n\r\n'))
    socket.on('data', (chunk) => {
      answer += String(chunk)
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', () => socket.destroy())
  })
}

test('in development the plain port serves what emulator clients ask', async () => {
  const server = await start({ HTTP_PORT: '0', DEVELOPMENT: 'true' })
  const plain = /plain HTTP on (http:\S+)"/.exec(server.output())?.[1] ?? ''
  const headers = { Authorization: 'Bearer owner' }
  const rules = `${plain}/.settings/rules.json?ns=app`
  const put = await fetch(rules, { method: 'PUT', headers, body: '{"rules":{".read":false,".write":false}}' })
  expect(put.status).toBe(200)
  expect((await fetch(`${plain}/a.json?ns=app`, { method: 'PUT', headers, body: '1' })).status).toBe(200)
  expect((await fetch(`${plain}/a.json?ns=app`)).status).toBe(401)
  expect(
    (await fetch(`${plain}/a.json?ns=app`, { headers: { ...headers, Origin: 'http://evil.example' } })).status,
  ).toBe(401)
})

longTest('Strict-Transport-Security is a setting', async () => {
  const plain = await start()
  expect((await call(plain, '/a.json')).headers.has('strict-transport-security')).toBe(false)
  const strict = await start({ HSTS: 'max-age=300' })
  const reply = await call(strict, '/health', { headers: { Host: 'tree.example' } })
  expect(reply.headers.get('strict-transport-security')).toBe('max-age=300')
  expect((await call(strict, '/a.json')).headers.has('strict-transport-security')).toBe(false)
})

test('a trusted proxy speaks for its clients on the plain port', async () => {
  const server = await start({ HTTP_PORT: '0', TRUST_PROXY: '127.0.0.1' })
  const plain = /plain HTTP on (http:\S+)"/.exec(server.output())?.[1] ?? ''
  const forwarded = await fetch(`${plain}/a.json`, { headers: { 'X-Forwarded-Proto': 'https' } })
  expect(forwarded.status).toBe(200)
  expect((await fetch(`${plain}/a.json`)).status).toBe(404)
  expect((await fetch(`${plain}/a.json`, { headers: { 'X-Forwarded-Proto': 'http' } })).status).toBe(404)
})

describe('certificates', () => {
  /** A folder with the files of a certificate of the operator's own, and of a key that is another's. */
  async function ownFiles(): Promise<{ directory: string; cert: string; key: string; other: string }> {
    const directory = await mkdtemp(join(tmpdir(), 'dhole-tls-'))
    const [mine, another] = await Promise.all([generate(NAME, { keyType: 'ec' }), generate(NAME, { keyType: 'ec' })])
    const files = { cert: join(directory, 'a.pem'), key: join(directory, 'a.key'), other: join(directory, 'b.key') }
    await Promise.all([
      Bun.write(files.cert, mine.cert),
      Bun.write(files.key, mine.private),
      Bun.write(files.other, another.private),
    ])
    return { directory, ...files }
  }

  longTest("the operator's own is served, and refused with another's key", async () => {
    const { directory, cert, key, other } = await ownFiles()
    try {
      const server = await start({ TLS_CERT: cert, TLS_KEY: key })
      const url = server.url.replace('127.0.0.1', 'localhost')
      expect((await fetch(`${url}/a.json`, { tls: { ca: await Bun.file(cert).text() } })).status).toBe(200)
      await expect(spawnServer({ TLS_CERT: cert, TLS_KEY: other })).rejects.toThrow('is not the key of')
      await expect(spawnServer({ TLS_CERT: other, TLS_KEY: other })).rejects.toThrow('holds no certificate')
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })

  longTest('one made on an earlier run is made anew when it is damaged', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'dhole-damaged-'))
    try {
      const first = await spawnServer({ DATA_DIR: dataDir })
      first.kill('SIGTERM')
      await first.exited
      await Bun.write(first.certificate, 'no certificate')
      await using second = await spawnServer({ DATA_DIR: dataDir })
      expect((await call(second, '/a.json')).status).toBe(200)
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})

describe('what keeps the server from starting', () => {
  test.each([
    ['a setting of the wrong kind', { PORT: 'many' }, 'PORT'],
    ['a secret too short', { APP_SECRET: 'short' }, 'APP_SECRET'],
    ['a rules file that is not there', { RULES: 'rules.json' }, 'RULES'],
    ['half a certificate', { TLS_CERT: 'certificate.pem' }, 'TLS_CERT and TLS_KEY'],
    ['a certificate that is not there', { TLS_CERT: '/none.pem', TLS_KEY: '/none.key' }, '/none.pem'],
    ['a name that is no host label', { APP_ID: 'My App' }, 'APP_ID'],
  ])('%s', async (_, settings, named) => {
    await expect(spawnServer(settings)).rejects.toThrow(named)
  })

  test('a port or a file in use', async () => {
    const server = await start()
    const { port } = new URL(server.url)
    await expect(spawnServer({ PORT: port })).rejects.toThrow(port)
    await expect(spawnServer({ DATA_DIR: server.dataDir })).rejects.toThrow('in use')
  })
})

test('no log line holds a credential', async () => {
  const secret = 'a-secret-nobody-may-log'
  const server = await start({ APP_SECRET: secret, LOG_LEVEL: 'debug' })
  await call(server, `/a.json?auth=${secret}`, { method: 'PUT', body: '1' })
  await call(server, `/a.json?access_token=${secret}x`)
  await call(server, '/a.json', { headers: { Authorization: `Bearer ${secret}` } })
  await call(server, `/a?auth=${secret}`, { method: 'PATCH', body: '{' })
  server.kill('SIGTERM')
  await server.exited
  expect(server.output()).not.toContain(secret)
})
