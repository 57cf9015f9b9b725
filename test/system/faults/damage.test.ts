import { Database as Client } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { openDatabase } from '../../../src/embedded.ts'
import { addApplication, runDhole } from '../../support/dhole-command.ts'
import { longTest, someInLanes } from '../../support/lane.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { isDocumented } from './documented.ts'

const PAGE_BYTES = 4096
const UNAVAILABLE = '{"errcode":20104,"message":"The app is out of service","error":"The app is out of service"}'
const SERVER_ERROR = '{"errcode":20901,"message":"Server error","error":"Server error"}'

async function call({ url }: ServerProcess, method: string, path: string, body?: string): Promise<[number, string]> {
  const init = { method, tls: { rejectUnauthorized: false }, ...(body === undefined ? {} : { body }) }
  const reply = await fetch(url + path, init)
  return [reply.status, await reply.text()]
}

/** Writes nonsense over every page that has a text in it. @returns how many */
function damage(file: string, text: string): number {
  const bytes = readFileSync(file)
  let pages = 0
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    const page = at - (at % PAGE_BYTES)
    bytes.fill(0xa5, page, page + PAGE_BYTES)
    pages++
  }
  writeFileSync(file, bytes)
  return pages
}

test('a damaged page: what lies there is refused, all else goes on', async () => {
  await using dir = await tempDir()
  const first = await spawnServer({ DATA_DIR: dir.path })
  const items = Array.from({ length: 60 }, (_, number) => [`n${number}`, { text: `item-${number}-`.repeat(300) }])
  const list = JSON.stringify(Object.fromEntries(items))
  expect((await call(first, 'PUT', '/list.json?print=silent', list))[0]).toBe(204)
  first.kill('SIGTERM')
  await first.exited
  expect(damage(dir.file('apps/app.sqlite'), 'item-30-item-30-')).toBeGreaterThan(0)
  const server = await spawnServer({ DATA_DIR: dir.path })
  expect(await call(server, 'GET', '/list/n30.json')).toEqual([500, SERVER_ERROR])
  expect((await call(server, 'GET', '/list.json'))[0]).toBe(500)
  expect(await call(server, 'PUT', '/list/n30.json', '1')).toEqual([503, UNAVAILABLE])
  // What has met the damage stands in nobody's way.
  for (let turn = 0; turn < 5; turn++) {
    expect(await call(server, 'PUT', '/elsewhere.json', String(turn))).toEqual([200, String(turn)])
    expect((await call(server, 'GET', '/list/n30.json'))[0]).toBe(500)
    expect((await call(server, 'GET', '/list/n3/text.json'))[1]).toStartWith('"item-3-')
    expect(await call(server, 'GET', '/elsewhere.json')).toEqual([200, String(turn)])
  }
  expect(server.output()).toContain('database disk image is malformed')
  expect(isDocumented(server.output())).toBe(true)
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
})

test.each(
  someInLanes(
    [
      ['trigger', "CREATE TRIGGER t AFTER INSERT ON change BEGIN DELETE FROM meta WHERE name = 'setting:rules'; END"],
      ['view', 'CREATE VIEW v AS SELECT * FROM node'],
    ] as const,
    2,
  ),
)('a tree into which somebody has put a %s is not served, and the doctor names it', async (type, statement) => {
  await using dir = await tempDir()
  const first = await spawnServer({ DATA_DIR: dir.path })
  await call(first, 'PUT', '/a.json', '1')
  first.kill('SIGTERM')
  await first.exited
  const client = new Client(dir.file('apps/app.sqlite'))
  client.run(statement)
  client.close()
  const refused = await spawnServer({ DATA_DIR: dir.path }).catch((error: unknown) => error)
  const said = String(refused)
  expect(said).toContain(`it has a ${type} that is none of a tree`)
  expect(isDocumented(said)).toBe(true)
  const { stdout } = await runDhole(['doctor', '--full', '--data-dir', dir.path])
  expect(stdout).toContain(`the file has a ${type} that is none of a tree`)
})

longTest('the lost tree of a registered application is not taken for an empty one', async () => {
  await using dir = await tempDir()
  await addApplication(dir.path, 'shop', '--open')
  const server = await spawnServer({ DATA_DIR: dir.path, APP_IDLE_MS: '1' })
  expect(await call(server, 'PUT', '/a.json?ns=shop', '1')).toEqual([200, '1'])
  server.kill('SIGTERM')
  await server.exited
  rmSync(dir.file('apps/shop.sqlite'))
  await using again = await spawnServer({ DATA_DIR: dir.path })
  expect(await call(again, 'GET', '/a.json?ns=shop')).toEqual([503, UNAVAILABLE])
  expect(await call(again, 'PUT', '/a.json?ns=shop', '2')).toEqual([503, UNAVAILABLE])
  expect(again.output()).toContain('apps/shop.sqlite is gone, and was there before')
  expect(isDocumented(again.output())).toBe(true)
  expect(await call(again, 'PUT', '/a.json', '2')).toEqual([200, '2'])
  rmSync(dir.file('apps/shop.sqlite-lock'))
  expect(await call(again, 'GET', '/a.json?ns=shop')).toEqual([200, 'null'])
})

longTest('a lock that was torn when the power went is made anew, and is a lock', async () => {
  await using dir = await tempDir()
  const file = dir.file('apps/app.sqlite')
  const server = await spawnServer({ DATA_DIR: dir.path })
  expect(await call(server, 'PUT', '/a.json', '1')).toEqual([200, '1'])
  server.kill('SIGTERM')
  await server.exited
  writeFileSync(`${file}-lock`, new Uint8Array(PAGE_BYTES))
  await using again = await spawnServer({ DATA_DIR: dir.path })
  expect(await call(again, 'GET', '/a.json')).toEqual([200, '1'])
  expect(() => openDatabase({ file })).toThrow('is in use by another process')
})
