import { describe, expect, test } from 'bun:test'
import { addApplication, keptKeys, runDhole } from '../../support/dhole-command.ts'
import { inLanes, longTest, someInLanes } from '../../support/lane.ts'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

const ANYWHERE = '0.0.0.0'
const OPEN = 'open: everybody on this machine may read and write'
const LOCKED = 'locked: only the super secret may read and write'
const RULES = '{\n  // everybody reads\n  "rules": {".read": true}\n}\n'

type Client = Awaited<ReturnType<typeof clientOfProcess>>

/** Starts a server, tries it, and ends it; its folder stays. @returns what it printed */
async function trying(
  settings: Readonly<Record<string, string>>,
  use: (client: Client) => Promise<void>,
): Promise<string> {
  const server = await spawnServer(settings)
  try {
    await use(await clientOfProcess(server))
  } finally {
    await end(server)
  }
  return server.output()
}

async function end(server: ServerProcess): Promise<void> {
  server.kill('SIGTERM')
  await server.exited
}

/** What somebody without a credential may do: `read`, `write`. */
async function allowed({ call }: Client): Promise<readonly string[]> {
  const read = (await call('GET', '/a.json')).status === 200
  const written = (await call('PUT', '/a.json', { body: '1' })).status === 200
  return [...(read ? ['read'] : []), ...(written ? ['write'] : [])]
}

describe('a new application', () => {
  test.each([
    ['on a loopback address is open, and says so', {}, ['read', 'write'], OPEN],
    ['on another address is locked', { HOST: ANYWHERE }, [], LOCKED],
    [
      'on a loopback address behind a proxy says who else may come',
      { TRUST_PROXY: '127.0.0.1' },
      ['read', 'write'],
      'behind the proxy may read',
    ],
  ])('%s', async (_, settings, may, says) => {
    await using dir = await tempDir()
    const printed = await trying({ DATA_DIR: dir.path, ...settings }, async (client) => {
      expect(await allowed(client)).toEqual(may)
    })
    expect(printed).toContain(says)
    expect(printed).toContain('/.settings/rules.json')
  })

  test.each(inLanes([], [['127.0.0.1'], [ANYWHERE]]))(
    'on %s begins with the rules of RULES, and keeps them',
    async (HOST) => {
      await using dir = await tempDir()
      const file = dir.file('rules.json')
      await Bun.write(file, RULES)
      const settings = { DATA_DIR: dir.file('data'), HOST }
      const first = await trying({ ...settings, RULES: file }, async (client) => {
        expect(await allowed(client)).toEqual(['read'])
      })
      expect(first).not.toContain('open:')
      // Without the setting: they are its own now.
      await trying(settings, async (client) => expect(await allowed(client)).toEqual(['read']))
      await Bun.write(file, '{"rules": {".write": true}}')
      const later = await trying({ ...settings, RULES: file }, async (client) => {
        expect(await allowed(client)).toEqual(['read'])
      })
      expect(later).toContain('the rules stored differ from those of')
      expect(later).toContain(file)
      await Bun.write(file, RULES)
      const same = await trying({ ...settings, RULES: file }, async () => {})
      expect(same).not.toContain('differ')
    },
  )

  longTest('with rules of its own is not called open', async () => {
    await using dir = await tempDir()
    const settings = { DATA_DIR: dir.path, APP_SECRET: 'a-secret-of-the-test-suite' }
    await trying(settings, async ({ call }) => {
      const stored = await call('PUT', '/.settings/rules.json?auth=a-secret-of-the-test-suite', { body: RULES })
      expect(stored.status).toBe(200)
    })
    const printed = await trying(settings, async (client) => expect(await allowed(client)).toEqual(['read']))
    expect(printed).not.toContain(OPEN)
    expect(printed).toContain('rules stored with the data')
  })
})

