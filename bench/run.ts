/** `bun run bench [<chapter>|all] [--quick]`: measures, prints the tables and keeps them in `results/`. */
import { FULL, QUICK } from './harness/settings.ts'
import { type ChapterName, chapters, runChapter } from './harness/suite.ts'
import { openWorkspace } from './harness/workspace.ts'
import { report } from './report/table.ts'

const NAMES = Object.keys(chapters) as ChapterName[]
const USAGE = `Usage: bun run bench [${NAMES.join('|')}|all] [--quick]`

function parseArguments(words: readonly string[]): { names: readonly ChapterName[]; quick: boolean } {
  const quick = words.includes('--quick')
  const [what = 'all', ...more] = words.filter((word) => word !== '--quick')
  const names = what === 'all' ? NAMES : NAMES.filter((name) => name === what)
  if (more.length > 0 || names.length === 0) throw new TypeError(USAGE)
  return { names, quick }
}

const { names, quick } = parseArguments(process.argv.slice(2))
const settings = quick ? QUICK : FULL
const started = performance.now()
const tell = (news: string) => process.stderr.write(`${news}\n`)
using workspace = await openWorkspace(tell)
for (const name of names) {
  const rows = await runChapter(name, workspace, settings, (step) =>
    tell(`round ${step.round}/${step.rounds}, ${step.position}/${step.measurements}: ${step.name}`),
  )
  const table = report(chapters[name], rows, chapters[name].describe(settings))
  console.log(table)
  // A quick run is too noisy to be kept.
  if (!quick) await Bun.write(new URL(`results/${name}.md`, import.meta.url), table)
}
tell(`${Math.round((performance.now() - started) / 1000)} s`)
