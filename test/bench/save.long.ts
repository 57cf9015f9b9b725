import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { startBench } from './bench-command.ts'

const isMeasurable = existsSync('/proc/self/schedstat')
const where = isMeasurable ? '' : ' (skipped: no processor time in /proc/self/schedstat)'

test.skipIf(!isMeasurable)(`a whole run without --save writes no file of the repository${where}`, async () => {
  const before = changedFiles()
  const { status, stdout, stderr } = await startBench('startup').ended()
  if (status > 1) throw new Error(stderr)
  expect(stdout).toContain('start of dhole serve')
  expect(changedFiles()).toBe(before)
})

/** What git knows to be changed, and how. */
function changedFiles(): string {
  return Bun.spawnSync(['git', 'diff', '--', 'bench', 'README.md', 'docs'], { cwd: import.meta.dir }).stdout.toString()
}
