import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { openDatabase } from '../../../src/embedded.ts'
import { runDhole } from '../../support/dhole-command.ts'
import { openSource } from '../../support/event-source.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { freed } from './freed.ts'

const REGISTERED = 10_000
const SECRET = 'a secret of the test suite'

/** Files in the folder of the databases whose names end so. */
function files(dataDir: string, ending: string): readonly string[] {
  return readdirSync(`${dataDir}/apps`).filter((name) => name.endsWith(ending))
}

/** Databases that a process has open, where the system tells; `undefined` elsewhere. */
function databasesOf(pid: number): readonly string[] | undefined {
  const folder = `/proc/${pid}/fd`
  if (!existsSync(folder)) return undefined
  const targets = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(`${folder}/${name}`)
    } catch {
      return ''
    }
  })
  return [...new Set(targets.filter((target) => target.endsWith('.sqlite')))]
}

test('ten thousand applications are neither read nor opened until one is asked for', async () => {
  await using dir = await tempDir()
  mkdirSync(dir.file('apps'))
  mkdirSync(dir.file('secrets'))
  // None of these could be read: whoever tried would fail.
  for (let number = 0; number < REGISTERED; number++) writeFileSync(dir.file(`apps/app-${number}.json`), '{')
  writeFileSync(dir.file('apps/app-7.json'), '{"open":true}')
  writeFileSync(dir.file('secrets/app-7.secret'), SECRET)
  await using server = await spawnServer({ DATA_DIR: dir.path, LOG_LEVEL: 'warn' })
  const { call } = await clientOfProcess(server)
  expect((await call('GET', '/.json')).text).toBe('null')
  expect(files(dir.path, '.sqlite')).toEqual(['app.sqlite'])
  expect(databasesOf(server.pid) ?? [dir.file('apps/app.sqlite')]).toEqual([dir.file('apps/app.sqlite')])
  expect(server.output()).not.toContain('app-')

  expect((await call('PUT', '/a.json?ns=app-7', { body: '1' })).text).toBe('1')
  expect((await call('GET', '/a.json?ns=app-8')).status).toBe(503)
  expect(files(dir.path, '.sqlite').toSorted()).toEqual(['app-7.sqlite', 'app.sqlite'])
})

test('ten thousand are listed', async () => {
  await using dir = await tempDir()
  mkdirSync(dir.file('apps'))
  for (let number = 0; number < REGISTERED; number++) writeFileSync(dir.file(`apps/app-${number}.json`), '{}')
  const { status, stdout } = await runDhole(['apps', 'list', '--json', '--data-dir', dir.path])
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toHaveLength(REGISTERED + 1)
})

test('a server closes what nobody uses and opens it again', async () => {
  await using dir = await tempDir()
  mkdirSync(dir.file('apps'))
  mkdirSync(dir.file('secrets'))
  for (const id of ['used', 'watched']) {
    writeFileSync(dir.file(`apps/${id}.json`), '{"open":true}')
    writeFileSync(dir.file(`secrets/${id}.secret`), SECRET)
  }
  await using server = await spawnServer({ DATA_DIR: dir.path, APP_IDLE_MS: '20' })
  const client = await clientOfProcess(server)
  await using source = await openSource(client, '/a.json?ns=watched')
  expect(await source.next()).toEqual({ kind: 'put', path: '/', data: null })
  for (let round = 0; round < 3; round++) {
    const written = await client.call('PUT', `/rounds/${round}.json?ns=used`, { body: String(round) })
    expect(written.text).toBe(String(round))
    await freed(dir.file('apps/used.sqlite'))
  }
  expect((await client.call('GET', '/rounds.json?ns=used')).text).toBe('[0,1,2]')
  expect(() => openDatabase({ file: dir.file('apps/watched.sqlite') })).toThrow('in use')
  await client.call('PUT', '/a.json?ns=watched', { body: '"still here"' })
  expect(await source.next()).toEqual({ kind: 'put', path: '/', data: 'still here' })
  await source.close()
  await freed(dir.file('apps/watched.sqlite'))
})
