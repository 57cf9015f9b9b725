import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runDhole } from '../../support/dhole-command.ts'
import { longTest } from '../../support/lane.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { databaseSettings } from '../../support/postgres/server-settings.ts'
import { type ConsoleServer, startConsole } from './console-server.ts'

let server: ConsoleServer
/** A backup of one application, of which the tests use one after the other. */
let ofShop: string

beforeAll(async () => {
  server = await startConsole()
  await server.admin('add', { id: 'shop', settings: { open: true } })
  await put('/a.json', 'app', 1)
  await put('/a.json', 'shop', 10)
})
afterAll(() => server[Symbol.asyncDispose]())

const put = (path: string, app: string, value: unknown) =>
  server.call('PUT', `${path}?ns=${app}`, { body: JSON.stringify(value) })
const get = async (path: string, app: string) => (await server.call('GET', `${path}?ns=${app}`)).text
const folder = () => join(server.process.dataDir, 'backups')

/** Resolves when nothing is under way. @returns how it has ended */
async function ended() {
  for (;;) {
    const { running, last } = await server.admin('backup-state', {})
    if (running === undefined) return last
    await new Promise(setImmediate)
  }
}

async function made(ids?: readonly string[]): Promise<string> {
  const { name } = await server.admin('backup-make', ids === undefined ? {} : { ids: [...ids] })
  expect(await ended()).toEqual({ work: 'backup', name, at: expect.any(Number) })
  return name
}

const restore = (name: string, id: string, confirm = id) => server.admin('backup-restore', { name, id, confirm })

describe('a backup', () => {
  test('is made, listed, and one that `dhole restore` takes', async () => {
    expect(await server.admin('backups', {})).toEqual([])
    expect(await server.admin('backup-state', {})).toEqual({ done: 0, total: 0 })
    const name = await made()
    expect(await server.admin('backups', {})).toEqual([
      {
        ...{ name, madeAt: expect.stringMatching(/^20\d\d-/), count: 2 },
        applications: [
          { id: 'app', bytes: expect.any(Number) },
          { id: 'shop', bytes: expect.any(Number) },
        ],
      },
    ])
    const { status } = await runDhole([
      'restore',
      join(folder(), name),
      '--dry-run',
      '--data-dir',
      server.process.dataDir,
    ])
    expect(status).toBe(0)
  })

  test('can be one of some applications', async () => {
    ofShop = await made(['shop'])
    const [newest] = await server.admin('backups', {})
    expect(newest).toMatchObject({ name: ofShop, count: 1, applications: [{ id: 'shop' }] })
    await expect(server.admin('backup-make', { ids: ['none'] })).rejects.toThrow('409 there is no application "none"')
    expect((await ended())?.error).toContain('there is no application "none"')
  })

  test('is listed among folders that are none', async () => {
    const before = await server.admin('backups', {})
    await mkdir(join(folder(), 'empty'))
    await mkdir(join(folder(), 'broken'))
    await writeFile(join(folder(), 'broken', 'manifest.json'), '{"madeAt": 1')
    expect(await server.admin('backups', {})).toEqual(before)
  })

  test('is restored while the server runs', async () => {
    await put('/a.json', 'shop', 11)
    await put('/a.json', 'app', 2)
    await restore(ofShop, 'shop')
    expect(await ended()).toEqual({ work: 'restore', name: ofShop, at: expect.any(Number) })
    expect(await get('/a.json', 'shop')).toBe('10')
    expect(await get('/a.json', 'app')).toBe('2')
    const kept = (await readdir(join(server.process.dataDir, 'apps'))).filter((file) => file.includes('before-restore'))
    expect(kept).toHaveLength(1)
    expect(await put('/a.json', 'shop', 12)).toMatchObject({ status: 200 })
  })

  test('is restored only when the name of the application is repeated, and when it is there', async () => {
    await expect(restore(ofShop, 'shop', 'app')).rejects.toThrow('400 confirm: expected the name of the application')
    await expect(restore(ofShop, 'app')).rejects.toThrow('409 the backup has no application "app"')
    for (const none of ['none', '..', '../apps', 'a/b', '', '.', 'empty']) {
      await expect(restore(none, 'shop')).rejects.toThrow(`404 there is no backup ${JSON.stringify(none)}`)
    }
    expect(await get('/a.json', 'shop')).toBe('12')
  })

  test('of an application that was removed is not restored: its new keys would be lost', async () => {
    await server.admin('remove', { id: 'shop', deleteData: true })
    await expect(restore(ofShop, 'shop')).rejects.toThrow('409 there is no application "shop" any more')
    await server.admin('add', { id: 'shop', settings: { open: true } })
    await restore(ofShop, 'shop')
    await ended()
    expect(await get('/a.json', 'shop')).toBe('10')
  })

  test('is one at a time', async () => {
    const started = await Promise.allSettled([server.admin('backup-make', {}), server.admin('backup-make', {})])
    expect(started.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const refused = started.find((each) => each.status === 'rejected')
    expect(String(refused?.reason)).toContain('409 a backup is under way: try again when it is done')
    await ended()
  })

  test('is for the operator alone', async () => {
    await expect(server.admin('backups', {}, server.secret)).rejects.toThrow(/^40[13] /)
  })
})

test('a damaged backup changes nothing', async () => {
  await writeFile(join(folder(), ofShop, 'shop.sqlite'), 'no tree')
  await restore(ofShop, 'shop')
  expect((await ended())?.error).toContain('its checksum is wrong')
  expect(await get('/a.json', 'shop')).toBe('10')
})

longTest('backups lie in BACKUP_DIR, and a stopped server leaves no unfinished one', async () => {
  const own = join(server.process.dataDir, 'elsewhere')
  await using other = await startConsole({ BACKUP_DIR: own })
  const { name } = await other.admin('backup-make', {})
  other.process.kill('SIGTERM')
  await other.process.exited
  // It may have been complete.
  expect([[], [name]]).toContainEqual(await readdir(own).catch(() => []))
})

test.skipIf(whyNoPostgres !== undefined)('on a database its own tools make backups', async () => {
  await using other = await startConsole(databaseSettings())
  const says = '409 the applications are in a database: back it up with its own tools, such as pg_dump'
  await expect(other.admin('backups', {})).rejects.toThrow(says)
  await expect(other.admin('backup-state', {})).rejects.toThrow(says)
  await expect(other.admin('backup-make', {})).rejects.toThrow(says)
  await expect(other.admin('backup-restore', { name: 'a', id: 'app', confirm: 'app' })).rejects.toThrow(says)
})
