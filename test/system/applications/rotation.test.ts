import { afterEach, expect, test } from 'bun:test'
import { errorBody, errors } from '../../protocol/rest/errors.ts'
import { addApplication, keptKeys, runDhole, shownKeys } from '../../support/dhole-command.ts'
import { openSource } from '../../support/event-source.ts'
import { longTest } from '../../support/lane.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { customToken } from '../../support/token.ts'

const running: ServerProcess[] = []

async function start(settings: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const server = await spawnServer(settings)
  running.push(server)
  return server
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

/** Replaces a key. @returns the new one */
async function rotate(dataDir: string, id: string, ...flags: readonly string[]): Promise<string> {
  const { stdout } = await runDhole(['apps', 'rotate', id, '--yes', '--data-dir', dataDir, ...flags])
  return shownKeys(stdout)[0] ?? ''
}

test.each(['app', 'shop'])('of %s: the old secret is refused at once, the new one opens', async (id) => {
  const server = await start({ FAILED_CREDENTIALS: '0' })
  const { call } = await clientOfProcess(server)
  let { secret } = await keptKeys(server.dataDir)
  if (id === 'shop') secret = (await addApplication(server.dataDir, id)).secret
  for (let round = 0; round < 3; round++) {
    expect((await call('PUT', `/a.json?ns=${id}&auth=${secret}`, { body: String(round) })).text).toBe(String(round))
    const fresh = await rotate(server.dataDir, id)
    expect(fresh).not.toBe(secret)
    const refused = await call('GET', `/a.json?ns=${id}&auth=${secret}`)
    expect([refused.status, JSON.parse(refused.text)]).toEqual([401, errorBody(errors.token)])
    expect((await call('GET', `/a.json?ns=${id}&auth=${fresh}`)).text).toBe(String(round))
    secret = fresh
  }
  expect(server.output()).not.toContain(secret)
})

test('streams of the old secret end with auth_revoked, those without a credential go on', async () => {
  const server = await start()
  const client = await clientOfProcess(server)
  const { secret } = await addApplication(server.dataDir, 'shop', '--open')
  await using shown = await openSource(client, `/a.json?ns=shop&auth=${secret}`)
  await using bare = await openSource(client, '/a.json?ns=shop')
  await using other = await openSource(client, `/a.json?auth=${(await keptKeys(server.dataDir)).secret}`)
  await Promise.all([shown.next(), bare.next(), other.next()])
  await rotate(server.dataDir, 'shop')
  expect((await shown.nextMessage())?.name).toBe('auth_revoked')
  expect(await shown.ended).toBe(true)
  await client.call('PUT', '/a.json?ns=shop', { body: '1' })
  expect(await bare.next()).toEqual({ kind: 'put', path: '/', data: 1 })
  await client.call('PUT', '/a.json', { body: '2' })
  expect(await other.next()).toEqual({ kind: 'put', path: '/', data: 2 })
})

test('connections of SDKs with a credential are told that it has ended, and its sign-in cannot be refreshed', async () => {
  const server = await start({ FAILED_CREDENTIALS: '0' })
  const client = await clientOfProcess(server)
  const { secret } = await addApplication(server.dataDir, 'shop', '--open')
  const post = async (path: string, body: string) => {
    const { status, text } = await client.call('POST', `${path}?key=shop`, { body })
    return { status, json: JSON.parse(text) }
  }
  const signIn = (token: string) =>
    post('/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken', JSON.stringify({ token }))
  const { idToken: cred, refreshToken } = (await signIn(customToken(secret, { uid: 'ann' }))).json
  await using ann = await SdkClient.connect(client, 'v=5&ns=shop')
  await using nobody = await SdkClient.connect(client, 'v=5&ns=shop')
  await using other = await SdkClient.connect(client, 'v=5&ns=app')
  await ann.request('auth', { cred })
  await other.request('auth', { cred: (await keptKeys(server.dataDir)).secret })
  for (const each of [ann, nobody, other]) {
    await each.request('q', { p: '/a', h: '' })
    each.take()
  }
  const fresh = await rotate(server.dataDir, 'shop')
  expect(await ann.first(1)).toEqual(['ac expired_token'])
  await client.call('PUT', '/a.json?ns=shop', { body: '1' })
  await client.call('PUT', '/a.json?ns=app', { body: '2' })
  expect([await nobody.first(1), await other.first(1)]).toEqual([['d /a 1'], ['d /a 2']])
  expect((await ann.request('p', { p: '/a', d: 3 })).status).toBe('invalid_token')
  expect((await ann.request('auth', { cred })).status).toBe('invalid_token')
  const refused = await post('/securetoken.googleapis.com/v1/token', `refresh_token=${refreshToken}`)
  expect(refused).toMatchObject({ status: 400, json: { error: { message: expect.stringMatching(/^TOKEN_EXPIRED/) } } })
  expect((await signIn(customToken(secret, { uid: 'ann' }))).status).toBe(400)
  const again = await signIn(customToken(fresh, { uid: 'ann' }))
  expect((await ann.request('auth', { cred: again.json.idToken })).status).toBe('ok')
  expect((await ann.request('p', { p: '/a', d: 4 })).status).toBe('ok')
  // Nothing was told in between.
  expect(ann.received.filter((message) => message.startsWith('d '))).toEqual([])
})

longTest(
  'what a client of the old secret wanted written at its end is written only where everybody may write',
  async () => {
    const server = await start()
    const client = await clientOfProcess(server)
    const { secret } = await keptKeys(server.dataDir)
    const rules = { rules: { '.read': true, mine: { '.write': "auth.uid === 'ann'" }, open: { '.write': true } } }
    await client.call('PUT', `/.settings/rules.json?auth=${secret}`, { body: JSON.stringify(rules) })
    const ann = await SdkClient.connect(client)
    await using other = await SdkClient.connect(client)
    await ann.request('auth', { cred: customToken(secret, { uid: 'ann' }) })
    for (const p of ['/mine', '/open']) expect((await ann.request('o', { p, d: 'left' })).status).toBe('ok')
    await other.request('q', { p: '/open', h: '' })
    ann.take()
    await rotate(server.dataDir, 'app')
    expect(await ann.first(1)).toEqual(['ac expired_token'])
    ann.cut()
    expect(await other.first(3)).toEqual(['d /open null', 'answer 1 ok', 'd /open "left"'])
    expect((await client.call('GET', '/.json')).text).toBe('{"open":"left"}')
  },
)

test('tokens signed with the old secret are refused at once, also when they were good before', async () => {
  const server = await start({ FAILED_CREDENTIALS: '0' })
  const { call } = await clientOfProcess(server)
  const { secret } = await addApplication(server.dataDir, 'shop')
  const { stdout } = await runDhole(['token', '--admin', '--app', 'shop', '--data-dir', server.dataDir])
  const token = stdout.trim()
  expect((await call('GET', `/a.json?ns=shop&auth=${token}`)).status).toBe(200)
  await rotate(server.dataDir, 'shop')
  expect((await call('GET', `/a.json?ns=shop&auth=${token}`)).status).toBe(401)
  // The old secret chosen again makes its tokens good again: they are signed with it.
  await rotate(server.dataDir, 'shop', '--secret', secret)
  expect((await call('GET', `/a.json?ns=shop&auth=${token}`)).status).toBe(200)
})

longTest('one that is closed, or rotated while no server runs, opens with the new secret only', async () => {
  await using dir = await tempDir()
  const dataDir = dir.path
  const first = await spawnServer({ DATA_DIR: dataDir })
  const { secret } = await addApplication(dataDir, 'shop')
  const whileClosed = await rotate(dataDir, 'shop')
  const { call } = await clientOfProcess(first)
  expect((await call('GET', `/a.json?ns=shop&auth=${secret}`)).status).toBe(401)
  expect((await call('GET', `/a.json?ns=shop&auth=${whileClosed}`)).status).toBe(200)
  first.kill('SIGTERM')
  await first.exited
  const offline = await rotate(dataDir, 'shop')
  await using second = await spawnServer({ DATA_DIR: dataDir })
  const again = await clientOfProcess(second)
  expect((await again.call('GET', `/a.json?ns=shop&auth=${whileClosed}`)).status).toBe(401)
  expect((await again.call('GET', `/a.json?ns=shop&auth=${offline}`)).status).toBe(200)
})

longTest('a secret that is a setting of the server stays', async () => {
  const APP_SECRET = 'a secret from the environment'
  const server = await start({ APP_SECRET, SMS_KEY: 'an SMS key from there' })
  const { call } = await clientOfProcess(server)
  for (const [setting, flags] of [
    ['APP_SECRET', []],
    ['SMS_KEY', ['--sms-key']],
  ] as const) {
    const refused = await runDhole(['apps', 'rotate', 'app', '--yes', '--data-dir', server.dataDir, ...flags])
    expect(refused).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(setting) as unknown as string })
  }
  expect((await call('GET', `/a.json?auth=${encodeURIComponent(APP_SECRET)}`)).status).toBe(200)
})
