import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runDhole } from '../../support/dhole-command.ts'
import { runsOnPostgres } from '../../support/engine.ts'
import { databaseSettings } from '../../support/postgres/server-settings.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { type ConsoleServer, startConsole } from './console-server.ts'

let server: ConsoleServer
let settings: Readonly<Record<string, string>> = {}

beforeAll(async () => {
  settings = runsOnPostgres() ? databaseSettings() : {}
  server = await startConsole(settings)
})
afterAll(() => server[Symbol.asyncDispose]())

let count = 0

/** Adds an application with settings. @returns its name */
async function added(given: object = { open: true }): Promise<string> {
  const id = `shop${++count}`
  await server.admin('add', { id, settings: given })
  return id
}

const put = (id: string, body: string) => server.call('PUT', `/a.json?ns=${id}`, { body })
const own = async (id: string) => (await server.admin('application-settings', { id })).own

test('a limit is in force when the change is answered, and gone when it is taken away', async () => {
  const id = await added({ open: true, limits: { maxReadBytes: 1000 } })
  expect((await put(id, '"0123456789"')).status).toBe(200)
  await server.admin('change-settings', { id, changes: { limits: { maxWriteBytes: 10 } } })
  expect((await put(id, '"0123456789"')).status).toBe(400)
  expect((await put(id, '1')).status).toBe(200)
  expect(await own(id)).toEqual({
    from: 'registration',
    settings: { open: true, limits: { maxReadBytes: 1000, maxWriteBytes: 10 } },
  })
  await server.admin('change-settings', { id, changes: { limits: { maxWriteBytes: null } } })
  expect((await put(id, '"0123456789"')).status).toBe(200)
  expect((await own(id)).settings).toEqual({ open: true, limits: { maxReadBytes: 1000 } })
})

test('access, dialect, indexes and text messages are changed together, and the tree stays', async () => {
  const id = await added()
  await put(id, '{"x": {"height": 1}}')
  const changes = {
    open: null,
    profile: 'firebase',
    indexPolicy: 'require',
    indexes: { '/a': ['height'] },
    sms: { retentionDays: 7 },
  }
  await server.admin('change-settings', { id, changes })
  expect((await put(id, '1')).status).toBe(401)
  const inForce = await server.admin('application-settings', { id })
  expect(inForce).toMatchObject({ profile: 'firebase', indexPolicy: 'require', messages: { retentionDays: 7 } })
  await server.admin('change-settings', { id, changes: { open: true } })
  const sortedBy = async (child: string) =>
    (await server.call('GET', `/a.json?ns=${id}&orderBy="${child}"&limitToFirst=1`)).status
  expect([await sortedBy('height'), await sortedBy('weight')]).toEqual([200, 400])
  await server.admin('change-settings', { id, changes: { indexes: null } })
  expect(await sortedBy('height')).toBe(400)
  expect((await server.call('GET', `/a.json?ns=${id}`)).text).toBe('{"x":{"height":1}}')
})

test('a stream ends with the change, and goes on where it was', async () => {
  const id = await added()
  await put(id, '1')
  const headers = { Accept: 'text/event-stream' }
  const stream = await fetch(`${server.process.url}/a.json?ns=${id}&resume=true`, {
    headers,
    tls: { rejectUnauthorized: false },
  })
  await server.admin('change-settings', { id, changes: { profile: 'firebase' } })
  const events = await stream.text()
  const [, lastId = ''] = /^id: (.*)$/m.exec(events) ?? []
  await put(id, '2')
  const again = await fetch(`${server.process.url}/a.json?ns=${id}&resume=true`, {
    headers: { ...headers, 'Last-Event-ID': lastId },
    tls: { rejectUnauthorized: false },
  })
  const reader = again.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  expect(new TextDecoder().decode(value)).toContain('data: {"path":"/","data":2}')
  await reader?.cancel()
})

test.each([
  ['an unknown setting', { colour: 'red' }, '400', 'colour'],
  ['a secret', { secret: 'a secret that is long enough' }, '400', 'secret'],
  ['a wrong limit', { limits: { maxWriteBytes: 0 } }, '400', 'maxWriteBytes'],
  ['a wrong time zone', { sms: { timeZone: 'Nowhere' } }, '400', 'Nowhere'],
  ['rules that contradict', { rules: '{"rules":{}}' }, '400', 'not together with open'],
  ['a prototype', JSON.parse('{"__proto__": {"open": true}}'), '400', '__proto__'],
])('%s is refused, and no stream ends', async (_, changes, status, words) => {
  const id = await added()
  await put(id, '1')
  const stream = await fetch(`${server.process.url}/a.json?ns=${id}`, {
    headers: { Accept: 'text/event-stream' },
    tls: { rejectUnauthorized: false },
  })
  await expect(server.admin('change-settings', { id, changes })).rejects.toThrow(status)
  await expect(server.admin('change-settings', { id, changes })).rejects.toThrow(words)
  expect((await own(id)).settings).toEqual({ open: true })
  expect((await server.admin('streams', { application: id })).total).toBe(1)
  await stream.body?.cancel()
})

