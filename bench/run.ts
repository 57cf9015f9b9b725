/** `bun run bench`: measures and prints the tables; with `--save` it writes them and the results to `results/`. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CommanderError } from 'commander'
import { redraw } from './chart/redraw.ts'
import { type Checkout, compareChapter, openCheckout, thisCheckout } from './harness/against.ts'
import { type Options, readCommandLine } from './harness/command-line.ts'
import { endDescendants, onInterrupt } from './harness/descendants.ts'
import { type ChapterName, chapterNames, chapters, missingFor, partsOf, runChapter } from './harness/suite.ts'
import { openWorkspace } from './harness/workspace.ts'
import { missedOf, missedText } from './report/check.ts'
import { changesOf, comparisonOf } from './report/comparison.ts'
import { thisMachine } from './report/machine.ts'
import { openProgress, type Progress } from './report/progress.ts'
import { resultOf } from './report/result.ts'
import type { Result } from './report/result-schema.ts'
import { keepResults, writeResults } from './report/results-file.ts'
import { tableOf } from './report/table.ts'

const RESULTS_FILE = fileURLToPath(new URL('results/results.json', import.meta.url))

/** Exit status when a goal is missed. */
const EXIT_MISSED = 1
/** Exit status when there is nothing to judge: wrong words, or a measurement that failed. */
const EXIT_FAILED = 2

process.exit(await main(process.argv.slice(2)))

async function main(words: readonly string[]): Promise<number> {
  try {
    const options = readCommandLine(words, chapterNames)
    if (!existsSync('/proc/self/stat')) throw new Error('Processor time is read from /proc, which only Linux has.')
    return await measure(options)
  } catch (error) {
    // The command line has told what is wrong with it.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_FAILED
    console.error(error)
    return EXIT_FAILED
  }
}

async function measure(options: Options<ChapterName>): Promise<number> {
  const { chapters: names, settings, json, check, save, against } = options
  const started = performance.now()
  const machine = thisMachine()
  const progress = openProgress()
  using workspaces = new DisposableStack()
  const workspace = workspaces.use(await openWorkspace((news) => progress.tell(news)))
  // Before their files are removed: whatever has failed may have left servers behind.
  using _servers = { [Symbol.dispose]: endDescendants }
  onInterrupt(() => workspaces.dispose())
  if (against !== undefined) {
    const before = await openCheckout(against, (news) => progress.tell(news))
    workspaces.use(before.workspace)
    return await compare(options, against, [before, thisCheckout(workspace)], progress)
  }
  const all: Result[] = []
  for (const name of names) {
    if (partsOf(name, settings).length === 0) {
      progress.tell(`${name} is not part of a quick run`)
      continue
    }
    const missing = missingFor(name)
    if (missing !== undefined) {
      progress.tell(`${name} is left out: ${missing}`)
      continue
    }
    progress.begin(name)
    const rows = await runChapter(name, workspace, settings, (step) => progress.step(step))
    progress.end()
    const table = tableOf(chapters[name], rows, machine, chapters[name].describe(settings))
    console.log(table)
    const results = rows.map((row) => resultOf(name, row))
    all.push(...results)
    if (!save) continue
    await Bun.write(new URL(`results/${name}.md`, import.meta.url), table)
    keepResults(RESULTS_FILE, name, { machine, results }, chapterNames)
  }
  if (json !== undefined) writeResults(json, { machine, results: all })
  if (save) await redraw((news) => process.stderr.write(`${news}\n`))
  process.stderr.write(`${Math.round((performance.now() - started) / 1000)} s\n`)
  if (!check) return 0
  const missed = missedOf(all, settings)
  process.stderr.write(missedText(missed))
  return missed.unexplained.length === 0 ? 0 : EXIT_MISSED
}

/** @returns the status: a row that is slower in every round fails a run that is checked */
async function compare(
  { chapters: names, settings, check }: Options<ChapterName>,
  against: string,
  [before, after]: readonly [Checkout, Checkout],
  progress: Progress,
): Promise<number> {
  let slower = 0
  for (const name of names) {
    if (partsOf(name, settings).length === 0 || missingFor(name) !== undefined) continue
    progress.begin(name)
    const rounds = await compareChapter(name, before, after, settings, (step) => progress.step(step))
    progress.end()
    const changes = changesOf(rounds)
    console.log(comparisonOf({ chapter: chapters[name].title, against }, changes))
    slower += changes.filter(({ verdict }) => verdict === 'slower').length
  }
  return check && slower > 0 ? EXIT_MISSED : 0
}
