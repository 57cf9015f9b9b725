import { expect, test } from 'bun:test'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addApplication, runDhole } from '../../support/dhole-command.ts'
import type { HttpsClient } from '../../support/https-server.ts'
import { longTest } from '../../support/lane.ts'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { codeOf, cookieOf, logIn, OPERATOR, operate, statusOf, tryLogin } from './console-client.ts'

const MINUTE_MS = 60 * 1000
const PRELOAD = Bun.fileURLToPath(new URL('../../support/clock-preload.ts', import.meta.url))

/** A server whose clock `putOff` sets. */
async function startWithClock(dir: TempDir): Promise<{ server: ServerProcess; putOff: (minutes: number) => void }> {
  const putOff = (minutes: number) => writeFileSync(dir.file('clock'), String(minutes * MINUTE_MS))
  putOff(0)
  const settings = { DATA_DIR: dir.file('data'), CLOCK_OFF: dir.file('clock'), OPERATOR_SECRET: OPERATOR }
  return { server: await spawnServer(settings, { runtime: [`--preload=${PRELOAD}`] }), putOff }
}

/** The session after one request, which may renew its cookie. */
async function used(
  client: HttpsClient,
  cookie: string,
): Promise<{ readonly status: number; readonly cookie: string }> {
  const answer = await client.call('GET', '/.admin/session', { headers: { Cookie: cookie } })
  return { status: answer.status, cookie: cookieOf(answer) || cookie }
}

longTest('a session ends after an hour of silence, and twelve hours after its login whatever it does', async () => {
  await using dir = await tempDir()
  const { server, putOff } = await startWithClock(dir)
  await using _ = server
  const client = await clientOfProcess(server)
  const idle = await logIn(client)
  const busy = await logIn(client)
  let { cookie } = busy
  for (let minutes = 50; minutes < 720; minutes += 50) {
    putOff(minutes)
    const now = await used(client, cookie)
    expect({ minutes, status: now.status, isRenewed: now.cookie !== cookie }).toEqual({
      minutes,
      status: 200,
      isRenewed: true,
    })
    cookie = now.cookie
  }
  // Once its time is over, the first cookie stays worthless, and so does one when the clock goes back.
  expect((await used(client, idle.cookie)).status).toBe(401)
  expect((await used(client, busy.cookie)).status).toBe(401)
  putOff(720)
  expect((await used(client, cookie)).status).toBe(401)
  putOff(0)
  expect((await used(client, cookie)).status).toBe(401)
  expect((await used(client, idle.cookie)).status).toBe(401)
})

test('the first start makes a secret that only its owner can read, and a new one ends the sessions of the old', async () => {
  await using server = await spawnServer()
  const { dataDir } = server
  const client = await clientOfProcess(server)
  const file = join(dataDir, 'operator.secret')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const secret = (await Bun.file(file).text()).trim()
  expect(secret.length).toBeGreaterThanOrEqual(40)
  expect(server.output()).toContain('/console')
  const shown = await runDhole(['console', 'secret', '--data-dir', dataDir])
  expect(shown.stdout).toBe(`${secret}\n`)
  const session = await logIn(client, { secret })
  const bearer = { headers: { Authorization: `Bearer ${secret}` } }
  expect([await statusOf(client, session), await statusOf(client, bearer)]).toEqual([200, 200])
  const rotated = await runDhole(['console', 'rotate', '--data-dir', dataDir])
  expect([await statusOf(client, session), await statusOf(client, bearer)]).toEqual([401, 401])
  const fresh = rotated.stdout.trim()
  expect(fresh).toBe((await Bun.file(file).text()).trim())
  expect(fresh).not.toBe(secret)
  expect((await tryLogin(client, { secret })).status).toBe(401)
  const again = await logIn(client, { secret: fresh })
  expect(await statusOf(client, again)).toBe(200)
  // Logs name neither.
  for (const text of [secret, fresh, session.cookie, session.csrf, again.cookie.split('=')[1] ?? '']) {
    expect(server.output()).not.toContain(text)
  }
})

test('a new super secret ends the sessions of its application, and a restart ends none', async () => {
  await using dir = await tempDir()
  const settings = { DATA_DIR: dir.file('data'), OPERATOR_SECRET: OPERATOR }
  const first = await spawnServer(settings)
  const client = await clientOfProcess(first)
  const { secret } = await addApplication(first.dataDir, 'chat')
  const operator = await logIn(client)
  const ended = await logIn(client)
  await client.call('DELETE', '/.admin/session', { headers: ended.headers })
  const chat = await logIn(client, { secret, application: 'chat' })
  const rules = () => operate(client, 'tree-rules', { id: 'chat' }, chat.headers)
  expect((await rules()).status).toBe(200)
  const rotation = { id: 'chat', rotation: { key: 'secret' } }
  const answer = await operate(client, 'rotate', rotation, chat.headers)
  expect(answer.status).toBe(200)
  const { result } = JSON.parse(answer.text) as { result: string }
  expect((await rules()).status).toBe(401)
  expect((await tryLogin(client, { secret, application: 'chat' })).status).toBe(401)
  const again = await logIn(client, { secret: result, application: 'chat' })
  expect(first.output()).toMatch(/admin operation.*rotate|rotate.*admin operation/)
  for (const text of [secret, result]) expect(first.output()).not.toContain(text)
  first.kill('SIGTERM')
  await first.exited
  await using second = await spawnServer(settings)
  const later = await clientOfProcess(second)
  expect(await statusOf(later, operator)).toBe(200)
  expect(await statusOf(later, ended)).toBe(401)
  expect((await operate(later, 'tree-rules', { id: 'chat' }, again.headers)).status).toBe(200)
  expect(await statusOf(later, { headers: again.headers })).toBe(403)
})

