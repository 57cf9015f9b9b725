import { Database as Client } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { addApplication, runDhole, spawnDhole } from '../../support/dhole-command.ts'
import { longTest } from '../../support/lane.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { serve } from '../admin/service.ts'

const SOMEBODY = 65_534
const DAY_MS = 24 * 60 * 60 * 1000

/** Something done to a good folder, and what the doctor says of it. */
interface Row {
  readonly spoil: (dataDir: string) => unknown
  readonly settings?: Readonly<Record<string, string>>
  readonly flags?: readonly string[]
  readonly state: 'ok' | 'warning' | 'problem'
  readonly says: RegExp
}

const tree = (dataDir: string) => join(dataDir, 'apps', 'app.sqlite')

/** What root makes in a folder of the server's user, as far as somebody else can try it: root alone may give files away. */
const FOREIGN: readonly Row[] = [
  {
    spoil: (dir) => chownSync(tree(dir), SOMEBODY, SOMEBODY),
    state: 'problem',
    says: /^owners: not of the owner of the folder: .*app\.sqlite -> chown -R 0 /,
  },
  {
    spoil: (dir) => chownSync(join(dir, 'secrets'), SOMEBODY, SOMEBODY),
    state: 'problem',
    says: /^owners: not of the owner of the folder: .*secrets -> chown -R 0 /,
  },
]

