import { Database as Client } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import {
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '../../../src/embedded.ts'
import { inspectFile } from '../../../src/store/sqlite/check/inspect.ts'
import { mobiles, pushed, SmsClient } from '../../protocol/sms/calls.ts'
import { SMS_KEY } from '../../protocol/sms/service.ts'
import { addApplication, runDhole, shownKeys } from '../../support/dhole-command.ts'
import { EventSource } from '../../support/event-source.ts'
import { clientOf } from '../../support/https-server.ts'
import { longTest } from '../../support/lane.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { dhole, flip, type Service, serve, treesIn } from './service.ts'

const SOMEBODY = 65_534

async function post(server: Service): Promise<string> {
  const { name } = (await server.ask('POST', '/list.json', 1)) as { name: string }
  return name
}

test('beside a running server: streams end and come again with all there is, and generated keys go on', async () => {
  await using dir = await tempDir()
  await using server = await serve(dir.file('data'))
  await server.ask('PUT', '/a.json', { old: true })
  await dhole('backup', dir.file('backup'), '--data-dir', server.dataDir)
  await using source = await EventSource.open(server, '/.json?resume=true')
  const { id } = (await source.nextMessage()) ?? {}
  await server.ask('PUT', '/a.json', { young: true })
  const youngest = await post(server)

  const printed = await dhole('restore', '--yes', dir.file('backup'), '--data-dir', server.dataDir)
  expect(printed).toMatch(/^"app": restored; what was there is \S+app\.sqlite\.before-restore-\S+\n$/)
  await source.ended
  expect(await server.ask('GET', '/.json')).toEqual({ a: { old: true } })

  // The client comes again as a browser does, with the last id it has seen, which is of the tree that was replaced.
  await using again = await EventSource.open(server, '/.json', { headers: { 'Last-Event-ID': id ?? '' } })
  const first = await again.nextMessage()
  expect(first?.text).toBe('{"path":"/","data":{"a":{"old":true}}}')
  expect(first?.id).not.toBe(id)
  // And goes on from there.
  await server.ask('PUT', '/b.json', 1)
  expect(await again.next()).toEqual({ kind: 'put', path: '/b', data: 1 })
  const next = await post(server)
  expect(next > youngest).toBe(true)

  const kept = treesIn(server.dataDir).filter((name) => name.includes('before-restore'))
  expect(kept).toHaveLength(1)
  await server.stop()
  await using db = openDatabase({ file: join(server.dataDir, 'apps', kept[0] ?? '') })
  expect(await db.get('/a')).toEqual({ young: true })
  expect([...inspectFile(join(server.dataDir, 'apps', 'app.sqlite'))]).toEqual([])
})

test.skipIf(process.getuid?.() !== 0)(
  'what root restores belongs to the owner of the folder, links do not',
  async () => {
    await using dir = await tempDir()
    const server = await serve(dir.file('data'))
    await addApplication(server.dataDir, 'shop')
    await server.ask('PUT', '/a.json', 1)
    await server.stop()
    await dhole('backup', dir.file('backup'), '--with-secrets', '--data-dir', server.dataDir)
    const target = dir.file('target')
    await mkdir(join(target, 'secrets'), { recursive: true })
    for (const folder of [target, join(target, 'secrets')]) chownSync(folder, SOMEBODY, SOMEBODY)
    const roots = dir.file('of root')
    writeFileSync(roots, '')
    symlinkSync(roots, join(target, 'secrets', 'soft'))
    linkSync(roots, join(target, 'secrets', 'hard'))
    await dhole('restore', '--yes', dir.file('backup'), '--data-dir', target)
    const owners = new Map(
      readdirSync(target, { recursive: true }).map((name) => [String(name), lstatSync(join(target, String(name))).uid]),
    )
    expect(owners.size).toBeGreaterThan(10)
    const others = [...owners].filter(([, uid]) => uid !== SOMEBODY).map(([name]) => name)
    expect(others.sort()).toEqual(['secrets/hard', 'secrets/soft'])
    expect(statSync(roots).uid).toBe(0)
  },
)

longTest('generated keys are above those of the replaced tree also when the clock was ahead', async () => {
  await using dir = await tempDir()
  await using server = await serve(dir.file('data'))
  await server.ask('PUT', '/a.json', 1)
  await server.stop()
  await dhole('backup', dir.file('backup'), '--data-dir', server.dataDir)
  const file = join(server.dataDir, 'apps', 'app.sqlite')
  const client = new Client(file)
  client.run("INSERT OR REPLACE INTO meta VALUES ('push_time', ?)", [String(Date.now() + 3_600_000)])
  client.close()
  await using ahead = await serve(server.dataDir)
  const key = await post(ahead)
  await dhole('restore', '--yes', dir.file('backup'), '--data-dir', server.dataDir, '--discard')
  expect((await post(ahead)) > key).toBe(true)
  expect(treesIn(server.dataDir)).toEqual(['app.sqlite'])
})

test('writes and reads under way while a tree is replaced are answered, and what is acknowledged is in one of the two', async () => {
  await using dir = await tempDir()
  await using server = await serve(dir.file('data'))
  await server.ask('PUT', '/mark.json', 'backed up')
  await dhole('backup', dir.file('backup'), '--data-dir', server.dataDir)
  const acknowledged: number[] = []
  let writing = true
  const write = async (first: number) => {
    for (let index = first; writing; index += 2) {
      const reply = await fetch(`${server.url}/n/${index}.json`, { method: 'PUT', body: '1', tls: { ca: server.ca } })
      expect([200, 503]).toContain(reply.status)
      if (reply.status === 200) acknowledged.push(index)
    }
  }
  const writers = Promise.all([write(0), write(1)])
  while (acknowledged.length < 20) await new Promise(setImmediate)
  await dhole('restore', '--yes', dir.file('backup'), '--data-dir', server.dataDir)
  const since = acknowledged.length
  while (acknowledged.length < since + 20) await new Promise(setImmediate)
  writing = false
  await writers
  const now = (await server.ask('GET', '/.json?format=export')) as { mark: string; n: Record<string, number> }
  expect(now.mark).toBe('backed up')
  await server.stop()
  const [kept = ''] = treesIn(server.dataDir).filter((name) => name.includes('before-restore'))
  await using db = openDatabase({ file: join(server.dataDir, 'apps', kept) })
  const before = JSON.parse((await db.node('/n'))?.export ?? '{}') as Record<string, number>
  for (const index of acknowledged) expect(now.n[index] ?? before[index], `/n/${index}`).toBe(1)
})

longTest(
  'without a server: the log of a killed one is kept with its tree and never applied to the new one',
  async () => {
    await using dir = await tempDir()
    const server = await serve(dir.file('data'))
    await server.ask('PUT', '/.json', { from: 'the backup' })
    await dhole('backup', dir.file('backup'), '--data-dir', server.dataDir)
    await server.ask('PUT', '/.json', { from: 'the log' })
    server.kill('SIGKILL')
    await server.exited
    await dhole('restore', '--yes', dir.file('backup'), '--data-dir', server.dataDir)
    const trees = treesIn(server.dataDir)
    expect(trees).toHaveLength(2)
    expect(existsSync(join(server.dataDir, 'apps', 'app.sqlite-wal'))).toBe(false)
    await using again = await serve(server.dataDir)
    expect(await again.ask('GET', '/.json')).toEqual({ from: 'the backup' })
    await using kept = openDatabase({ file: join(server.dataDir, 'apps', trees[1] ?? '') })
    expect(await kept.get('/')).toEqual({ from: 'the log' })
  },
)

longTest('one of many applications: only its streams end, and it is looked for as before', async () => {
  await using dir = await tempDir()
  await addApplication(dir.file('data'), 'shop', '--open')
  await using server = await serve(dir.file('data'))
  await server.ask('PUT', '/a.json?ns=shop', 'old')
  await dhole('backup', dir.file('backup'), '--data-dir', server.dataDir)
  await server.ask('PUT', '/a.json?ns=shop', 'young')
  await using ofShop = await EventSource.open(server, '/a.json?ns=shop')
  await using ofDefault = await EventSource.open(server, '/.json')
  expect([await ofShop.next(), await ofDefault.next()]).toEqual([
    { kind: 'put', path: '/', data: 'young' },
    { kind: 'put', path: '/', data: null },
  ])
  await dhole('restore', '--yes', dir.file('backup'), '--app', 'shop', '--data-dir', server.dataDir)
  await ofShop.ended
  expect(await server.ask('GET', '/a.json?ns=shop')).toBe('old')
  await server.ask('PUT', '/b.json', 1)
  expect(await ofDefault.next()).toEqual({ kind: 'put', path: '/b', data: 1 })
})

test('a tree that another process has open is not replaced without a server', async () => {
  await using dir = await tempDir()
  await using db = openDatabase({ file: join(dir.file('data'), 'apps', 'app.sqlite') })
  await db.put('/', { as: 'before' })
  await dhole('backup', dir.file('backup'), '--data-dir', dir.file('data'))
  const { status, stderr } = await runDhole(['restore', '--yes', dir.file('backup'), '--data-dir', dir.file('data')])
  expect(status).toBe(2)
  expect(stderr).toMatch(/^dhole: \S+app\.sqlite is in use by another process(, \d+)?\n$/)
  expect(await db.get('/')).toEqual({ as: 'before' })
  expect(treesIn(dir.file('data'))).toEqual(['app.sqlite'])
})

longTest('into an empty folder: applications are registered again, with new keys or those of the backup', async () => {
  await using dir = await tempDir()
  const dataDir = dir.file('data')
  const shop = await addApplication(dataDir, 'shop', '--open')
  const never = await addApplication(dataDir, 'never')
  const first = await serve(dataDir)
  await first.ask('PUT', '/a.json', 'of the default one')
  await first.ask('PUT', '/a.json?ns=shop', 'of the shop')
  await first.stop()
  await dhole('backup', dir.file('plain'), '--data-dir', dataDir)
  await dhole('backup', dir.file('secret'), '--data-dir', dataDir, '--with-secrets')

  const printed = await dhole('restore', '--yes', dir.file('plain'), '--data-dir', dir.file('fresh'))
  expect(printed).toContain('"app": restored\n')
  const [secret] = shownKeys(printed)
  expect(shownKeys(printed)).toHaveLength(4)
  expect(statSync(join(dir.file('fresh'), 'apps', 'app.sqlite')).mode & 0o777).toBe(0o600)
  await using fresh = await serve(dir.file('fresh'))
  expect(await fresh.ask('GET', '/a.json')).toBe('of the default one')
  expect(await fresh.ask('GET', '/a.json?ns=shop')).toBe('of the shop')
  expect(secret).not.toBe(shop.secret)

  expect(shownKeys(await dhole('restore', '--yes', dir.file('secret'), '--data-dir', dir.file('same')))).toEqual([])
  for (const name of ['app', 'shop']) {
    const kept = join('secrets', `${name}.secret`)
    expect(readFileSync(join(dir.file('same'), kept), 'utf8')).toBe(readFileSync(join(dataDir, kept), 'utf8'))
  }
  await using same = await serve(dir.file('same'))
  expect(await same.ask('GET', `/.json?ns=never&auth=${never.secret}`)).toBeNull()

  // Keys that are in force stay, and so do the settings.
  const { secret: current } = await addApplication(dir.file('other'), 'shop')
  expect(await dhole('restore', '--yes', dir.file('secret'), '--data-dir', dir.file('other'), '--app', 'shop')).toBe(
    '"shop": restored\n',
  )
  await using other = await serve(dir.file('other'))
  expect(await other.ask('GET', `/a.json?ns=shop&auth=${current}`)).toBe('of the shop')
})

longTest(
  'text messages: what was handed over after the backup is handed over again, what came after it is not there',
  async () => {
    await using dir = await tempDir()
    await using server = await serve(dir.file('data'), { SMS_KEY, SMS_INTERVAL_MS: '0' })
    const sms = new SmsClient(clientOf(server.port, server.ca).call)
    const [first = '', second = '', third = ''] = mobiles(3)
    const rrid = await sms.record([first, second, third])
    await sms.report(pushed(rrid, first))
    expect((await sms.fresh()).map(({ mobile }) => mobile)).toEqual([first])
    await sms.report(pushed(rrid, second))
    await dhole('backup', dir.file('backup'), '--data-dir', server.dataDir)
    expect((await sms.fresh()).map(({ mobile }) => mobile)).toEqual([second])
    await sms.report(pushed(rrid, third))
    await dhole('restore', '--yes', dir.file('backup'), '--data-dir', server.dataDir)
    expect((await sms.fresh()).map(({ mobile }) => mobile)).toEqual([second])
    expect((await sms.statuses(rrid)).map(({ status }) => status)).toEqual([2, 2, 0])
    expect(await sms.report(pushed(rrid, third))).toEqual({ accepted: 1, ignored: 0 })
    expect((await sms.fresh()).map(({ mobile }) => mobile)).toEqual([third])
  },
)

longTest('one file of a tree, also one that was copied with its log', async () => {
  await using dir = await tempDir()
  const server = await serve(dir.file('data'))
  await server.ask('PUT', '/.json', { by: 'hand' })
  server.kill('SIGKILL')
  await server.exited
  for (const suffix of ['', '-wal']) {
    copyFileSync(join(server.dataDir, 'apps', `app.sqlite${suffix}`), `${dir.file('copy.sqlite')}${suffix}`)
  }
  await dhole('restore', '--yes', dir.file('copy.sqlite'), '--app', 'app', '--data-dir', dir.file('fresh'))
  await using fresh = await serve(dir.file('fresh'))
  expect(await fresh.ask('GET', '/.json')).toEqual({ by: 'hand' })
})

test('a restore that is not confirmed changes nothing, and a dry run says what it would do', async () => {
  await using dir = await tempDir()
  await addApplication(dir.file('data'), 'shop')
  await using server = await serve(dir.file('data'))
  await server.ask('PUT', '/a.json', 'backed up')
  await dhole('backup', dir.file('backup'), '--quiet', '--data-dir', server.dataDir)
  await server.ask('PUT', '/a.json', 'as before')
  const before = treesIn(server.dataDir)

  const refused = await runDhole(['restore', dir.file('backup'), '--data-dir', server.dataDir])
  const says = 'dhole: not confirmed, and there is no terminal to ask: give --yes\n'
  expect(refused).toEqual({ status: 2, stdout: '', stderr: says })
  expect(await dhole('restore', dir.file('backup'), '--dry-run', '--data-dir', server.dataDir)).toMatch(
    /^"app": would restore a tree of \d+ bytes, keeping the one that is there, of \d+ bytes\n"shop": the backup has no tree of it\n$/,
  )
  const planned = await dhole('restore', dir.file('backup'), '--dry-run', '--json', '--data-dir', dir.file('fresh'))
  expect(JSON.parse(planned)).toEqual({
    dryRun: true,
    applications: [
      { id: 'app', bytes: expect.any(Number), replacedBytes: null, registers: false },
      { id: 'shop', bytes: null, replacedBytes: null, registers: true },
    ],
  })
  expect(existsSync(dir.file('fresh'))).toBe(false)
  expect(treesIn(server.dataDir)).toEqual(before)
  expect(await server.ask('GET', '/a.json')).toBe('as before')

  flip(dir.file('backup/app.sqlite'))
  const spoiled = await runDhole(['restore', dir.file('backup'), '--dry-run', '--data-dir', server.dataDir])
  expect(spoiled).toMatchObject({ status: 2, stderr: expect.stringContaining('its checksum is wrong') })
})

test('what was restored is told as JSON too, with the keys that were made', async () => {
  await using dir = await tempDir()
  await addApplication(dir.file('data'), 'shop')
  await dhole('backup', dir.file('backup'), '--data-dir', dir.file('data'))
  const printed = await dhole('restore', dir.file('backup'), '--yes', '--json', '--data-dir', dir.file('fresh'))
  expect(JSON.parse(printed)).toEqual({
    source: dir.file('backup'),
    applications: [{ id: 'shop', kept: null, secret: expect.any(String), smsKey: expect.any(String) }],
  })
})