test('applications are added, described and removed, and the doctor looks', async () => {
  await using server = await spawnServer({ OPERATOR_SECRET: OPERATOR })
  const client = await clientOfProcess(server)
  const { headers } = await logIn(client)
  const call = async (name: string, input: object): Promise<{ status: number; result: unknown; code: unknown }> => {
    const { status, text } = await operate(client, name, input, headers)
    const { result, code } = JSON.parse(text) as { result?: unknown; code?: unknown }
    return { status, result, code }
  }
  expect(await call('add', { id: 'chat', settings: { profile: 'firebase' } })).toMatchObject({
    status: 200,
    result: { hasData: false },
  })
  expect(await call('add', { id: 'chat', settings: {} })).toMatchObject({ status: 409, code: 20705 })
  expect(await call('add', { id: '../chat', settings: {} })).toMatchObject({ status: 400, code: 20701 })
  expect(await call('add', { id: 'other', settings: { profile: 'none' } })).toMatchObject({ status: 400, code: 20701 })
  expect(await call('application-settings', { id: 'chat' })).toMatchObject({
    result: { id: 'chat', profile: 'firebase', hasOwnRules: false },
  })
  expect(await call('list', {})).toMatchObject({ result: [{ id: 'app', isDefault: true }, { id: 'chat' }] })
  const wrong = { id: 'chat', rotation: { key: 'secret', value: 'short' } }
  expect(await call('rotate', wrong)).toMatchObject({ status: 400, code: 20701 })
  expect(await call('remove', { id: 'app', deleteData: true })).toMatchObject({ status: 409 })
  expect(await call('remove', { id: 'chat', deleteData: true })).toMatchObject({ status: 200 })
  expect(await call('remove', { id: 'chat', deleteData: true })).toMatchObject({ status: 404, code: 20704 })
  for (const id of ['chat', '../app', '', 'secrets/app', '__proto__']) {
    for (const name of ['tree-rules', 'sms-counts', 'application-settings', 'console-token']) {
      expect({ id, name, ...(await call(name, { id })) }).toMatchObject({ id, name, status: 404, code: 20704 })
    }
  }
  const { result } = await call('doctor', {})
  expect(result).toContainEqual({ level: 'ok', title: 'settings', detail: 'they are valid' })
  expect((result as { level: string }[]).filter(({ level }) => level === 'problem')).toEqual([])
})

test('a host name that is not its own reaches nothing on a loopback address', async () => {
  await using server = await spawnServer({ OPERATOR_SECRET: OPERATOR })
  const client = await clientOfProcess(server)
  const { headers } = await logIn(client)
  const foreign = { ...headers, Host: 'rebound.example.org' }
  expect((await client.call('GET', '/.admin/session', { headers: foreign })).status).toBe(403)
  const login = await tryLogin(client, { secret: OPERATOR }, { Host: 'rebound.example.org' })
  expect({ status: login.status, cookie: cookieOf(login) }).toEqual({ status: 403, cookie: '' })
})

test('with CONSOLE=false there is neither a secret nor an API', async () => {
  await using server = await spawnServer({ CONSOLE: 'false' })
  const client = await clientOfProcess(server)
  for (const [method, path] of [
    ['POST', '/.admin/session'],
    ['GET', '/.admin/session'],
    ['POST', '/.admin/operations/list'],
  ] as const) {
    const answer = await client.call(method, path, method === 'POST' ? { body: '{}' } : {})
    expect({ method, path, status: answer.status }).toEqual({ method, path, status: 400 })
    expect(JSON.parse(answer.text)).toMatchObject({ errcode: 20102 })
  }
  expect(await Bun.file(join(server.dataDir, 'operator.secret')).exists()).toBe(false)
  const { stderr, status } = await runDhole(['console', 'rotate', '--data-dir', server.dataDir])
  expect({ status, stderr }).toMatchObject({ stderr: expect.stringContaining('CONSOLE is false') })
  expect(server.output()).not.toContain('/console')
})

longTest('without encryption nothing is answered', async () => {
  await using server = await spawnServer({ HTTP_PORT: '0', OPERATOR_SECRET: OPERATOR })
  const [, origin] = /plain HTTP on (http:\/\/\S+?)["\s]/.exec(server.output()) ?? []
  const body = JSON.stringify({ secret: OPERATOR })
  const answer = await fetch(`${origin}/.admin/session`, { method: 'POST', body })
  expect(answer.status).toBe(404)
  expect(answer.headers.get('set-cookie')).toBeNull()
  expect(codeOf({ status: 404, headers: answer.headers, text: await answer.text() })).toBe(20106)
})
