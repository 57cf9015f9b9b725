import { Database as Client } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '../../../src/embedded.ts'
import { inspectFile } from '../../../src/store/sqlite/check/inspect.ts'
import { addApplication, runDhole } from '../../support/dhole-command.ts'
import { longTest } from '../../support/lane.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { dhole, serve } from './service.ts'

const mode = (path: string): number => statSync(path).mode & 0o777

test('a backup made while writes go on has all that was acknowledged before it, and no half of a write', async () => {
  await using dir = await tempDir()
  await using server = await serve(dir.file('data'))
  const target = dir.file('backup')
  let acknowledged = -1
  let writing = true
  const text = 'x'.repeat(3000)
  const write = async () => {
    for (let index = 0; writing; index++) {
      await server.ask('PATCH', '/.json', { [`left/n${index}`]: { index, text }, [`right/n${index}`]: { index, text } })
      acknowledged = index
    }
  }
  const writers = write()
  while (acknowledged < 50) await new Promise(setImmediate)
  const before = acknowledged
  const printed = await dhole('backup', target, '--data-dir', server.dataDir)
  expect(printed).toMatch(/^"app": \d+ bytes, commit \d+ of [0-9a-f-]{36}, nothing wrong with it\nbackup in \S+\n$/)
  // Writes go on meanwhile and after it.
  const since = acknowledged
  while (acknowledged === since) await new Promise(setImmediate)
  writing = false
  await writers
  expect(readdirSync(target).sort()).toEqual(['app.sqlite', 'manifest.json'])
  expect(readdirSync(dir.path).sort()).toEqual(['backup', 'data'])
  expect([mode(target), mode(join(target, 'app.sqlite')), mode(join(target, 'manifest.json'))]).toEqual([
    0o700, 0o600, 0o600,
  ])
  expect([...inspectFile(join(target, 'app.sqlite'))]).toEqual([])
  await using db = openDatabase({ file: join(target, 'app.sqlite') })
  const { left, right } = (await db.get('/')) as { left: Record<string, unknown>; right: Record<string, unknown> }
  const count = Object.keys(left).length
  expect(right).toEqual(left)
  expect(count).toBeGreaterThan(before)
  // One commit of the tree is all writes up to one of them.
  for (let index = 0; index < count; index++) expect(left[`n${index}`]).toEqual({ index, text })
})

test('what a killed server has left in its log is in the backup; keys are in it where they are asked for', async () => {
  await using dir = await tempDir()
  const dataDir = dir.file('data')
  const shop = await addApplication(dataDir, 'shop', '--profile', 'firebase')
  await addApplication(dataDir, 'never', '--open')
  const server = await serve(dataDir)
  await server.ask('PUT', '/kept.json', 'in the log')
  await server.ask('PUT', `/kept.json?ns=shop&auth=${shop.secret}`, 'of the shop')
  server.kill('SIGKILL')
  await server.exited
  expect(statSync(join(dataDir, 'apps', 'app.sqlite-wal')).size).toBeGreaterThan(0)

  const plain = dir.file('plain')
  await dhole('backup', plain, '--data-dir', dataDir)
  expect(readdirSync(plain).sort()).toEqual(['app.sqlite', 'manifest.json', 'never.json', 'shop.json', 'shop.sqlite'])
  const secret = dir.file('secret')
  expect(await dhole('backup', secret, '--data-dir', dataDir, '--with-secrets', '--app', 'shop')).toContain('keys')
  expect(readdirSync(secret).sort()).toEqual(['manifest.json', 'secrets', 'shop.json', 'shop.sqlite'])
  expect(readFileSync(join(secret, 'secrets', 'shop.secret'), 'utf8').trim()).toBe(shop.secret)
  expect(mode(join(secret, 'secrets', 'shop.secret'))).toBe(0o600)

  await using db = openDatabase({ file: join(plain, 'app.sqlite') })
  expect(await db.get('/')).toEqual({ kept: 'in the log' })
  await using ofShop = openDatabase({ file: join(plain, 'shop.sqlite') })
  expect(await ofShop.get('/')).toEqual({ kept: 'of the shop' })
})

