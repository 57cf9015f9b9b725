import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { addApplication, runDhole } from '../../support/dhole-command.ts'
import { longTest } from '../../support/lane.ts'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

/** Asks the socket of a server as its own commands do. */
async function tell(dataDir: string, body: string): Promise<unknown> {
  const reply = await fetch('http://localhost/', { unix: `${dataDir}/control.sock`, method: 'POST', body })
  return reply.json()
}

test('the socket is for its owner only, and goes with the server', async () => {
  await using dir = await tempDir()
  const before = process.umask(0)
  const server = await spawnServer({ DATA_DIR: dir.path }).finally(() => process.umask(before))
  expect(statSync(dir.file('control.sock')).mode & 0o777).toBe(0o600)
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  expect(existsSync(dir.file('control.sock'))).toBe(false)
})

longTest('what a killed server has left there is replaced', async () => {
  await using dir = await tempDir()
  const killed = await spawnServer({ DATA_DIR: dir.path })
  killed.kill('SIGKILL')
  await killed.exited
  expect(existsSync(dir.file('control.sock'))).toBe(true)
  // Nobody answers there: the command does it alone.
  const { secret } = await addApplication(dir.path, 'shop')
  await using server = await spawnServer({ DATA_DIR: dir.path })
  const { call } = await clientOfProcess(server)
  expect((await call('PUT', `/a.json?ns=shop&auth=${secret}`, { body: '1' })).text).toBe('1')
  await runDhole(['apps', 'remove', 'shop', '--yes', '--data-dir', dir.path])
  expect((await call('GET', `/a.json?ns=shop&auth=${secret}`)).status).toBe(404)
})

test.each([
  ['the same settings', {}],
  ['another application', { APP_ID: 'other' }],
])('a second server on the same folder ends (%s), and the first keeps its socket', async (_, settings) => {
  await using dir = await tempDir()
  await using first = await spawnServer({ DATA_DIR: dir.path })
  const says = `DATA_DIR: ${dir.path} is in use by the server at ${first.url} (process ${first.pid}): one folder is served by one server; on PostgreSQL give each one a folder of its own`
  await expect(spawnServer({ DATA_DIR: dir.path, ...settings })).rejects.toThrow(says)
  const { secret } = await addApplication(dir.path, 'shop')
  const { call } = await clientOfProcess(first)
  expect((await call('GET', `/a.json?ns=shop&auth=${secret}`)).status).toBe(200)
  await runDhole(['apps', 'remove', 'shop', '--yes', '--data-dir', dir.path])
  expect((await call('GET', `/a.json?ns=shop&auth=${secret}`)).status).toBe(404)
})

longTest('a folder whose path is too long for a socket is served all the same', async () => {
  await using dir = await tempDir()
  const dataDir = dir.file('long'.repeat(30))
  await mkdir(dataDir)
  await using server = await spawnServer({ DATA_DIR: dataDir })
  const { call } = await clientOfProcess(server)
  expect((await call('GET', '/a.json')).status).toBe(200)
  expect(server.output()).toContain('too long for a socket')
  const { status, stderr } = await runDhole(['apps', 'add', 'shop', '--open', '--data-dir', dataDir])
  expect([status, stderr]).toEqual([0, expect.stringContaining('must be restarted') as unknown as string])
  expect((await call('GET', '/a.json?ns=shop')).status).toBe(200)
})

test('a server that cannot be spoken to is not gone behind', async () => {
  await using dir = await tempDir()
  // Something answers there, and it is no server of ours.
  const other = Bun.serve({ unix: dir.file('control.sock'), fetch: () => new Response('hello') })
  const { status, stderr } = await runDhole(['apps', 'add', 'shop', '--data-dir', dir.path])
  expect([status, stderr]).toEqual([2, expect.stringContaining('does not answer') as unknown as string])
  expect(readdirSync(dir.path)).toEqual(['control.sock'])
  await other.stop(true)
})

describe('what comes over the socket', () => {
  let dir: TempDir
  let server: ServerProcess
  beforeAll(async () => {
    dir = await tempDir()
    writeFileSync(dir.file('rules.json'), '')
    server = await spawnServer({ DATA_DIR: dir.path })
  })
  afterAll(async () => {
    await server.stop()
    await dir[Symbol.asyncDispose]()
  })

  test.each([
    ['an operation that does not exist', '{"do":"drop"}', 'the server has no operation "drop"'],
    ['a name of the prototype', '{"do":"toString"}', 'the server has no operation "toString"'],
    ['a name of another type', '{"do":7}', 'the server has no operation 7'],
    ['no name', '{"id":"shop"}', 'expected a JSON object with the name of an operation as "do"'],
    ['a list', '["state"]', 'expected a JSON object with the name of an operation as "do"'],
    ['a missing member', '{"do":"remove","id":"shop"}', 'bad input: /deleteData: Expected required property'],
    ['a member of another type', '{"do":"settle","id":7}', 'bad input: /id: Expected string'],
    ['an application that does not exist', '{"do":"sms-counts","id":"shop"}', 'there is no application "shop"'],
    [
      'a stream of an application that does not exist',
      '{"do":"tree-export","id":"shop","path":[]}',
      'there is no application "shop"',
    ],
  ])('%s over the socket is a clear error', async (_, body, error) => {
    expect(await tell(dir.path, body)).toEqual({ error })
  })

  test.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['no command', '{"do":"drop"}'],
    ['another kind of value', '[]'],
    ['a command without its arguments', '{"do":"remove","id":"shop"}'],
    ['a name that is a path', '{"do":"remove","id":"../secrets/app","deleteData":true}'],
    ['a name of another kind', '{"do":"rotate","id":{"a":1},"rotation":{"key":"secret"}}'],
    ['settings that are none', '{"do":"add","id":"shop","settings":{"opne":true}}'],
    ['a secret among the settings', '{"do":"add","id":"shop","settings":{"secret":"chosen by somebody"}}'],
    ['contradicting settings', '{"do":"add","id":"shop","settings":{"open":true,"rules":"{}"}}'],
  ])('%s over the socket changes nothing', async (_, body) => {
    const everything = () => readdirSync(dir.path, { recursive: true }).sort()
    const before = everything()
    expect(await tell(dir.path, body)).toEqual({ error: expect.any(String) })
    expect(everything()).toEqual(before)
    expect((await (await clientOfProcess(server)).call('GET', '/a.json')).status).toBe(200)
  })
})