describe('what keeps a server from starting', () => {
  test.each([
    ['no such file', undefined, /RULES: .*rules\.json: there is no such file/],
    ['no rules', 'nonsense', /RULES: .*rules\.json: Line 1: /],
    ['a wrong rule', '{"rules": {\n  ".read": "auth.uid ="\n}}', /RULES: .*rules\.json: Line 2: /],
  ])('RULES with %s', async (_, source, says) => {
    await using dir = await tempDir()
    const file = dir.file('rules.json')
    if (source !== undefined) await Bun.write(file, source)
    await expect(spawnServer({ DATA_DIR: dir.file('data'), RULES: file })).rejects.toThrow(says)
  })

  const refused: readonly [string, Readonly<Record<string, string>>, string][] = [
    ['DEVELOPMENT where others can connect', { DEVELOPMENT: 'true', HOST: ANYWHERE }, 'DEVELOPMENT'],
    ['DEVELOPMENT behind a proxy', { DEVELOPMENT: 'true', TRUST_PROXY: '127.0.0.1' }, 'DEVELOPMENT'],
    ['DEVELOPMENT with something else', { DEVELOPMENT: 'perhaps' }, 'DEVELOPMENT'],
    ['an SMS key that can be guessed', { SMS_KEY: 'short' }, 'SMS_KEY'],
    ['no room for any application', { MAX_OPEN_APPS: '0' }, 'MAX_OPEN_APPS'],
    ['a count of failures that is none', { FAILED_CREDENTIALS: '-1' }, 'FAILED_CREDENTIALS'],
    ['no time at all', { APP_IDLE_MS: '0' }, 'APP_IDLE_MS'],
  ]
  test.each(someInLanes(refused, 3))('%s', async (_, settings, named) => {
    await using dir = await tempDir()
    await expect(spawnServer({ DATA_DIR: dir.path, ...settings })).rejects.toThrow(named)
  })

  test('an emptied file of a secret: it would let everybody in', async () => {
    await using dir = await tempDir()
    await Bun.write(dir.file('secrets/app.secret'), '\n')
    await expect(spawnServer({ DATA_DIR: dir.path })).rejects.toThrow('app.secret holds no secret')
  })
})

longTest('in development the owner of an emulator may do everything, and otherwise nothing', async () => {
  await using dir = await tempDir()
  const owner = { headers: { Authorization: 'Bearer owner' } }
  const developing = await trying({ DATA_DIR: dir.path, DEVELOPMENT: 'true' }, async ({ call }) => {
    const locked = await call('PUT', '/.settings/rules.json', { ...owner, body: '{"rules": {}}' })
    expect(locked.status).toBe(200)
    expect((await call('GET', '/a.json', owner)).status).toBe(200)
    expect((await call('GET', '/a.json?auth=owner')).status).toBe(401)
    expect((await call('GET', '/a.json')).status).toBe(403)
  })
  expect(developing).toContain('development: ')
  const serving = await trying({ DATA_DIR: dir.path }, async ({ call }) => {
    expect((await call('GET', '/a.json', owner)).status).toBe(401)
  })
  expect(serving).not.toContain('development')
})

longTest('wrong credentials are counted for all applications together', async () => {
  await using dir = await tempDir()
  await trying({ DATA_DIR: dir.path, FAILED_CREDENTIALS: '2' }, async ({ call }) => {
    await addApplication(dir.path, 'other')
    const statuses: number[] = []
    for (const ns of ['app', 'other', 'app', 'other']) {
      statuses.push((await call('GET', `/a.json?ns=${ns}&auth=wrong`)).status)
    }
    expect(statuses).toEqual([401, 401, 429, 429])
    expect((await call('GET', '/a.json')).status).toBe(200)
  })
})

longTest('the list tells rules as they are in a running server', async () => {
  await using dir = await tempDir()
  await using server = await spawnServer({ DATA_DIR: dir.path })
  const { call } = await clientOfProcess(server)
  const { secret } = await keptKeys(server.dataDir)
  const listed = async () => {
    const { stdout } = await runDhole(['apps', 'list', '--json', '--data-dir', dir.path])
    return (JSON.parse(stdout) as { rules: string }[]).map(({ rules }) => rules)
  }
  const other = await addApplication(dir.path, 'other')
  expect(await listed()).toEqual(['open', 'locked'])
  await call('PUT', `/.settings/rules.json?auth=${secret}`, { body: RULES })
  await call('PUT', `/.settings/rules.json?ns=other&auth=${other.secret}`, { body: RULES })
  expect(await listed()).toEqual(['own', 'own'])
})