test('of two changes to the same settings one is told that they have changed', async () => {
  const id = await added()
  const { settings: expected } = await own(id)
  const change = (profile: string) =>
    server.admin('change-settings', { id, changes: { profile }, expected: { ...expected } })
  await change('firebase')
  await expect(change('wilddog')).rejects.toThrow('409 the settings of')
  expect((await own(id)).settings).toEqual({ open: true, profile: 'firebase' })
})

test('the operator alone changes them, and those of the default application are those of the server', async () => {
  const id = await added()
  await expect(server.admin('change-settings', { id, changes: {} }, server.secret)).rejects.toThrow('403')
  await expect(server.admin('change-settings', { id: 'app', changes: {} }, server.secret)).rejects.toThrow('403')
  await expect(server.admin('change-settings', { id: 'app', changes: { open: true } })).rejects.toThrow(
    '409 "app" is the default application',
  )
  await expect(server.admin('change-settings', { id: 'none', changes: { open: true } })).rejects.toThrow('404')
  expect(await own('app')).toEqual({ from: 'server', settings: {} })
})

test('`dhole apps set` and `show` do the same', async () => {
  const id = await added()
  const apps = (...does: readonly string[]) => runDhole(['apps', ...does, '--data-dir', server.process.dataDir])
  expect(await apps('set', id, '--profile', 'firebase', '--limits', '{"maxWriteBytes":10}', '--reset', 'open')).toEqual(
    {
      status: 0,
      stdout: `the settings of application "${id}" are in force\n`,
      stderr: '',
    },
  )
  expect((await put(id, '1')).status).toBe(401)
  const shown = JSON.parse((await apps('show', id)).stdout)
  expect(shown).toMatchObject({
    profile: 'firebase',
    own: { settings: { profile: 'firebase', limits: { maxWriteBytes: 10 } } },
  })
  expect(await apps('set', id, '--open', '--locked')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('give one'),
  })
  expect(await apps('set', id)).toMatchObject({ status: 2, stderr: expect.stringContaining('nothing to change') })
  expect(await apps('set', id, '--limits', '{')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('expected JSON'),
  })
  expect(await apps('set', 'app', '--open')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('default application'),
  })
})

test.skipIf(!runsOnPostgres())(
  'on a database it is in force on every server, at any moment of an opening',
  async () => {
    await using second = await spawnServer({ ...settings, LOG_LEVEL: 'error' })
    const other = await clientOfProcess(second)
    const id = await added()
    const write = () => other.call('PUT', `/a.json?ns=${id}`, { body: '"0123456789"' })
    expect((await write()).status).toBe(200)
    for (let round = 1; round <= 10; round++) {
      const maxWriteBytes = round % 2 === 1 ? 10 : 1000
      await server.admin('change-settings', { id, changes: { limits: { maxWriteBytes } } })
      // The second of the two finds it while the first one opens it.
      const statuses = (await Promise.all([write(), write()])).map(({ status }) => status)
      expect([round, ...statuses]).toEqual(round % 2 === 1 ? [round, 400, 400] : [round, 200, 200])
    }
    // Requests meet the change at every moment; whatever comes after its answer finds the new settings.
    for (let round = 1; round <= 10; round++) {
      const limit = round % 2 === 1 ? 10 : 1000
      const meeting = Array.from({ length: 5 }, write)
      await server.admin('change-settings', { id, changes: { limits: { maxWriteBytes: limit } } })
      expect((await write()).status).toBe(limit === 10 ? 400 : 200)
      const met = (await Promise.all(meeting)).map(({ status }) => status)
      expect(met.filter((status) => status !== 200 && status !== 400 && status !== 503)).toEqual([])
    }
    const { status } = await runDhole(['apps', 'set', id, '--locked', '--data-dir', '/nonexistent'], settings)
    expect(status).toBe(0)
    expect((await write()).status).toBe(401)
  },
)
