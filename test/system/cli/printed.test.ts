import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { addApplication, runDhole } from '../../support/dhole-command.ts'
import { someInLanes } from '../../support/lane.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

/** Clears a screen with a control character of one byte, reverses text, and ends a line. */
const HOSTILE = 'x\u009b2J\u202eevil\u2028\u0007'
const ESCAPED = 'x\\u009b2J\\u202eevil\\u2028\\u0007'
/** What may do something to a terminal, or cannot be seen on one. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const MAIN = Bun.fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))

let dir: TempDir
let flags: readonly string[]

beforeAll(async () => {
  dir = await tempDir()
  await addApplication(dir.path, 'shop', '--sms', '{"mobile":"^\\\\+?\\\\d+$"}')
  flags = ['--app', 'shop', '--data-dir', dir.path]
})

afterAll(() => dir[Symbol.asyncDispose]())

describe('no control character and none that changes the direction of text is printed', () => {
  test('by an import that names the key where a file is wrong', async () => {
    writeFileSync(dir.file('tree.json'), JSON.stringify({ [HOSTILE.slice(0, -2)]: { 'a.b': 1 } }))
    const { status, stderr } = await runDhole(['import', dir.file('tree.json'), ...flags])
    expect(status).toBe(1)
    expect(stderr).toContain(ESCAPED.slice(0, -12))
    expect(stderr.trimEnd()).not.toMatch(UNSAFE)
  })

  test('by an import of text messages', async () => {
    writeFileSync(dir.file('messages.ndjson'), JSON.stringify({ rrid: 'a', mobile: HOSTILE }))
    const { status, stderr } = await runDhole(['sms', 'import', dir.file('messages.ndjson'), ...flags])
    expect(status).toBe(2)
    expect(stderr.trimEnd()).not.toMatch(UNSAFE)
  })

  test('by the names of files and words that are wrong', async () => {
    const file = await runDhole(['import', `/no/${HOSTILE}`, ...flags])
    expect(file.stderr).toContain(ESCAPED)
    const word = await runDhole([HOSTILE])
    expect(word.stderr).toContain(ESCAPED)
    for (const { stderr } of [file, word]) expect(stderr.trimEnd()).not.toMatch(UNSAFE)
  })

  test('in JSON for programs, which says the same', async () => {
    const rules = JSON.stringify({ rules: { '.read': `${HOSTILE.slice(0, -2)} ||` } })
    writeFileSync(dir.file('rules.json'), rules)
    const { stdout } = await runDhole(['rules', 'check', dir.file('rules.json'), '--json'])
    expect(stdout.trimEnd()).not.toMatch(UNSAFE)
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, file: dir.file('rules.json') })
  })
})

test('cells of CSV that a spreadsheet would compute begin with an apostrophe if that is wanted', async () => {
  const messages = [
    { rrid: '-1', mobile: '+8613812345678', status: 1, messageId: '=HYPERLINK("x")', submittedAt: 1 },
    { rrid: 'plain', mobile: '13812345678', status: 1, messageId: '@SUM(1)', submittedAt: 2 },
  ]
  writeFileSync(dir.file('formulas.ndjson'), messages.map((message) => JSON.stringify(message)).join('\n'))
  expect(await runDhole(['sms', 'import', dir.file('formulas.ndjson'), ...flags])).toMatchObject({ status: 0 })
  const asTheyAre = await runDhole(['sms', 'export', ...flags])
  const escaped = await runDhole(['sms', 'export', '--escape-formulas', ...flags])
  const refused = await runDhole(['sms', 'export', '--escape-formulas', '--format', 'ndjson', ...flags])
  expect(asTheyAre.stdout).toContain('-1,+8613812345678,1,')
  expect(escaped.stdout).toContain("'-1,'+8613812345678,1,")
  expect(escaped.stdout).toContain('"\'=HYPERLINK(""x"")"')
  expect(escaped.stdout).toContain('plain,13812345678,1,')
  expect(escaped.stdout).toContain("'@SUM(1)")
  expect(refused).toMatchObject({ status: 2, stderr: 'dhole: --escape-formulas belongs to the format csv\n' })
})

describe('a reader that goes early is no failure', () => {
  const commands = ['doctor', 'doctor --json', 'apps list', 'export', 'sms export', '--help', 'completion bash']
  test.each(someInLanes(commands, 3))('dhole %s', async (command) => {
    const words = command.split(' ')
    const at = words.includes('export') ? flags : ['doctor', 'apps'].includes(words[0] ?? '') ? flags.slice(2) : []
    // The reader has gone before anything is written; the shell tells the status of the command.
    const script = '(read -r; "$@"; echo "status $?" >&2) | exec true'
    const child = Bun.spawn(['bash', '-c', script, 'bash', process.execPath, MAIN, ...words, ...at], {
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'pipe',
    })
    child.stdin.write('\n')
    await child.stdin.end()
    const printed = await child.stderr.text()
    await child.exited
    expect(printed).toBe('status 0\n')
  })

  test('of errors neither', async () => {
    const script = '(read -r; "$@" 2>&1 >/dev/null; echo "status $?" >&3) 3>&2 | exec true'
    const child = Bun.spawn(['bash', '-c', script, 'bash', process.execPath, MAIN, 'serv'], {
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'pipe',
    })
    child.stdin.write('\n')
    await child.stdin.end()
    expect(await child.stderr.text()).toMatch(/^status [02]\n$/)
  })
})
