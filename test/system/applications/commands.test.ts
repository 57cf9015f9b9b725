import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type CommandResult, runDhole, shownKeys } from '../../support/dhole-command.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

/** One command, and what it leaves behind. */
interface Row {
  /** What stands behind `dhole apps`. */
  readonly does: readonly string[]
  /** Default 0. */
  readonly status?: number
  /** Default: nothing is printed there. */
  readonly out?: RegExp
  readonly err?: RegExp
}

const BOTH_KEYS =
  /^super secret of application "\w+", shown only now: \S{40}\nSMS key of application "\w+", .*: \S{40}\n/
const UNCONFIRMED = /^dhole: not confirmed, and there is no terminal to ask: give --yes\n$/
const NO_SUCH = /^dhole: there is no application "none" in \S+\n$/

/** In this order, on one folder. */
const rows: readonly Row[] = [
  { does: ['add', 'shop'], out: BOTH_KEYS },
  { does: ['add', 'shop'], status: 2, err: /^dhole: there is an application "shop" already\n$/ },
  { does: ['add', 'app'], status: 2, err: /^dhole: "app" is the default application: it is there already\n$/ },
  {
    does: ['add', 'wild', '--open', '--profile', 'firebase', '--index-policy', 'require'],
    out: /\nopen: everybody .*"wild"\n$/,
  },
  { does: ['add', 'small', '--limits', '{"maxWriteBytes":10}'], out: BOTH_KEYS },
  { does: ['add', 'x', '--limits', '{'], status: 2, err: /^dhole: --limits: expected JSON/ },
  { does: ['add', 'x', '--limits', '{"maxWrite":1}'], status: 2, err: /maxWrite/ },
  { does: ['add', 'x', '--limits', '[]'], status: 2, err: /limits/ },
  { does: ['add', 'x', '--rules', '/no/such/file'], status: 2, err: /\/no\/such\/file/ },
  { does: ['add', 'x', '--rules', import.meta.path], status: 2, err: /commands\.test\.ts: Line 1: / },
  { does: ['add', 'x', '--rules', import.meta.path, '--open'], status: 2, err: /--open and --rules/ },
  { does: ['add', 'x', '--profile', 'other'], status: 2, err: /wilddog, firebase/ },
  { does: ['add', 'x', '--unknown'], status: 2, err: /unknown option/ },
  { does: ['add'], status: 2, err: /missing required argument/ },
  { does: ['none'], status: 2, err: /unknown command/ },
  { does: ['rotate', 'shop'], status: 2, err: UNCONFIRMED },
  { does: ['rotate', 'shop', '--dry-run'], out: /^would replace the super secret of application "shop"/ },
  { does: ['rotate', 'none', '--dry-run'], status: 2, err: NO_SUCH },
  { does: ['rotate', 'shop', '--yes'], out: /^super secret of application "shop", shown only now: \S{40}\n$/ },
  { does: ['rotate', 'shop', '--yes', '--sms-key'], out: /^SMS key of application "shop", shown only now: \S{40}\n$/ },
  {
    does: ['rotate', 'shop', '--yes', '--secret', 'chosen-by-the-owner-and-long-enough'],
    out: /shown only now: chosen-by-the-owner-and-long-enough\n$/,
  },
  { does: ['rotate', 'shop', '--yes', '--secret', 'too short'], status: 2, err: /at least 16 characters/ },
  { does: ['rotate', 'shop', '--yes', '--secret', ' a space at the beginning'], status: 2, err: /no space/ },
  { does: ['rotate', 'app', '--yes'], out: /^super secret of application "app"/ },
  { does: ['rotate', 'none', '--yes'], status: 2, err: NO_SUCH },
  { does: ['remove', 'none', '--yes'], status: 2, err: NO_SUCH },
  { does: ['remove', 'app', '--yes'], status: 2, err: /^dhole: "app" is the default application/ },
  { does: ['remove', 'shop'], status: 2, err: UNCONFIRMED },
  { does: ['remove', 'shop', '--yes'], out: /^application "shop" is removed; its data stays\n$/ },
  { does: ['remove', 'shop', '--yes'], status: 2, err: /^dhole: there is no application "shop" in \S+\n$/ },
  { does: ['rotate', 'shop', '--yes'], status: 2, err: /there is no application "shop"/ },
  { does: ['add', 'shop'], out: BOTH_KEYS },
  { does: ['remove', 'shop', '--yes', '--delete-data'], out: /^application "shop" is removed with its data\n$/ },
]

const badNames = [
  'Shop',
  'a.b',
  'a/b',
  '..',
  '.',
  '../outside',
  '/tmp/outside',
  'a%2fb',
  '%2e%2e',
  'a\\b',
  'a_b',
  'a b',
  'a\nb',
  '-a',
  'a-',
  'ä',
  '',
  '__proto__',
  'a'.repeat(64),
]