longTest('without a target it makes one in the folder of the server, each time another one', async () => {
  await using dir = await tempDir()
  await using server = await serve(dir.file('data'))
  await dhole('backup', '--data-dir', server.dataDir)
  await dhole('backup', '--data-dir', server.dataDir)
  const made = readdirSync(join(server.dataDir, 'backups'))
  expect(made).toHaveLength(2)
  for (const name of made) expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d{9}Z$/)
})

longTest('what cannot be backed up is told in one line, and leaves nothing behind', async () => {
  await using dir = await tempDir()
  const dataDir = dir.file('data')
  const server = await serve(dataDir)
  await server.ask(
    'PUT',
    '/list.json',
    Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, 'x'.repeat(200)])),
  )
  await server.stop()
  await mkdir(dir.file('there'))
  await mkdir(dir.file('empty'))
  const refusals: readonly (readonly [args: readonly string[], err: RegExp])[] = [
    [[dir.file('there'), '--data-dir', dataDir], /^dhole: \S+ is there already: a backup is a new folder\n$/],
    [[dir.file('x'), '--data-dir', dir.file('none')], /^dhole: there is no \S+\n$/],
    [[dir.file('x'), '--data-dir', dir.file('empty')], /^dhole: there is no application in \S+: nothing to back up\n$/],
    [[dir.file('x'), '--data-dir', dataDir, '--app', 'none'], /^dhole: there is no application "none" in \S+\n$/],
    [[dir.file('x'), '--data-dir', dataDir, '--app', '../up'], /^dhole: .*"\.\.\/up"/],
    [['/proc/none', '--data-dir', dataDir], /^dhole: /],
  ]
  for (const [args, err] of refusals) {
    const { status, stdout, stderr } = await runDhole(['backup', ...args])
    expect({ args, status, stdout }).toEqual({ args, status: 2, stdout: '' })
    expect(stderr).toMatch(err)
    expect(stderr.split('\n')).toHaveLength(2)
  }
  const file = join(dataDir, 'apps', 'app.sqlite')
  const bytes = readFileSync(file)
  for (let page = 3; page < bytes.length / 4096; page++) bytes.fill(0xa5, page * 4096 + 8, page * 4096 + 200)
  writeFileSync(file, bytes)
  const { status, stderr } = await runDhole(['backup', dir.file('x'), '--data-dir', dataDir])
  expect(status).toBe(2)
  expect(stderr).toMatch(/^dhole: .*(malformed|damaged|corrupt).*\n$/)
  expect(readdirSync(dir.path).sort()).toEqual(['data', 'empty', 'there'])
})

test('a tree that is closed while somebody copies it waits for nobody, and nothing is lost', async () => {
  await using dir = await tempDir()
  const file = dir.file('tree.sqlite')
  const db = openDatabase({ file })
  await db.put('/a', 1)
  const reader = new Client(file, { readonly: true })
  reader.run('BEGIN')
  expect(reader.query('SELECT count(*) AS rows FROM node').get()).toEqual({ rows: 1 })
  await db.put('/b', 2)
  await db.close()
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0)
  reader.close()
  await using again = openDatabase({ file })
  expect(await again.get('/')).toEqual({ a: 1, b: 2 })
})

longTest('a backup that is interrupted leaves nothing behind, and the server goes on', async () => {
  await using dir = await tempDir()
  await using server = await serve(dir.file('data'))
  const wide = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`k${index}`, 'x'.repeat(5000)]))
  for (const name of ['a', 'b', 'c', 'd']) await server.ask('PUT', `/${name}.json`, wide)
  const main = Bun.fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))
  const child = Bun.spawn([process.execPath, main, 'backup', dir.file('x'), '--data-dir', server.dataDir], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  while (!readdirSync(dir.path).some((name) => name.startsWith('x'))) await new Promise(setImmediate)
  child.kill('SIGINT')
  const status = await child.exited
  // It may have been done just then.
  if (status !== 0) {
    expect(status).toBe(130)
    expect(readdirSync(dir.path)).toEqual(['data'])
  } else expect(existsSync(join(dir.file('x'), 'manifest.json'))).toBe(true)
  await server.ask('PUT', '/after.json', 1)
})