const rows: readonly Row[] = [
  {
    spoil: (dir) => chmodSync(dir, 0o755),
    state: 'warning',
    says: /^folder .*others can read it \(0755\) -> chmod 700/,
  },
  { spoil: (dir) => rmSync(dir, { recursive: true }), state: 'problem', says: /^folder .*there is no such folder -> / },
  {
    spoil: (dir) => chmodSync(join(dir, 'secrets/app.secret'), 0o644),
    state: 'problem',
    says: /app\.secret: others can read it \(0644\) -> chmod 600/,
  },
  {
    spoil: (dir) => writeFileSync(join(dir, 'secrets/shop.secret'), 'short'),
    state: 'problem',
    says: /shop\.secret: .* no secret of at least 16 characters/,
  },
  {
    spoil: (dir) => rmSync(join(dir, 'secrets/shop.secret')),
    state: 'problem',
    says: /^keys of "shop": there is no .*shop\.secret -> `dhole apps rotate shop`/,
  },
  { spoil: (dir) => rmSync(join(dir, 'secrets/app.secret')), state: 'problem', says: /^keys of "app": there is no / },
  {
    spoil: (dir) => rmSync(join(dir, 'secrets/app.secret')),
    settings: { APP_SECRET: 'a secret of the settings' },
    state: 'ok',
    says: /^tree "app": /,
  },
  {
    spoil: (dir) => writeFileSync(join(dir, 'apps/shop.json'), '{"profile":"none"}'),
    state: 'problem',
    says: /^settings of "shop": .*profile/,
  },
  { spoil: (dir) => zero(tree(dir)), state: 'problem', says: /^tree "app": .* -> .*restore a backup/ },
  {
    spoil: (dir) => sql(dir, 'UPDATE __drizzle_migrations SET created_at = created_at * 2'),
    state: 'problem',
    says: /^tree "app": a newer version has written it/,
  },
  {
    spoil: (dir) =>
      sql(
        dir,
        'DROP TABLE session; DROP TABLE session_value; ' +
          'CREATE TABLE `session_text` ( `session` text PRIMARY KEY NOT NULL, `text` text NOT NULL ); ' +
          'DELETE FROM __drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM __drizzle_migrations)',
      ),
    state: 'ok',
    says: /^tree "app": .* of an older version/,
  },
  {
    spoil: (dir) => sql(dir, 'INSERT INTO closure VALUES (7, 8, 9)'),
    state: 'ok',
    says: /^tree "app": .*pages checked/,
  },
  {
    spoil: (dir) => sql(dir, 'INSERT INTO closure VALUES (7, 8, 9)'),
    flags: ['--full'],
    state: 'problem',
    says: /^tree "app": a closure row has no meaning/,
  },
  {
    spoil: (dir) => sql(dir, "INSERT INTO note VALUES (1, 'one', 2, '[]'), (2, 'two', 1, '[]')"),
    flags: ['--full'],
    state: 'problem',
    says: /^tree "app": the notes go back in time/,
  },
  {
    spoil: (dir) => sql(dir, "INSERT INTO sms_count VALUES ('delivered', 1)"),
    flags: ['--full'],
    state: 'problem',
    says: /^tree "app": a number of messages is wrong/,
  },
  { spoil: () => {}, flags: ['--full'], state: 'ok', says: /^tree "app": .*every row checked/ },
  { spoil: () => {}, state: 'ok', says: /^tree "shop": it has none yet/ },
  {
    spoil: (dir) => renameSync(tree(dir), join(dir, 'apps/gone.sqlite')),
    state: 'warning',
    says: /^tree gone\.sqlite: no application has it/,
  },
  {
    spoil: (dir) => writeFileSync(`${tree(dir)}.restoring-1`, ''),
    state: 'warning',
    says: /restoring-1: it was never finished -> delete it/,
  },
  {
    spoil: (dir) => writeFileSync(`${tree(dir)}-restore`, '{}'),
    state: 'warning',
    says: /^restore app\.sqlite-restore: it was interrupted/,
  },
  {
    spoil: (dir) => copyFileSync(tree(dir), `${tree(dir)}.before-restore-1`),
    state: 'ok',
    says: /^trees of before a restore: 1 files, 1 MiB/,
  },
  {
    spoil: (dir) => mkdirSync(join(dir, 'backups/x.unfinished-1'), { recursive: true }),
    state: 'warning',
    says: /unfinished-1: it was never finished/,
  },
  {
    spoil: (dir) => writeFileSync(join(dir, `secrets/app.secret.${crypto.randomUUID()}`), 'x'),
    state: 'warning',
    says: /app\.secret\.\S+: it was never finished/,
  },
  {
    spoil: (dir) => certificate(dir, -800, -1),
    state: 'problem',
    says: /^certificate .*it expired on .* -> start the server again/,
  },
  {
    spoil: (dir) => certificate(dir, 1, 9),
    state: 'problem',
    says: /^certificate .*it is not valid before .* -> check the clock/,
  },
  {
    spoil: (dir) => certificate(dir, -1, 9),
    state: 'warning',
    says: /^certificate .*it is valid for [89] more days -> /,
  },
  {
    spoil: (dir) => writeFileSync(join(dir, 'tls/certificate.pem'), 'x'),
    state: 'problem',
    says: /^certificate .* -> delete it/,
  },
  {
    spoil: (dir) => rmSync(join(dir, 'tls/certificate-key.pem')),
    state: 'problem',
    says: /^key .*certificate-key\.pem/,
  },
  {
    spoil: (dir) => rmSync(join(dir, 'tls'), { recursive: true }),
    state: 'ok',
    says: /^certificate .*the first start makes one/,
  },
  { spoil: otherKey, state: 'problem', says: /^key .*it is the key of another certificate/ },
  ...(process.getuid?.() === 0 ? FOREIGN : []),
  { spoil: () => {}, settings: { HOST: '192.0.2.7' }, state: 'warning', says: /it does not name 192\.0\.2\.7/ },
  {
    spoil: () => {},
    settings: { TLS_NAMES: 'localhost,*.tree.example' },
    state: 'warning',
    says: /it does not name any\.tree\.example -> start the server again/,
  },
  {
    spoil: () => {},
    settings: { BASE_DOMAIN: 'example.org' },
    state: 'warning',
    says: /it does not name app\.example\.org/,
  },
  {
    spoil: () => {},
    settings: { TLS_CERT: '/none.pem', TLS_KEY: '/none.key' },
    state: 'problem',
    says: /^certificate \/none\.pem: /,
  },
  { spoil: () => {}, settings: { PORT: 'many' }, state: 'problem', says: /^settings: PORT: / },
]