describe.each([['with a running server'], ['without a server']])('%s', (kind) => {
  let dir: TempDir
  let server: ServerProcess | undefined

  beforeAll(async () => {
    dir = await tempDir()
    // A folder below one of its own: what escapes from it is seen.
    await mkdir(dir.file('data'))
    server = await spawnServer({ DATA_DIR: dir.file('data') })
    if (kind === 'with a running server') return
    server.kill('SIGTERM')
    await server.exited
    server = undefined
  })

  afterAll(async () => {
    await server?.stop()
    await dir[Symbol.asyncDispose]()
  })

  function apps(...does: readonly string[]): Promise<CommandResult> {
    return runDhole(['apps', ...does], { DATA_DIR: dir.file('data') })
  }

  test('every command says what it did, or why it did not', async () => {
    for (const { does, status = 0, out = /^$/, err = /^$/ } of rows) {
      const result = await apps(...does)
      expect<unknown>({ does, ...result }).toEqual({
        does,
        status,
        stdout: expect.stringMatching(out),
        stderr: expect.stringMatching(err),
      })
    }
  })

  test('a name that could be a path, or no label of a host, names nothing', async () => {
    const everything = () => readdirSync(dir.path, { recursive: true }).sort()
    const before = everything()
    const refused = (verb: string) => async (name: string) => {
      const { status, stdout, stderr } = await apps(...verb.split(' '), '--', name)
      const says = expect.stringContaining('cannot name an application') as unknown
      expect<unknown>({ name, status, stdout, stderr }).toEqual({ name, status: 2, stdout: '', stderr: says })
    }
    await Promise.all(badNames.map(refused('add')))
    await Promise.all(
      ['../outside', '..'].flatMap((name) => ['rotate --yes', 'remove --yes'].map((verb) => refused(verb)(name))),
    )
    await Promise.all(['..', '../data/apps/small'].map(refused('remove --yes --delete-data')))
    expect(everything()).toEqual(before)
  })

  test('the list has the default one and those registered', async () => {
    const { stdout } = await apps('list', '--json')
    const known = server === undefined ? {} : { profile: 'wilddog', rules: 'open' }
    expect<unknown>(JSON.parse(stdout)).toEqual([
      { id: 'app', ...known, bytes: expect.any(Number), isDefault: true },
      { id: 'small', profile: 'wilddog', rules: 'locked', bytes: 0, isDefault: false },
      { id: 'wild', profile: 'firebase', rules: 'open', bytes: 0, isDefault: false },
    ])
    // Most of a tree that was written to just now is in its log.
    const sizes = ['', '-wal'].map((suffix) => {
      return statSync(dir.file(`data/apps/app.sqlite${suffix}`), { throwIfNoEntry: false })?.size ?? 0
    })
    expect(JSON.parse(stdout)[0].bytes).toBe(sizes.reduce((sum, size) => sum + size, 0))
    const { stdout: table } = await apps('list')
    expect(table).toMatch(
      /^name +profile +rules +bytes\napp .* default\nsmall +wilddog +locked +0\nwild +firebase +open +0\n$/,
    )
    // Nobody is at a terminal, so there are no colours either.
    expect(table).not.toContain('\u001b')
  })

  test('keys are kept for their owner only, and never shown again', async () => {
    const { stdout } = await apps('add', 'kept')
    const [secret = '', smsKey = ''] = shownKeys(stdout)
    for (const [file, key] of [
      ['secrets/kept.secret', secret],
      ['secrets/kept.sms', smsKey],
    ] as const) {
      const path = dir.file(join('data', file))
      expect((await Bun.file(path).text()).trim()).toBe(key)
      expect(statSync(path).mode & 0o777).toBe(0o600)
    }
    expect(statSync(dir.file('data/apps/kept.json')).mode & 0o777).toBe(0o600)
    expect(await Bun.file(dir.file('data/apps/kept.json')).text()).not.toContain(secret)
    expect((await apps('list', '--json')).stdout).not.toContain(secret)
    await apps('remove', 'kept', '--yes')
    expect(existsSync(dir.file('data/secrets/kept.secret'))).toBe(false)
    expect(existsSync(dir.file('data/secrets/kept.sms'))).toBe(false)
  })
})

test('a folder that nobody has served has no application to rotate or remove', async () => {
  await using dir = await tempDir()
  for (const does of [
    ['rotate', 'app', '--yes'],
    ['rotate', 'shop', '--yes'],
    ['remove', 'app', '--yes'],
  ]) {
    const { status, stderr } = await runDhole(['apps', ...does], { DATA_DIR: dir.file('nowhere') })
    expect<unknown>([status, stderr]).toEqual([2, expect.stringContaining('there is no application')])
  }
  expect(readdirSync(dir.path)).toEqual([])
})

test('without a server, a key that is a setting is not replaced in a file', async () => {
  await using dir = await tempDir()
  await mkdir(dir.file('apps'))
  await Bun.write(dir.file('apps/app.sqlite'), '')
  for (const [setting, flags] of [
    ['APP_SECRET', []],
    ['SMS_KEY', ['--sms-key']],
  ] as const) {
    const environment = { DATA_DIR: dir.path, [setting]: 'a setting of the server' }
    const { status, stderr } = await runDhole(['apps', 'rotate', 'app', '--yes', ...flags], environment)
    expect<unknown>([status, stderr]).toEqual([2, expect.stringContaining(`the setting ${setting}`)])
  }
  expect(readdirSync(dir.path)).toEqual(['apps'])
})
