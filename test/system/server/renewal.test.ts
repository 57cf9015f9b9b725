import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { SecureListener } from '../../../src/server/listeners/secure-listener.ts'
import type { Certificate } from '../../../src/server/tls/certificate.ts'
import { certificateFor, fingerprintOf, putCertificate, visit } from '../../support/certificates.ts'
import { keptKeys, runDhole } from '../../support/dhole-command.ts'
import { longTest } from '../../support/lane.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { samplesOf } from '../metrics/page.ts'

const isLinux = process.platform === 'linux'
if (!isLinux) process.stderr.write('renewal without a restart is tried on Linux alone\n')

/** A server with an operator's certificate in two files. */
interface Renewable {
  readonly server: ServerProcess
  readonly port: number
  readonly certFile: string
  readonly keyFile: string
  /** Puts another one into the files. @returns its fingerprint */
  replace(): Promise<string>
}

async function startRenewable(dir: TempDir, settings: Readonly<Record<string, string>> = {}): Promise<Renewable> {
  const [certFile, keyFile] = [dir.file('certificate.pem'), dir.file('key.pem')]
  const put = async (): Promise<string> => {
    const certificate = await certificateFor()
    putCertificate(certificate, certFile, keyFile)
    return fingerprintOf(certificate.cert)
  }
  await put()
  const server = await spawnServer({ TLS_CERT: certFile, TLS_KEY: keyFile, TLS_CHECK_MS: '86400000', ...settings })
  await visit(Number(new URL(server.url).port), '/a.json')
  return { server, port: Number(new URL(server.url).port), certFile, keyFile, replace: put }
}

/** New connections one after the other, until told to stop. */
class Visitors {
  visits = 0
  readonly failures: unknown[] = []
  readonly #ends: Promise<void>[]
  #stopped = false

  constructor(count: number, go: () => Promise<unknown>) {
    this.#ends = Array.from({ length: count }, async () => {
      while (!this.#stopped) {
        await go().then(
          () => this.visits++,
          (failure: unknown) => this.failures.push(failure),
        )
      }
    })
  }

  /** Waits until so many more have been there. */
  async more(count: number): Promise<void> {
    const enough = this.visits + count
    while (this.visits < enough && this.failures.length === 0) await new Promise(setImmediate)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#ends)
  }
}

/** A connection of its own for one GET over HTTP/2. */
function visitOverHttp2(port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const session = connectHttp2(`https://localhost:${port}`, { rejectUnauthorized: false })
  session.on('error', reject)
  const stream = session.request({ ':path': '/a.json' })
  let status = 0
  stream.on('response', (headers) => {
    status = Number(headers[':status'])
  })
  stream.on('error', reject)
  stream.on('data', () => {})
  stream.on('end', () => {
    session.close()
    if (status === 200) resolve()
    else reject(new Error(`status ${status}`))
  })
  stream.end()
  return promise
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise(setImmediate)
}

/** Sockets that listen on a port, as the system counts them. */
function listenersOn(port: number): number {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  return lines.filter((line) => line.includes(` ${local} 00000000:0000 0A `)).length
}

/** Reads an event stream to its end. */
async function openStream(port: number): Promise<{ text(): string; readonly ended: Promise<unknown> }> {
  const reply = await fetch(`https://127.0.0.1:${port}/a.json`, {
    headers: { accept: 'text/event-stream' },
    tls: { rejectUnauthorized: false },
  })
  let text = ''
  const read = async (): Promise<void> => {
    for await (const chunk of reply.body ?? []) text += Buffer.from(chunk).toString()
  }
  return { text: () => text, ended: read().catch(() => {}) }
}

async function put(port: number, value: string): Promise<void> {
  const url = `https://127.0.0.1:${port}/a.json`
  const reply = await fetch(url, { method: 'PUT', body: value, tls: { rejectUnauthorized: false } })
  expect(reply.status).toBe(200)
}

if (isLinux)
  longTest('no new connection fails while certificates are renewed under load', async () => {
    await using dir = await tempDir()
    const { server, port, replace } = await startRenewable(dir)
    const stream = await openStream(port)
    const visitors = new Visitors(6, () => visit(port))
    const http2Visitors = new Visitors(2, () => visitOverHttp2(port))
    try {
      for (let round = 0; round < 3; round++) {
        await visitors.more(50)
        await http2Visitors.more(10)
        const fresh = await replace()
        const { status, stdout, stderr } = await runDhole(['reload', '--data-dir', server.dataDir])
        expect([status, stderr]).toEqual([0, ''])
        expect(stdout).toContain('new connections get the certificate')
        for (let turn = 0; turn < 20; turn++) expect((await visit(port)).fingerprint).toBe(fresh)
      }
      await until(() => listenersOn(port) === 1)
      await visitors.more(50)
      await http2Visitors.more(10)
      await Promise.all([visitors.stop(), http2Visitors.stop()])
      expect([...visitors.failures, ...http2Visitors.failures]).toEqual([])
      // The stream has outlived three listeners.
      await put(port, '"told to those who were there before"')
      await until(() => stream.text().includes('told to those who were there before'))
    } finally {
      await Promise.all([visitors.stop(), http2Visitors.stop()])
      await server.stop()
    }
  })

