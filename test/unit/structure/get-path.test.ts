import { expect, test } from 'bun:test'
import { tempDir } from '../../support/temp-dir.ts'
import { passedFiles } from './passed-files.ts'

/** Most files of `src/` whose code a GET of a leaf runs. */
const MAX_PASSED = 20
/** More than the lines of a file of the system that opening a tree may read. */
const GETS = 1000
const ROOT = Bun.fileURLToPath(new URL('../../..', import.meta.url))

test('a GET of a leaf runs code of a bounded number of files', async () => {
  const [without, after] = await Promise.all([coverageOf(0), coverageOf(GETS)])
  const passed = passedFiles(without, after, GETS)
  expect(passed).toContain('src/http/exchange.ts')
  expect(passed.slice(MAX_PASSED), passed.join('\n')).toEqual([])
})

test('a file counts whose line runs once per request, and no other', () => {
  const report = (loader: number, hop: number) =>
    `SF:src/loader.ts\nDA:1,${loader}\nend_of_record\nSF:src/hop.ts\nDA:7,${hop}\nDA:9,1\nend_of_record\nSF:test/x.ts\nDA:1,${hop}\n`
  expect(passedFiles(report(5000, 1), report(5000, 301), 300)).toEqual(['src/hop.ts'])
  expect(passedFiles(report(1, 1), report(2, 150), 300)).toEqual([])
})

/** The LCOV report of a process that answers so many GETs. */
async function coverageOf(gets: number): Promise<string> {
  await using folder = await tempDir()
  const command = [
    process.execPath,
    'test',
    '--timeout=60000',
    '--coverage',
    '--coverage-reporter=lcov',
    `--coverage-dir=${folder.path}`,
  ]
  const run = Bun.spawn([...command, './test/support/get-requests.ts'], {
    cwd: ROOT,
    env: { ...process.env, GETS: String(gets) },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const errors = await new Response(run.stderr).text()
  expect(await run.exited, errors).toBe(0)
  return await Bun.file(`${folder.path}/lcov.info`).text()
}
