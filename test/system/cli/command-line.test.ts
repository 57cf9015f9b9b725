import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../../src/server/config/config.ts'
import { addApplication, runDhole } from '../../support/dhole-command.ts'
import { tempDir } from '../../support/temp-dir.ts'

test('dhole alone shows its help', async () => {
  const { status, stdout, stderr } = await runDhole([])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toStartWith('Usage: dhole [options] [command]\n')
})

test('help takes every word of a command', async () => {
  const [asked, flag] = await Promise.all([runDhole(['help', 'apps', 'add']), runDhole(['apps', 'add', '--help'])])
  expect(asked).toEqual(flag)
  expect(asked.stdout).toStartWith('Usage: dhole apps add [options] <id>\n')
})

test('the help of serve has defaults and choices', async () => {
  const { stdout } = await runDhole(['serve', '--help'])
  const words = stdout.replace(/\s+/g, ' ')
  expect(words).toContain('(default: 8443, env: PORT)')
  expect(words).toContain('(choices: "debug", "info", "warn", "error", "silent", default: info, env: LOG_LEVEL)')
})

describe('a wrong command line is answered with one line and status 2', () => {
  const rows: readonly (readonly [words: string, says: RegExp])[] = [
    ['serv', /^dhole: unknown command 'serv': did you mean serve\?\n$/],
    ['apps lst', /^dhole: unknown command 'lst': did you mean list\?\n$/],
    ['apps list --jsn', /^dhole: unknown option '--jsn': did you mean --json\?\n$/],
    ['nothing-like-it', /^dhole: unknown command 'nothing-like-it'\n$/],
    ['--port 8080', /^dhole: unknown option '--port': it is a flag of `dhole serve`\n$/],
    ['help apps lst', /^dhole: unknown command 'lst': did you mean list\?\n$/],
    ['help serve twice', /^dhole: "serve" has no commands\n$/],
    ['completion ksh', /^dhole: .*Allowed choices are bash, zsh, fish\.\n$/],
    ['backup --json --quiet', /^dhole: option '--quiet' cannot be used with option '--json'\n$/],
    ['serve --log-level loud', /^dhole: LOG_LEVEL: expected one of debug, info, warn, error, silent, found "loud"\n$/],
    ['serve --keep-alive-ms 1.5', /^dhole: KEEP_ALIVE_MS: expected a time such as 90s or 10m, or a whole number .*\n$/],
    ['serve --app-secret short', /^dhole: APP_SECRET: expected text of at least \d+ characters\n$/],
    ['serve --rules /no/such/file', /^dhole: RULES: \/no\/such\/file: there is no such file\n$/],
    ['apps add x --rules /no/such/file', /^dhole: \/no\/such\/file: there is no such file\n$/],
    ['rules check /no/such/file', /^dhole: \/no\/such\/file: cannot be read: there is no such file\n$/],
    ['token --app none --uid ann', /^dhole: there is no application "none" in \S+, or no \S+none\.secret\n$/],
    [
      'token --secret 0123456789abcdef --uid ann --expires-in 1.5h',
      /^dhole: --expires-in: expected a time such as .*\n$/,
    ],
    ['apps rotate none --yes', /^dhole: there is no application "none" in \S+\n$/],
    ['sms counts --app none', /^dhole: there is no application "none" in \S+\n$/],
    ['backup --app none', /^dhole: there is no application "none" in \S+\n$/],
  ]

  test.each(rows)('dhole %s', async (words, says) => {
    await using dir = await tempDir()
    const { status, stdout, stderr } = await runDhole(words.split(' '), { DATA_DIR: dir.path })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(says)
  })
})

test('a file that cannot be read or written is named, with what came of it', async () => {
  await using dir = await tempDir()
  await addApplication(dir.path, 'shop')
  const rows: readonly (readonly [words: string, says: string])[] = [
    ['import /no/file', '/no/file: cannot be read: there is no such file; nothing is imported'],
    [`import ${dir.path}`, `${dir.path}: cannot be read: it is a folder; nothing is imported`],
    ['sms import /no/file.csv', '/no/file.csv: cannot be read: there is no such file; nothing is imported'],
    ['export /no/folder/a.json', '/no/folder/a.json: cannot be written: there is no folder /no/folder'],
    ['sms export /no/folder/a.csv', '/no/folder/a.csv: cannot be written: there is no folder /no/folder'],
  ]
  for (const [words, says] of rows) {
    const { status, stdout, stderr } = await runDhole([...words.split(' '), '--app', 'shop'], { DATA_DIR: dir.path })
    expect({ words, stdout, stderr }).toEqual({ words, stdout: '', stderr: `dhole: ${says}\n` })
    expect(status).toBeGreaterThan(0)
  }
})

test('times of settings and tokens have units', async () => {
  const { stdout } = await runDhole(['token', '--secret', '0123456789abcdef', '--uid', 'ann', '--expires-in', '1h'])
  const { iat, exp } = JSON.parse(Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString())
  expect(exp - iat).toBe(3600)
  const config = readConfig({
    KEEP_ALIVE_MS: '30s',
    TRANSFER_TIMEOUT_S: '2m',
    SMS_RETENTION_DAYS: '2w',
    APP_IDLE_MS: '7',
  })
  expect(config).toMatchObject({
    KEEP_ALIVE_MS: 30_000,
    TRANSFER_TIMEOUT_S: 120,
    SMS_RETENTION_DAYS: 14,
    APP_IDLE_MS: 7,
  })
  expect(() => readConfig({ TRANSFER_TIMEOUT_S: '1500ms' })).toThrow('TRANSFER_TIMEOUT_S: expected a time')
})