test.skipIf(!isLinux)('what is counted goes on from one certificate to the next', async () => {
  await using dir = await tempDir()
  const { server, port, replace } = await startRenewable(dir, { METRICS_PORT: '0' })
  const page = `${/metrics on (\S+)"/.exec(server.output())?.[1]}`
  const answered = async () =>
    samplesOf(await (await fetch(page)).text()).get('dhole_requests_total{operation="get",status="2xx"}')
  expect(await answered()).toBe(1)
  const fresh = await replace()
  expect((await runDhole(['reload', '--data-dir', server.dataDir])).status).toBe(0)
  expect((await visit(port)).fingerprint).toBe(fresh)
  expect(await answered()).toBe(2)
  await server.stop()
  expect(await fetch(page).catch(() => 'gone')).toBe('gone')
})

test.skipIf(!isLinux)('SIGHUP has a new certificate used, and says when there is none', async () => {
  await using dir = await tempDir()
  const { server, port, certFile, keyFile, replace } = await startRenewable(dir)
  const socket = await SdkClient.connect({ port, ca: readFileSync(certFile, 'utf8') })
  const fresh = await replace()
  server.kill('SIGHUP')
  await until(async () => (await visit(port)).fingerprint === fresh)
  // A socket that was open stays, and a new one has the new certificate.
  const { secret } = await keptKeys(server.dataDir)
  await socket.request('gauth', { cred: secret })
  await socket.request('q', { p: '/a', h: '' })
  await using next = await SdkClient.connect({ port, ca: readFileSync(certFile, 'utf8') })
  await next.request('gauth', { cred: secret })
  await next.request('p', { p: '/a', d: 'after the renewal' })
  expect(await socket.first(4)).toContain('d /a "after the renewal"')
  socket.close()
  const other = await certificateFor()
  writeFileSync(keyFile, other.key)
  server.kill('SIGHUP')
  await until(() => server.output().includes('is not the key of'))
  expect((await visit(port)).fingerprint).toBe(fresh)
  const { status, stderr } = await runDhole(['reload', '--data-dir', server.dataDir])
  expect(status).toBe(2)
  expect(stderr).toContain(`${keyFile} is not the key of`)
  await server.stop()
})

test.skipIf(!isLinux)('files that change are noticed, once they belong together', async () => {
  await using dir = await tempDir()
  const { server, port, certFile, keyFile } = await startRenewable(dir, { TLS_CHECK_MS: '5' })
  const { cert, key } = await certificateFor()
  const before = (await visit(port)).fingerprint
  writeFileSync(certFile, cert.slice(0, 200))
  await until(() => server.output().includes('holds no certificate in PEM form'))
  writeFileSync(certFile, cert)
  await until(() => server.output().includes('is not the key of'))
  expect((await visit(port)).fingerprint).toBe(before)
  writeFileSync(keyFile, key)
  await until(async () => (await visit(port)).fingerprint === fingerprintOf(cert))
  await server.stop()
  expect(server.output().match(/is not the key of/g)).toHaveLength(1)
})

test.skipIf(!isLinux)('a certificate of its own is made anew before it ends', async () => {
  await using dir = await tempDir()
  const made = await spawnServer({ DATA_DIR: dir.path })
  made.kill('SIGTERM')
  await made.exited
  await using server = await spawnServer({ DATA_DIR: dir.path, TLS_CHECK_MS: '5' })
  const { port } = new URL(server.url)
  const before = (await visit(Number(port))).fingerprint
  // As if it had been thrown away: what is asked for now is made now.
  putCertificate(await certificateFor(29), server.certificate, dir.file('tls/certificate-key.pem'))
  server.kill('SIGHUP')
  await until(async () => (await visit(Number(port))).fingerprint !== before)
  const { fingerprint } = await visit(Number(port))
  expect(fingerprint).toBe(fingerprintOf(readFileSync(server.certificate, 'utf8')))
})

test('a command that reaches no server says so', async () => {
  await using dir = await tempDir()
  const { status, stderr } = await runDhole(['reload', '--data-dir', dir.path])
  expect([status, stderr]).toEqual([2, `dhole: no server answers in ${dir.path}\n`])
})

test.skipIf(!isLinux)('old listeners with open streams do not pile up', async () => {
  const listen = ({ cert, key }: Certificate, port: number, reusePort: boolean) =>
    Bun.serve({
      hostname: '127.0.0.1',
      port,
      reusePort,
      tls: { cert, key },
      fetch: (request, server) => {
        server.timeout(request, 0)
        return new Response(new ReadableStream({ start: (to) => to.enqueue('open') }))
      },
    })
  const listener = new SecureListener(await certificateFor(), 0, listen, 1)
  const port = Number(listener.url.port)
  const ended: number[] = []
  const stream = async (round: number): Promise<void> => {
    const { body } = await fetch(`https://127.0.0.1:${port}/`, { tls: { rejectUnauthorized: false } })
    const reader = body?.getReader()
    await reader?.read()
    reader?.read().then(
      () => ended.push(round),
      () => ended.push(round),
    )
  }
  for (let round = 0; round < 7; round++) {
    await stream(round)
    expect(await listener.renew(await certificateFor())).toBe(true)
  }
  await until(() => ended.length === 3)
  expect(ended).toEqual([0, 1, 2])
  await listener.stop(true)
})
