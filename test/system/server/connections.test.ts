import { afterEach, describe, expect, test } from 'bun:test'
import { beginPolling, segmentsOf } from '../../protocol/sdk/long-polling.ts'
import { addApplication, keptKeys, runDhole } from '../../support/dhole-command.ts'
import type { HttpsClient } from '../../support/https-server.ts'
import { longTest } from '../../support/lane.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

const running: ServerProcess[] = []

async function start(settings: Readonly<Record<string, string>> = {}): Promise<ServerProcess & HttpsClient> {
  const server = await spawnServer(settings)
  running.push(server)
  return { ...server, ...(await clientOfProcess(server)) }
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

/** Begins long polling with a value to be written at the end. @returns the answer to the next request, which is held */
async function polling(server: HttpsClient, path: string): Promise<{ readonly held: Promise<string> }> {
  const { id, pw } = await beginPolling(server)
  const message = JSON.stringify({ t: 'd', d: { r: 1, a: 'o', b: { p: path, d: true } } })
  const place = `/.lp?id=${id}&pw=${pw}&ns=app`
  await server.call('GET', `${place}&ser=2&${segmentsOf(message)}`)
  return { held: server.call('GET', `${place}&ser=3`).then((answer) => answer.text) }
}

describe('a server that stops', () => {
  longTest('says so, writes what its clients have left, and takes them again when it has started', async () => {
    await using dir = await tempDir()
    const server = await start({ DATA_DIR: dir.path })
    const client = await SdkClient.connect(server)
    await client.request('o', { p: '/left/socket', d: true })
    const { held } = await polling(server, '/left/polling')
    client.request('p', { p: '/last', d: 'x'.repeat(100_000) }).catch(() => {})
    await client.request('p', { p: '/done', d: 1 })
    server.kill('SIGTERM')
    expect(await client.closed.promise).toEqual({ code: 1001, reason: '' })
    expect(await held).toContain('pLPCommand1"]("close")')
    expect(await server.exited).toBe(0)
    expect(server.output()).not.toContain('still open')
    const next = await start({ DATA_DIR: dir.path, PORT: String(server.port) })
    await using again = await SdkClient.connect(next, `v=5&ns=app&ls=${(await client.hello.promise)['s']}`)
    const { data } = await again.request('g', { p: '/', q: {} })
    expect(data).toMatchObject({ done: 1, left: { polling: true, socket: true } })
  })
})

describe('an application with a connection', () => {
  test('that is removed ends it', async () => {
    const server = await start()
    await addApplication(server.dataDir, 'shop', '--open')
    await using other = await SdkClient.connect(server)
    const client = await SdkClient.connect(server, 'v=5&ns=shop')
    await client.request('o', { p: '/left', d: true })
    const remove = ['apps', 'remove', 'shop', '--yes', '--data-dir', server.dataDir]
    expect((await runDhole(remove)).status).toBe(0)
    expect((await client.closed.promise).code).toBe(1001)
    expect((await other.request('s', {})).status).toBe('ok')
    // It comes to nothing, and is told so.
    const late = new SdkClient(server, 'v=5&ns=shop')
    expect(await late.first(1)).toEqual(['control s'])
  })

  test('whose secret is replaced revokes the credential, and no other connection', async () => {
    const server = await start()
    const { secret } = await addApplication(server.dataDir, 'shop', '--open')
    await using bare = await SdkClient.connect(server, 'v=5&ns=shop')
    await using owner = await SdkClient.connect(server, 'v=5&ns=shop')
    await owner.request('gauth', { cred: secret })
    await owner.request('q', { p: '/a', h: '' })
    await bare.request('q', { p: '/a', h: '' })
    owner.take()
    bare.take()
    expect((await runDhole(['apps', 'rotate', 'shop', '--yes', '--data-dir', server.dataDir])).status).toBe(0)
    expect(await owner.first(1)).toEqual(['ac expired_token'])
    await bare.request('p', { p: '/a', d: 1 })
    expect(bare.take()).toEqual(['d /a 1', 'answer 2 ok'])
    expect(owner.received).toEqual(['ac expired_token'])
  })

  test('whose rules are replaced revokes the listens that they forbid', async () => {
    const server = await start()
    const { secret } = await keptKeys(server.dataDir)
    await using client = await SdkClient.connect(server)
    await client.request('q', { p: '/a', h: '' })
    await client.request('q', { p: '/b', h: '' })
    client.take()
    const rules = { rules: { a: { '.read': true, '.write': true }, b: { '.write': true } } }
    const target = `/.settings/rules.json?auth=${encodeURIComponent(secret)}`
    expect((await server.call('PUT', target, { body: JSON.stringify(rules) })).status).toBe(200)
    expect(await client.first(1)).toEqual(['c /b'])
    await client.request('p', { p: '/b', d: 1 })
    await client.request('p', { p: '/a', d: 1 })
    expect(client.take()).toEqual(['c /b', 'answer 3 ok', 'd /a 1', 'answer 4 ok'])
  })

  test('is not idle, and is closed when the connection has ended', async () => {
    const server = await start({ MAX_OPEN_APPS: '1', APP_IDLE_MS: '50' })
    await addApplication(server.dataDir, 'shop', '--open')
    await addApplication(server.dataDir, 'club', '--open')
    const client = await SdkClient.connect(server, 'v=5&ns=shop')
    expect((await server.call('GET', '/a.json?ns=club')).status).toBe(503)
    expect((await client.request('p', { p: '/a', d: 1 })).status).toBe('ok')
    client.close()
    let answer = await server.call('GET', '/a.json?ns=club')
    while (answer.status === 503) answer = await server.call('GET', '/a.json?ns=club')
    expect(answer.text).toBe('null')
    // The first one opens again, with what was written.
    answer = await server.call('GET', '/a.json?ns=shop')
    while (answer.status === 503) answer = await server.call('GET', '/a.json?ns=shop')
    expect(answer.text).toBe('1')
  })
})