test('each trouble is told by a line of its own, with what to do; a folder without trouble has none', async () => {
  await using dir = await tempDir()
  const good = dir.file('good')
  await addApplication(good, 'shop')
  const server = await serve(good)
  await server.ask('PUT', '/a.json', { b: 1 })
  await server.stop()
  chmodSync(good, 0o700)
  const healthy = await runDhole(['doctor', '--data-dir', good])
  expect(healthy.stdout).not.toMatch(/^(warning|problem)/m)
  expect(healthy.stdout.split('\n').length).toBeGreaterThan(10)
  expect([healthy.status, healthy.stderr]).toEqual([0, ''])

  // A few at a time: most of the time is that of starting.
  const work = [...rows.entries()]
  const one = async ([index, { spoil, settings, flags = [], state, says }]: (typeof work)[number]) => {
    const folder = dir.file(`spoiled ${index}`)
    await cp(good, folder, { recursive: true, preserveTimestamps: true })
    chmodSync(folder, 0o700)
    await spoil(folder)
    const { status, stdout, stderr } = await runDhole(['doctor', '--data-dir', folder, ...flags], settings)
    const lines = stdout.split('\n').map((line) => [line.slice(0, 9).trim(), line.slice(9)] as const)
    expect(stderr).toBe('')
    expect(
      lines.filter(([found]) => found === state).map(([, text]) => text),
      stdout,
    ).toContainEqual(expect.stringMatching(says))
    const isProblem = lines.some(([found]) => found === 'problem')
    expect(status, stdout).toBe(isProblem ? 1 : 0)
    if (state === 'problem') expect(isProblem).toBe(true)
    else expect(stdout).not.toMatch(/^problem/m)
  }
  for (let round = work.splice(0, 3); round.length > 0; round = work.splice(0, 3)) await Promise.all(round.map(one))
}, 120_000)

const AS_SOMEBODY = ['setpriv', `--reuid=${SOMEBODY}`, `--regid=${SOMEBODY}`, '--clear-groups']

/** Whether a command can be run as somebody else, who can read this program. */
function maySwitch(): boolean {
  if (process.getuid?.() !== 0 || Bun.which('setpriv') === null) return false
  return Bun.spawnSync([...AS_SOMEBODY, 'test', '-r', import.meta.path]).exitCode === 0
}

test.skipIf(!maySwitch())('what it may not read it names, and ends well', async () => {
  await using dir = await tempDir()
  chmodSync(dir.path, 0o755)
  const folder = dir.file('data')
  mkdirSync(join(folder, 'apps'), { recursive: true, mode: 0o700 })
  chownSync(folder, SOMEBODY, SOMEBODY)
  const { stdout, stderr, status } = await spawnDhole(['doctor', '--data-dir', folder], {}, '', AS_SOMEBODY)
  expect([status, stderr]).toEqual([1, ''])
  expect(stdout).toMatch(/^problem {2}owners: not of the owner of the folder: \S+apps -> chown -R 65534 /m)
})

