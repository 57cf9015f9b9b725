/** `bun run bench [read|write|query|fan-out|rules|sms|all] [--quick]`: measures, prints the tables and keeps them in `results/`. */
import { describeFanOut, fanOutRows, fanOutVariants, prepareFanOut } from './fan-out/fan-out.ts'
import { runRounds, type Samples, type Variant } from './harness/rounds.ts'
import { FULL, QUICK, type Settings } from './harness/settings.ts'
import { openWorkspace, type Workspace } from './harness/workspace.ts'
import { operations } from './load/operations.ts'
import { prepareQuery, queryRows, queryVariants } from './query/query.ts'
import { readRows, readVariants } from './read/read.ts'
import { type Heading, type Row, report } from './report/table.ts'
import { describeRules, prepareRules, rulesRows, rulesVariants } from './rules/rules.ts'
import { describeSms, prepareSms, smsRows, smsVariants } from './sms/sms.ts'
import { writeRows, writeVariants } from './write/write.ts'

interface Half extends Heading {
  /** Makes the data that the variants read. */
  prepare(workspace: Workspace, settings: Settings): Promise<void>
  variants(workspace: Workspace, settings: Settings): Variant[]
  rows(samples: Samples, settings: Settings): Row[]
  /** What stands above the table. */
  describe(settings: Settings): string
}

const halves = {
  read: {
    title: 'Reading',
    counted: 'leaves',
    prepare: prepareTrees,
    variants: readVariants,
    rows: readRows,
    describe: describeLoads,
  },
  write: {
    title: 'Writing',
    counted: 'leaves',
    prepare: prepareTrees,
    variants: writeVariants,
    rows: writeRows,
    describe: describeLoads,
  },
  query: {
    title: 'Querying',
    counted: 'children',
    prepare: prepareQuery,
    variants: queryVariants,
    rows: queryRows,
    describe: describeLoads,
  },
  'fan-out': {
    title: 'Fan-out',
    counted: 'subscribers',
    prepare: prepareFanOut,
    variants: fanOutVariants,
    rows: fanOutRows,
    describe: describeFanOut,
  },
  rules: {
    title: 'Rules, credentials and applications',
    counted: 'rules, streams or applications',
    prepare: prepareRules,
    variants: rulesVariants,
    rows: rulesRows,
    describe: describeRules,
  },
  sms: {
    title: 'Text messages',
    counted: 'messages',
    prepare: prepareSms,
    variants: smsVariants,
    rows: smsRows,
    describe: describeSms,
  },
} as const satisfies Readonly<Record<string, Half>>
type HalfName = keyof typeof halves

const USAGE = 'Usage: bun run bench [read|write|query|fan-out|rules|sms|all] [--quick]'

function parseArguments(words: readonly string[]): { names: readonly HalfName[]; quick: boolean } {
  const quick = words.includes('--quick')
  const [what = 'all', ...more] = words.filter((word) => word !== '--quick')
  if (more.length > 0) throw new TypeError(USAGE)
  switch (what) {
    case 'read':
    case 'write':
    case 'query':
    case 'fan-out':
    case 'rules':
    case 'sms':
      return { names: [what], quick }
    case 'all':
      return { names: ['read', 'write', 'query', 'fan-out', 'rules', 'sms'], quick }
    default:
      throw new TypeError(USAGE)
  }
}

function prepareTrees(workspace: Workspace, { sizes }: Settings): Promise<void> {
  return workspace.build('tree', sizes)
}

function describeLoads({ rounds, seconds }: Settings): string {
  const loads = Object.entries(operations).map(
    ([name, { connections, pipelining }]) => `${name} ${connections} x ${pipelining}`,
  )
  return `${rounds} rounds, ${seconds} s of load each; autocannon connections x pipelining: ${loads.join(', ')}.`
}

const { names, quick } = parseArguments(process.argv.slice(2))
const settings = quick ? QUICK : FULL
const started = performance.now()
using workspace = await openWorkspace()
for (const name of names) {
  const half: Half = halves[name]
  await half.prepare(workspace, settings)
  const samples = await runRounds(half.variants(workspace, settings), settings.rounds)
  const table = report(half, half.rows(samples, settings), half.describe(settings))
  console.log(table)
  // A quick run is too noisy to be kept.
  if (!quick) await Bun.write(new URL(`results/${name}.md`, import.meta.url), table)
}
process.stderr.write(`${Math.round((performance.now() - started) / 1000)} s\n`)
