import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runDhole } from '../../support/dhole-command.ts'
import { tempDir } from '../../support/temp-dir.ts'

const ROOT = Bun.fileURLToPath(new URL('../../..', import.meta.url))
const unit = readFileSync(join(ROOT, 'packaging/dhole.service'), 'utf8')

function setting(name: string): string | undefined {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]
}

test('the unit runs the server as the user that is made for it', () => {
  const users = readFileSync(join(ROOT, 'packaging/dhole.sysusers.conf'), 'utf8')
  expect(setting('User')).toBe('dhole')
  expect(users).toMatch(/^u dhole - "Dhole" \/var\/lib\/dhole$/m)
  expect(setting('ExecStart')).toBe('/usr/local/bin/bun /opt/dhole/src/cli/main.ts serve')
  expect(setting('ExecReload')).toBe('/bin/kill -HUP $MAINPID')
  expect(unit).toContain(`Environment=DATA_DIR=/var/lib/${setting('StateDirectory')}\n`)
})

test('the unit does not try again what only a person can mend', async () => {
  const { status } = await runDhole(['serve'], { PORT: 'many' })
  expect(setting('RestartPreventExitStatus')).toBe(String(status))
  expect(setting('Restart')).toBe('on-failure')
})

test('the unit leaves no image of its memory, is bounded in memory and sees no other users', () => {
  expect(setting('LimitCORE')).toBe('0')
  expect(setting('MemoryMax')).toMatch(/^[1-9]\d*(%|[MG])$/)
  expect(setting('PrivateUsers')).toBe('yes')
})

const verifier = Bun.which('systemd-analyze')
if (verifier === null) process.stderr.write('no systemd-analyze: the unit is not verified\n')

test.skipIf(verifier === null)('systemd understands the unit', async () => {
  await using dir = await tempDir()
  const file = dir.file('dhole.service')
  // Here the runtime is somewhere else, and there is no such user.
  writeFileSync(file, unit.replace('/usr/local/bin/bun', process.execPath).replaceAll('=dhole\n', '=root\n'))
  const { exitCode, stderr } = Bun.spawnSync([String(verifier), 'verify', '--man=no', file], { stderr: 'pipe' })
  expect([String(stderr), exitCode]).toEqual(['', 0])
})
