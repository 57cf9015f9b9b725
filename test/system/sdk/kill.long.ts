import '../../support/long-lane.ts'
import { Database as Client } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { startChild } from '../../support/child-server.ts'
import { SECRET } from '../../support/https-server.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { customToken } from '../../support/token.ts'

const RULES =
  '{"rules":{"online":{".read":true,"$uid":{".write":"auth.uid == $uid"}},"n":{".read":true,".write":true}}}'
const applications = { app: { secret: SECRET, rules: RULES } }

test('what clients of a killed server wanted written is written once, before it serves again', async () => {
  await using dir = await tempDir()
  const options = { dataDir: join(dir.path, 'data'), applications, failedCredentials: 0 }
  {
    await using server = await startChild(options)
    const [ann, bob] = await Promise.all([SdkClient.connect(server), SdkClient.connect(server)])
    for (const [uid, client] of [
      ['ann', ann],
      ['bob', bob],
    ] as const) {
      await client.request('auth', { cred: customToken(SECRET, { uid }) })
      await client.request('p', { p: `/online/${uid}`, d: true })
      await client.request('o', { p: `/online/${uid}`, d: null })
      await client.request('o', { p: '/n', d: { '.sv': { increment: 1 } } })
    }
    // Taken back, so nothing of it is left.
    await bob.request('oc', { p: '/online/bob', d: null })
    await server.kill()
    await Promise.all([ann.closed.promise, bob.closed.promise])
  }
  for (const _ of [1, 2]) {
    await using server = await startChild(options)
    expect(JSON.parse((await server.call('GET', '/online.json')).text)).toEqual({ bob: true })
    expect((await server.call('GET', '/n.json')).text).toBe('2')
    await server.kill()
  }
})

test('a server that stops writes it before it ends', async () => {
  await using dir = await tempDir()
  const options = { dataDir: join(dir.path, 'data'), applications, failedCredentials: 0 }
  {
    await using server = await startChild(options)
    const client = await SdkClient.connect(server)
    await client.request('o', { p: '/n', d: { '.sv': { increment: 1 } } })
    await server.stop()
    expect((await client.closed.promise).code).toBe(1001)
  }
  await using server = await startChild(options)
  expect((await server.call('GET', '/n.json')).text).toBe('1')
})

test('what an earlier version has kept is written', async () => {
  await using dir = await tempDir()
  const options = { dataDir: join(dir.path, 'data'), applications, failedCredentials: 0 }
  {
    await using server = await startChild(options)
    await server.stop()
  }
  const file = new Client(join(options.dataDir, 'apps', 'app.sqlite'))
  const writes = [
    { path: ['online', 'ann'], json: 'gone "é' },
    { path: ['n'], json: { '.sv': { increment: 2 } } },
  ]
  const texts = [
    ['one', { kind: 'user', auth: { uid: 'ann' }, writes }],
    ['two', { kind: 'anybody', auth: null, writes }],
  ] as const
  file.run('DROP TABLE session')
  file.run('DROP TABLE session_value')
  file.run('CREATE TABLE session_text (session text PRIMARY KEY NOT NULL, text text NOT NULL)')
  for (const [id, text] of texts) file.run('INSERT INTO session_text VALUES (?, ?)', [id, JSON.stringify(text)])
  file.run('DELETE FROM __drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM __drizzle_migrations)')
  file.close()
  await using server = await startChild(options)
  expect(JSON.parse((await server.call('GET', '/online.json')).text)).toEqual({ ann: 'gone "é' })
  expect((await server.call('GET', '/n.json')).text).toBe('4')
})
