import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TINY } from '../../bench/harness/settings.ts'
import { type ChapterName, chapterNames, missingFor, partsOf } from '../../bench/harness/suite.ts'
import { missedOf } from '../../bench/report/check.ts'
import { checkResults } from '../../bench/report/result-schema.ts'
import { inLanes, longTest, someInLanes } from '../support/lane.ts'
import { tempDir } from '../support/temp-dir.ts'
import { dataDirs, startBench, startBenchIn } from './bench-command.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const RESULTS_DIR = fileURLToPath(new URL('../../bench/results', import.meta.url))
/** Of the run that is looked at as a whole. */
const CHAPTERS: readonly ChapterName[] = inLanes(
  ['query'],
  chapterNames.filter((name) => missingFor(name) === undefined),
)
/** The ticks of a process are too coarse for loads as short as these; what its threads have used is exact. */
const isMeasurable = existsSync('/proc/self/schedstat')
const where = isMeasurable ? '' : ' (skipped: no processor time in /proc/self/schedstat)'

describe('words that nobody knows', () => {
  const wrong: readonly (readonly [words: string[], told: string])[] = [
    [['wriet'], 'Allowed choices are read, write'],
    [['read', 'wriet'], "'wriet' is invalid"],
    [['--fast'], "unknown option '--fast'"],
    [['--json'], 'argument missing'],
    [['--engine', 'mysql'], 'Allowed choices are sqlite, postgres'],
    [['--engine', 'postgres', 'sms'], 'the chapter sms is measured on SQLite alone'],
    [['--quick', '--save'], "'--save' cannot be used with option '--quick'"],
    [['--json', '/nowhere/at/all.json'], 'No file can be made there'],
    [['--against', '/nowhere'], 'There is no checkout with benchmarks'],
    [['--against', '.', '--save'], "'--against <dir>' cannot be used with option '--save'"],
    [['--rounds', '0'], 'It is no whole number above 0'],
  ]
  for (const [words, told] of someInLanes(wrong, 12)) {
    test(`${words.join(' ')}: told, with status 2`, async () => {
      const { status, stdout, stderr } = await startBench(...words).ended()
      expect(stderr).toContain(told)
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    })
  }
})

test('--help tells of every chapter and option, with status 0', async () => {
  const { status, stdout } = await startBench('--help').ended()
  expect(status).toBe(0)
  for (const word of [
    ...chapterNames,
    'all',
    '--engine',
    '--quick',
    '--json',
    '--check',
    '--save',
    '--against',
    '--rounds',
  ])
    expect(stdout).toContain(word)
})

test.skipIf(!isMeasurable)(`${CHAPTERS.join(', ')}: measured, and nothing is left behind${where}`, async () => {
  await using dir = await tempDir()
  const file = dir.file('results.json')
  const before = { dirs: dataDirs(), kept: keptFiles() }
  const run = startBench('--tiny', '--check', '--json', file, ...CHAPTERS)
  const { status, stdout, stderr } = await run.ended()
  // A run that breaks off has told why.
  if (status > 1) throw new Error(stderr)
  expect(run.processes()).toEqual([])
  expect({ dirs: dataDirs(), kept: keptFiles() }).toEqual(before)
  const measured = CHAPTERS.filter((name) => partsOf(name, TINY).length > 0)
  const { results } = checkResults(JSON.parse(readFileSync(file, 'utf8')))
  expect([...new Set(results.map(({ chapter }) => chapter))]).toEqual(measured)
  for (const { operation } of results) expect(stdout).toContain(`| ${operation} |`)
  for (const name of measured) expect(stderr).toContain(`${name}: 1 of `)
  for (const name of CHAPTERS.filter((chapter) => !measured.includes(chapter))) {
    expect(stderr).toContain(`${name} is not part of a quick run`)
  }
  const missed = missedOf(results, TINY).unexplained
  expect(status).toBe(missed.length > 0 ? 1 : 0)
  for (const { chapter, operation } of missed) expect(stderr).toContain(`missed: ${chapter}: ${operation}`)
})

const absent = missingFor('postgres')
const withPostgres = absent === undefined ? where : ` (skipped: ${absent})`

const onPostgres = `--engine postgres: measured beside SQLite, and nothing is left behind${withPostgres}`
if (!isMeasurable || absent !== undefined) test.skip(onPostgres, () => {})
else
  longTest(onPostgres, async () => {
    await using dir = await tempDir()
    // PostgreSQL may run as another user.
    chmodSync(dir.path, 0o755)
    const file = dir.file('results.json')
    const before = { dirs: dataDirs(), kept: keptFiles() }
    const run = startBenchIn(dir.path, '--tiny', '--engine', 'postgres', '--json', file, 'read', 'write')
    const { status, stdout, stderr } = await run.ended()
    if (status !== 0) throw new Error(stderr)
    expect(run.processes()).toEqual([])
    expect({ dirs: dataDirs(), kept: keptFiles() }).toEqual(before)
    expect(readdirSync(dir.path)).toEqual(['results.json'])
    const { results } = checkResults(JSON.parse(readFileSync(file, 'utf8')))
    expect([...new Set(results.map(({ chapter }) => chapter))]).toEqual(['postgres'])
    for (const { operation } of results) expect(stdout).toContain(`| ${operation} |`)
  })

if (!isMeasurable) test.skip(`--against${where}`, () => {})
else
  longTest('--against: a checkout is compared with itself, and nothing is left behind', async () => {
    const before = { dirs: dataDirs(), kept: keptFiles() }
    const run = startBench('--tiny', '--against', ROOT, 'query')
    const { status, stdout, stderr } = await run.ended()
    if (status !== 0) throw new Error(stderr)
    expect(run.processes()).toEqual([])
    expect({ dirs: dataDirs(), kept: keptFiles() }).toEqual(before)
    expect(stdout).toContain(`# Querying, before (${ROOT}) and after`)
    expect(stdout).toMatch(/All rows together: \d+\.\d{3}x\./)
    expect(stderr).toContain('query: 2 of 2')
  })

test.skipIf(absent === undefined)(`a chapter without its database is left out, with the reason`, async () => {
  const { status, stdout, stderr } = await startBench('--tiny', 'cluster').ended()
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  expect(stderr).toContain(`cluster is left out: ${absent}`)
})

test.skipIf(!isMeasurable)(`a run that is interrupted ends what it has started${where}`, async () => {
  const before = dataDirs()
  const run = startBench('--tiny', 'sms')
  await run.saw('sms: 1 of ')
  // The first measurement has begun, which starts servers.
  while (run.processes().length === 1) await Bun.sleep(1)
  process.kill(run.pid, 'SIGINT')
  const { status } = await run.ended()
  expect(status).toBe(130)
  expect(run.processes()).toEqual([])
  expect(dataDirs()).toEqual(before)
})

/** What runs that are not quick write. */
function keptFiles(): string[] {
  return readdirSync(RESULTS_DIR).map((name) => `${name}: ${readFileSync(join(RESULTS_DIR, name), 'utf8')}`)
}
