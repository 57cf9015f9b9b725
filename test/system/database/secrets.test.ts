import { afterEach, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { runDhole, spawnDhole } from '../../support/dhole-command.ts'
import { longTest } from '../../support/lane.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { databaseSettings } from '../../support/postgres/server-settings.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { type DatabaseServer, rotated, startOn } from './two-servers.ts'

const SECRET = 'the-super-secret-of-the-settings'
const running: DatabaseServer[] = []

async function start(settings: Readonly<Record<string, string>>): Promise<DatabaseServer> {
  const server = await startOn(settings)
  running.push(server)
  return server
}

afterEach(async () => {
  await Promise.all(running.splice(0).map(({ process }) => process.stop()))
})

/** What a start prints that is refused. */
async function refusal(settings: Readonly<Record<string, string>>): Promise<string> {
  await using dir = await tempDir()
  const { status, stderr } = await spawnDhole(['serve'], { PORT: '0', DATA_DIR: dir.path, ...settings })
  expect(status).toBe(2)
  return stderr
}

/** The stored keys of all applications, as a reader of the database sees them. */
async function storedKeys({
  DATABASE_URL = '',
  DATABASE_SCHEMA = '',
}: Readonly<Record<string, string>>): Promise<string> {
  await using sql = new SQL(DATABASE_URL)
  const rows = await sql.unsafe(`SELECT id, secret, sms_key FROM ${DATABASE_SCHEMA}.application`)
  return JSON.stringify(rows)
}

const newKey = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'secrets in a database', () => {
  longTest('a setting that is not the key of the database is refused, and the right one is taken', async () => {
    const settings = databaseSettings()
    const one = await start({ ...settings, APP_SECRET: SECRET })
    expect((await one.call('GET', `/a.json?auth=${encodeURIComponent(SECRET)}`)).status).toBe(200)
    const wrong = `${SECRET}-of-another-server`
    const line = await refusal({ ...settings, APP_SECRET: wrong })
    expect(line).toBe(
      'dhole: APP_SECRET: it is not the super secret of application "app" in the database: ' +
        'set the same on every process, or replace the one in the database with `dhole apps rotate`\n',
    )
    expect(await refusal({ ...settings, SMS_KEY: wrong })).toStartWith('dhole: SMS_KEY: it is not the SMS key of')
    const two = await start({ ...settings, APP_SECRET: SECRET })
    const three = await start(settings)
    const fresh = rotated(await runDhole(['apps', 'rotate', 'app', '--yes', '--secret', wrong], settings))
    expect(fresh).toBe(wrong)
    for (const { call } of [one, two, three]) {
      expect((await call('GET', `/a.json?auth=${encodeURIComponent(SECRET)}`)).status).toBe(401)
      expect((await call('GET', `/a.json?auth=${encodeURIComponent(wrong)}`)).status).toBe(200)
    }
    expect(await refusal({ ...settings, APP_SECRET: SECRET })).toStartWith('dhole: APP_SECRET: ')
  })

  test('are stored encrypted with SECRETS_KEY, which every process needs', async () => {
    const settings: Record<string, string> = { ...databaseSettings(), SECRETS_KEY: newKey() }
    const one = await start({ ...settings, APP_SECRET: SECRET })
    const added = JSON.parse((await runDhole(['apps', 'add', 'shop', '--json'], settings)).stdout) as Record<
      string,
      string
    >
    const stored = await storedKeys(settings)
    for (const key of [SECRET, added['secret'], added['smsKey']]) expect(stored).not.toContain(key)
    expect(stored.split('"aes:').length - 1).toBe(4)
    expect((await one.call('GET', `/a.json?ns=shop&auth=${added['secret']}`)).status).toBe(200)
    const { SECRETS_KEY: _, ...without } = settings as Record<string, string>
    const missing = 'SECRETS_KEY: the keys in the database are encrypted: set the one of the other processes\n'
    const other = 'SECRETS_KEY: it is not the one that the keys in the database are encrypted with\n'
    expect(await refusal(without)).toBe(`dhole: ${missing}`)
    expect(await refusal({ ...without, SECRETS_KEY: newKey() })).toBe(`dhole: ${other}`)
    for (const args of [
      ['apps', 'add', 'more'],
      ['apps', 'rotate', 'shop', '--yes'],
      ['token', '--app', 'shop', '--admin'],
    ]) {
      expect((await runDhole(args, without)).stderr).toBe(`dhole: ${missing}`)
      expect((await runDhole(args, { ...without, SECRETS_KEY: newKey() })).stderr).toBe(`dhole: ${other}`)
    }
    await using dir = await tempDir()
    await Bun.write(dir.file('key'), `${settings['SECRETS_KEY']}\n`)
    const made = await runDhole(['token', '--app', 'shop', '--admin'], {
      ...without,
      SECRETS_KEY_FILE: dir.file('key'),
    })
    expect((await one.call('GET', `/a.json?ns=shop&auth=${made.stdout.trim()}`)).status).toBe(200)
    expect(await refusal({ ...without, SECRETS_KEY: 'c2hvcnQ=' })).toBe(
      'dhole: SECRETS_KEY: expected 32 bytes in base64, as `openssl rand -base64 32` prints\n',
    )
  })

  test('that are stored as they are become encrypted when the key is first set', async () => {
    const settings = databaseSettings()
    const before = await start({ ...settings, APP_SECRET: SECRET })
    await before.process.stop()
    expect(await storedKeys(settings)).toContain(SECRET)
    const after = await start({ ...settings, SECRETS_KEY: newKey() })
    expect(await storedKeys(settings)).not.toContain(SECRET)
    expect((await after.call('GET', `/a.json?auth=${encodeURIComponent(SECRET)}`)).status).toBe(200)
  })

  test('an encrypted key cannot take the place of another', async () => {
    const settings: Record<string, string> = { ...databaseSettings(), SECRETS_KEY: newKey() }
    for (const id of ['one', 'two']) expect((await runDhole(['apps', 'add', id], settings)).status).toBe(0)
    const { DATABASE_URL: url = '', DATABASE_SCHEMA: schema } = settings
    await using sql = new SQL(url)
    await sql.unsafe(
      `UPDATE ${schema}.application a SET secret = b.secret FROM ${schema}.application b WHERE a.id = 'one' AND b.id = 'two'`,
    )
    await sql.unsafe(`UPDATE ${schema}.application SET secret = sms_key WHERE id = 'two'`)
    for (const id of ['one', 'two']) {
      const { stderr } = await runDhole(['token', '--app', id, '--admin'], settings)
      expect(stderr).toBe(`dhole: the keys of application "${id}" in the database cannot be decrypted\n`)
    }
  })
})

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'wrong credentials on two servers', () => {
  const wrong = 'a-wrong-credential-of-sixteen-or-more'

  test('are counted together, and right ones are still accepted', async () => {
    const settings = { ...databaseSettings(), FAILED_CREDENTIALS: '6', APP_SECRET: SECRET }
    const servers = await Promise.all([start(settings), start(settings)])
    const statuses: number[] = []
    for (let attempt = 0; attempt < 10; attempt++) {
      const { call } = servers[attempt % 2] as DatabaseServer
      statuses.push((await call('GET', `/a.json?auth=${encodeURIComponent(wrong)}`)).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429, 429, 429, 429])
    for (const { call } of servers) {
      expect((await call('GET', `/a.json?auth=${encodeURIComponent(SECRET)}`)).status).toBe(200)
    }
  })
})