test('beside a running server it looks at the trees and asks its port; nothing is changed', async () => {
  await using dir = await tempDir()
  await using server = await serve(dir.file('data'))
  await server.ask('PUT', '/a.json', { b: 1 })
  const { status, stdout } = await runDhole(['doctor', '--full', '--json', '--data-dir', server.dataDir])
  const findings = JSON.parse(stdout) as readonly { check: string; state: string; found: string }[]
  expect(findings.filter(({ state }) => state === 'problem')).toEqual([])
  expect(status).toBe(0)
  const found = (check: string) => findings.find((finding) => finding.check === check)?.found
  expect(found('server')).toMatch(/^process \d+ serves this folder and has 1 applications open$/)
  expect(found('port')).toBe(`https://127.0.0.1:${server.port}/ answers`)
  expect(found('tree "app"')).toMatch(/every row checked$/)
  const before = readdirSync(join(server.dataDir, 'apps'))
  const elsewhere = await runDhole(['doctor', '--data-dir', server.dataDir], { PORT: '1', APP_ID: 'other' })
  // The server says where it listens, whatever PORT is here.
  expect(elsewhere.status).toBe(0)
  expect(elsewhere.stdout).toContain(`port: https://127.0.0.1:${server.port}/ answers`)
  expect(elsewhere.stdout).toMatch(/^warning {2}server: its APP_ID is "app", not "other"/m)
  expect(readdirSync(join(server.dataDir, 'apps'))).toEqual(before)
})

longTest('it misses no key that settings of the running server fix', async () => {
  await using dir = await tempDir()
  const secret = 'a secret of at least 32 characters'
  await using server = await serve(dir.file('data'), { APP_SECRET: secret })
  await server.ask('PUT', `/a.json?auth=${encodeURIComponent(secret)}`, 1)
  const { status, stdout } = await runDhole(['doctor', '--data-dir', server.dataDir])
  expect(stdout).not.toContain('app.secret')
  expect(status).toBe(0)
})

longTest('it waits for no restore, and a backup for neither', async () => {
  await using dir = await tempDir()
  const server = await serve(dir.file('data'))
  await server.stop()
  const lock = new Client(join(server.dataDir, 'maintenance-lock'), { create: true, readwrite: true })
  lock.run('BEGIN EXCLUSIVE')
  const { stdout } = await runDhole(['doctor', '--data-dir', server.dataDir])
  expect(stdout).toMatch(/^warning {2}trees: a restore is at work in /m)
  const backup = await runDhole(['backup', dir.file('x'), '--data-dir', server.dataDir])
  expect([backup.status, backup.stderr]).toEqual([2, expect.stringMatching(/a restore is at work/)])
  lock.run('ROLLBACK')
  lock.run('BEGIN')
  lock.query('SELECT count(*) FROM sqlite_schema').get()
  expect((await runDhole(['backup', dir.file('x'), '--data-dir', server.dataDir])).status).toBe(0)
  const restore = await runDhole(['restore', '--yes', dir.file('x'), '--data-dir', server.dataDir])
  expect([restore.status, restore.stderr]).toEqual([
    2,
    expect.stringMatching(/a backup, a restore or a doctor is at work/),
  ])
  lock.close()
})

function sql(dataDir: string, statement: string): void {
  const client = new Client(tree(dataDir))
  client.run(statement)
  client.close()
}

function zero(file: string): void {
  const bytes = readFileSync(file)
  for (let page = 3; page < bytes.length / 4096; page++) bytes.fill(0xa5, page * 4096 + 8, page * 4096 + 200)
  writeFileSync(file, bytes)
}

/** One of its own, good from and to so many days from now. */
async function certificate(dataDir: string, from: number, to: number): Promise<void> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    notBeforeDate: new Date(Date.now() + from * DAY_MS),
    notAfterDate: new Date(Date.now() + to * DAY_MS),
  })
  writeFileSync(join(dataDir, 'tls/certificate.pem'), cert)
  writeFileSync(join(dataDir, 'tls/certificate-key.pem'), key)
}

async function otherKey(dataDir: string): Promise<void> {
  const { private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' })
  writeFileSync(join(dataDir, 'tls/certificate-key.pem'), key)
}

test('whoever reads no more of what is printed is told of no failure', async () => {
  const main = Bun.fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))
  const child = Bun.spawn([process.execPath, main, 'doctor', '--data-dir', '/nowhere'], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  await child.stdout.cancel()
  // It would be 1, as there is no such folder.
  expect([await child.exited, await child.stderr.text()]).toEqual([0, ''])
})
