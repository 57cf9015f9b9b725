/** The balancer of the compose file, in front of two servers. */
import '../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { certificateFor } from '../../support/certificates.ts'
import { openSource } from '../../support/event-source.ts'
import { clientOf, type HttpsClient, SECRET } from '../../support/https-server.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { databaseSettings } from '../../support/postgres/server-settings.ts'
import { freePort } from '../../support/postgres/tcp-server.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

const CONFIGURATION = join(import.meta.dir, '../../../packaging/postgres/haproxy.cfg')
/** Distributions put it where the search path of a user may not lead. */
const PROGRAM = Bun.which('haproxy', { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` })
const AUTH = `auth=${encodeURIComponent(SECRET)}`
/** A test process that is killed cannot stop it. */
const LONGEST_RUN = '120'

const why = whyNoPostgres ?? (PROGRAM === null ? 'no HAProxy is installed' : undefined)

describe.skipIf(why !== undefined)(`the balancer${why ? `: ${why}` : ''}`, () => {
  let dir: TempDir
  let balancer: Bun.Subprocess | undefined
  let client: HttpsClient
  const servers: ServerProcess[] = []

  beforeAll(async () => {
    dir = await tempDir()
    const { cert, key } = await certificateFor()
    writeFileSync(dir.file('certificate.pem'), `${cert}\n${key}`)
    const settings = { ...databaseSettings(), APP_SECRET: SECRET, TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'debug' }
    const [port, ...ports] = [freePort(), freePort(), freePort()].map(String)
    for (const own of ports) servers.push(await spawnServer({ ...settings, HTTP_PORT: own }))
    const text = readFileSync(CONFIGURATION, 'utf8')
      .replace('/run/secrets/certificate', dir.file('certificate.pem'))
      .replace('bind :8443', `bind 127.0.0.1:${port}`)
      .replace('one:8080', `127.0.0.1:${ports[0]}`)
      .replace('other:8080', `127.0.0.1:${ports[1]}`)
    writeFileSync(dir.file('haproxy.cfg'), text)
    const checked = Bun.spawnSync([PROGRAM ?? '', '-c', '-f', dir.file('haproxy.cfg')])
    expect([checked.exitCode, String(checked.stderr)]).toEqual([0, expect.not.stringMatching(/WARNING|ALERT/)])
    balancer = Bun.spawn(['timeout', '--foreground', LONGEST_RUN, PROGRAM ?? '', '-f', dir.file('haproxy.cfg')], {
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    client = clientOf(Number(port), cert)
    await until(async () => (await client.call('GET', '/ready').catch(() => undefined))?.status === 200)
  }, 120_000)

  afterAll(async () => {
    balancer?.kill('SIGTERM')
    await Promise.all([balancer?.exited, ...servers.map((server) => server.stop())])
    await dir[Symbol.asyncDispose]()
  })

  test('sends an application to one server, and to the other one while that is away', async () => {
    for (let at = 0; at < 20; at++) {
      expect((await client.call('PUT', `/a.json?${AUTH}`, { body: String(at) })).status).toBe(200)
      expect((await client.call('GET', `/a.json?${AUTH}`)).text).toBe(String(at))
    }
    await using stream = await openSource(client, `/a.json?${AUTH}&resume=true`, { http2: true })
    expect(await stream.next()).toEqual({ kind: 'put', path: '/', data: 19 })
    const written = await Promise.all(servers.map((server) => writesOf(server)))
    expect(written.toSorted((one, other) => one - other)).toEqual([0, 20])
    const [used, other] = written[0] === 20 ? servers : servers.toReversed()
    if (used === undefined || other === undefined) throw new Error('two servers were started')
    used.kill('SIGKILL')
    await used.exited
    await until(async () => (await client.call('PUT', `/a.json?${AUTH}`, { body: '"on"' })).status === 200)
    expect(await writesOf(other)).toBeGreaterThanOrEqual(1)
    expect((await client.call('GET', `/a.json?${AUTH}`)).text).toBe('"on"')
  }, 120_000)

  test('passes on no address that a client claims', async () => {
    await client.call('GET', '/claimed.json', { headers: { 'X-Forwarded-For': '203.0.113.9' } })
    const printed = () => servers.map((server) => server.output()).join('')
    await until(async () => printed().includes('"path":"/claimed.json"'))
    expect(printed()).not.toContain('203.0.113.9')
  })
})

/** Writes that a server has answered. */
async function writesOf({ url, certificate }: ServerProcess): Promise<number> {
  const tls = { ca: await Bun.file(certificate).text() }
  const page = await (await fetch(`${url}/metrics?${AUTH}`, { tls })).text()
  return Number(/^dhole_requests_total\{.*operation="put".*status="2xx".*\} (\d+)$/m.exec(page)?.[1] ?? 0)
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries++) {
    if (tries > 300) throw new Error('it did not come about')
    await Bun.sleep(50)
  }
}
