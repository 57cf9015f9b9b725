/** `bun run bench [read|write|all] [--quick]`: measures, prints the tables and keeps them in `results/`. */
import { operations } from './operations.ts'
import { readRows, readVariants } from './read.ts'
import { type Row, report } from './report.ts'
import { runRounds, type Samples, type Variant } from './rounds.ts'
import { FULL, QUICK, type Settings } from './settings.ts'
import { openWorkspace, type Workspace } from './workspace.ts'
import { writeRows, writeVariants } from './write.ts'

interface Half {
  readonly title: string
  variants(workspace: Workspace, settings: Settings): Variant[]
  rows(samples: Samples, settings: Settings): Row[]
}

const halves: Readonly<Record<'read' | 'write', Half>> = {
  read: { title: 'Reading', variants: readVariants, rows: readRows },
  write: { title: 'Writing', variants: writeVariants, rows: writeRows },
}
type HalfName = keyof typeof halves

function parseArguments(words: readonly string[]): { names: readonly HalfName[]; quick: boolean } {
  const quick = words.includes('--quick')
  const [what = 'all', ...more] = words.filter((word) => word !== '--quick')
  if (more.length > 0) throw new TypeError('Usage: bun run bench [read|write|all] [--quick]')
  switch (what) {
    case 'read':
    case 'write':
      return { names: [what], quick }
    case 'all':
      return { names: ['read', 'write'], quick }
    default:
      throw new TypeError('Usage: bun run bench [read|write|all] [--quick]')
  }
}

function describe({ rounds, seconds }: Settings): string {
  const loads = Object.entries(operations).map(
    ([name, { connections, pipelining }]) => `${name} ${connections} x ${pipelining}`,
  )
  return `${rounds} rounds, ${seconds} s of load each; autocannon connections x pipelining: ${loads.join(', ')}.`
}

const { names, quick } = parseArguments(process.argv.slice(2))
const settings = quick ? QUICK : FULL
const started = performance.now()
using workspace = await openWorkspace(settings.sizes)
for (const name of names) {
  const half = halves[name]
  const samples = await runRounds(half.variants(workspace, settings), settings.rounds)
  const table = report(half.title, half.rows(samples, settings), describe(settings))
  console.log(table)
  // A quick run is too noisy to be kept.
  if (!quick) await Bun.write(new URL(`results/${name}.md`, import.meta.url), table)
}
process.stderr.write(`${Math.round((performance.now() - started) / 1000)} s\n`)
