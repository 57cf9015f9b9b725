import { expect, test } from 'bun:test'
import { runDhole } from '../../support/dhole-command.ts'

/** A line up to the cursor, and what it can go on with. */
const rows: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['dhole ap', ['apps']],
  ['dhole apps r', ['rotate', 'remove']],
  ['dhole apps add --prof', ['--profile']],
  ['dhole apps add --profile ', ['wilddog', 'firebase']],
  ['dhole apps add --profile fire', ['firebase']],
  ['dhole serve --log-level ', ['debug', 'info', 'warn', 'error', 'silent']],
  ['dhole serve --data-dir ', []],
  ['dhole completion ', ['bash', 'zsh', 'fish', '-h', '--help']],
  ['dhole restore somewhere --dr', ['--dry-run']],
]

test('bash completes commands, flags and choices', async () => {
  const { stdout: script } = await runDhole(['completion', 'bash'])
  for (const [line, expected] of rows) expect([line, await completions(script, line)]).toEqual([line, expected])
})

/** What bash offers behind a line. */
async function completions(script: string, line: string): Promise<readonly string[]> {
  const words = line.split(' ')
  const asked = `${script}
COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _dhole; printf '%s\\n' "\${COMPREPLY[@]}"`
  const child = Bun.spawn(['bash', '-uc', asked, 'bash', ...words], { stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect(err).toBe('')
  return out.split('\n').filter((word) => word !== '')
}

const OTHERS = [
  { shell: 'zsh', flags: ['-n'] },
  { shell: 'fish', flags: ['--no-execute'] },
] as const

for (const { shell, flags } of OTHERS) {
  const where = Bun.which(shell) === null ? ' (skipped: it is not installed)' : ''
  test.skipIf(where !== '')(`the script for ${shell} can be read by it${where}`, async () => {
    const { stdout: script } = await runDhole(['completion', shell])
    const child = Bun.spawn([shell, ...flags, '/dev/stdin'], { stdin: new Blob([script]), stderr: 'pipe' })
    expect([await child.stderr.text(), await child.exited]).toEqual(['', 0])
  })
}

test('the script for fish names every command', async () => {
  const { stdout: script } = await runDhole(['completion', 'fish'])
  expect(script).toContain("complete -c dhole -n '__dhole_is dhole apps' -f -a 'rotate' -d 'replace the super secret")
  expect(script).toContain("-n '__dhole_is dhole serve' -l log-level -x -a 'debug info warn error silent' -d ")
})
