import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '../../support/temp-dir.ts'

const ROOT = Bun.fileURLToPath(new URL('../../..', import.meta.url))

test('the step that installs the runtime of the image makes the version that everything is tried with', async () => {
  const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
  await using dir = await tempDir()
  cpSync(join(ROOT, 'packaging/image'), dir.path, { recursive: true })
  const step = /^RUN (bun install .*mv .*)$/m.exec(read('Dockerfile'))?.[1] ?? ''
  const done = Bun.spawnSync(['sh', '-c', step], { cwd: dir.path, stdout: 'ignore', stderr: 'pipe' })
  expect([done.exitCode, done.exitCode === 0 ? '' : String(done.stderr)]).toEqual([0, ''])
  const version = Bun.spawnSync([dir.file('bun'), '--version'])
    .stdout.toString()
    .trim()
  expect(version).toBe(/BUN_VERSION=(\S+)/.exec(read('.ci/run'))?.[1] ?? '')
})
