import { expect, test } from 'bun:test'
import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { addApplication, runDhole } from '../../support/dhole-command.ts'
import { longTest } from '../../support/lane.ts'
import { asPlainUser } from '../../support/plain-user.ts'
import { spawnServer } from '../../support/server-process.ts'
import { strictObserver, turns } from '../../support/store.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

const MOBILE = '13812345678'

/** A folder that everybody may look into, as `mkdir` makes one, and a shell with the usual umask. */
async function commonFolder(): Promise<TempDir> {
  const dir = await tempDir()
  chmodSync(dir.path, 0o755)
  return dir
}

/** Runs something with the umask of most shells, which its child processes get. */
async function withCommonUmask<T>(use: () => Promise<T>): Promise<T> {
  const before = process.umask(0o022)
  try {
    return await use()
  } finally {
    process.umask(before)
  }
}

/** Paths below a folder on which the group or others have a permission; sockets and links have none of their own. */
function openBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => {
      const found = lstatSync(join(folder, name))
      return (found.isFile() || found.isDirectory()) && (found.mode & 0o077) !== 0
    })
    .sort()
}

/** What another user of the machine finds in the files of a folder; `undefined` where there is no such user. */
function foundByOthers(folder: string, text: string): string | undefined {
  const [command, ...flags] = asPlainUser() ?? []
  if (command === undefined) return undefined
  const { stdout } = Bun.spawnSync([command, ...flags, 'grep', '-rla', text, folder], { stderr: 'ignore' })
  return stdout.toString()
}

test('others read nothing of a folder that they may look into, while a server writes to it', async () => {
  await using dir = await commonFolder()
  await withCommonUmask(async () => {
    const server = await spawnServer({ DATA_DIR: dir.path }, { makesCertificate: true })
    try {
      const tls = { ca: await Bun.file(server.certificate).text() }
      await fetch(`${server.url}/person.json`, { method: 'PUT', body: JSON.stringify(MOBILE), tls })
      expect(readdirSync(dir.file('apps')).sort()).toEqual([
        'app.sqlite',
        'app.sqlite-lock',
        'app.sqlite-shm',
        'app.sqlite-wal',
      ])
      expect(openBelow(dir.path)).toEqual([])
      expect(foundByOthers(dir.path, MOBILE) ?? '').toBe('')
    } finally {
      server.kill('SIGTERM')
      await server.exited
    }
  })
})

test('others read nothing that a command writes to a folder', async () => {
  await using dir = await commonFolder()
  await withCommonUmask(async () => {
    await addApplication(dir.path, 'shop')
    writeFileSync(dir.file('people.csv'), `rrid,mobile\nrrid1,${MOBILE}\n`, { mode: 0o600 })
    const flags = ['--app', 'shop', '--data-dir', dir.path]
    expect(await runDhole(['sms', 'import', dir.file('people.csv'), ...flags])).toMatchObject({ status: 0 })
    expect(await runDhole(['backup', '--data-dir', dir.path])).toMatchObject({ status: 0 })
  })
  expect(openBelow(dir.path)).toEqual([])
  // One file that others may read shows that they would find the number.
  writeFileSync(dir.file('shown'), MOBILE)
  chmodSync(dir.file('shown'), 0o644)
  expect(foundByOthers(dir.path, MOBILE) ?? `${dir.file('shown')}\n`).toBe(`${dir.file('shown')}\n`)
})

longTest('a server closes what others can read, and leaves alone what is not its own', async () => {
  await using dir = await commonFolder()
  await addApplication(dir.path, 'shop')
  const opened = [
    'apps/app.sqlite',
    'apps/app.sqlite-wal',
    'apps/shop.json',
    'backups/old/app.sqlite',
    'tls/certificate.pem',
  ]
  const kept = { site: dir.file('index.html'), named: dir.file('apps/two-names'), linked: dir.file('apps/link') }
  const first = await spawnServer({ DATA_DIR: dir.path }, { makesCertificate: true })
  first.kill('SIGKILL')
  await first.exited
  mkdirSync(dir.file('backups/old'), { recursive: true })
  writeFileSync(dir.file('backups/old/app.sqlite'), '')
  for (const name of opened) chmodSync(dir.file(name), 0o644)
  for (const name of ['apps', 'secrets', 'tls', 'backups', 'backups/old']) chmodSync(dir.file(name), 0o755)
  writeFileSync(kept.site, 'for everybody')
  chmodSync(kept.site, 0o644)
  linkSync(kept.site, kept.named)
  symlinkSync(kept.site, kept.linked)
  const doctor = await runDhole(['doctor', '--data-dir', dir.path])
  expect(doctor.stdout).toMatch(/warning {2}permissions: others have permissions on .*app\.sqlite/)

  const second = await spawnServer({ DATA_DIR: dir.path }, { makesCertificate: true })
  try {
    // Nothing is within reach of others when it listens; the files themselves follow.
    for (const name of ['apps', 'secrets', 'tls', 'backups']) expect(lstatSync(dir.file(name)).mode & 0o777).toBe(0o700)
    expect(foundByOthers(dir.path, 'BEGIN CERTIFICATE') ?? '').toBe('')
    const logged = /took the permissions of others from /g
    while ([...second.output().matchAll(logged)].length < 2) await turns(1)
    expect(openBelow(dir.path)).toEqual(['apps/two-names', 'index.html'])
    expect(lstatSync(dir.path).mode & 0o777).toBe(0o755)
  } finally {
    second.kill('SIGTERM')
    await second.exited
  }
})

longTest('others lose a file that its own user cannot open', async () => {
  const plainUser = asPlainUser()
  await using dir = await tempDir()
  if (plainUser === undefined) return
  await addApplication(dir.path, 'shop')
  chmodSync(dir.file('apps/shop.json'), 0o044)
  if (plainUser.length > 0) Bun.spawnSync(['chown', '-R', '65534', dir.path])
  const server = await spawnServer({ DATA_DIR: dir.path }, { through: plainUser })
  try {
    while (!server.output().includes('took the permissions of others from 1 files')) await turns(1)
    expect(lstatSync(dir.file('apps/shop.json')).mode & 0o777).toBe(0)
  } finally {
    server.kill('SIGTERM')
    await server.exited
  }
})

longTest('the locks of an open tree survive the removal of permissions from its files', async () => {
  await using dir = await commonFolder()
  const first = await spawnServer({ DATA_DIR: dir.path }, { makesCertificate: true })
  first.kill('SIGTERM')
  await first.exited
  for (const name of ['app.sqlite', 'app.sqlite-lock']) chmodSync(dir.file(`apps/${name}`), 0o644)
  const server = await spawnServer({ DATA_DIR: dir.path }, { makesCertificate: true })
  try {
    while (!server.output().includes('took the permissions of others from ')) await turns(1)
    expect(openBelow(dir.path)).toEqual([])
    expect(() => new SqliteStore(dir.file('apps/app.sqlite'), {}, strictObserver)).toThrow('in use')
  } finally {
    server.kill('SIGTERM')
    await server.exited
  }
})
