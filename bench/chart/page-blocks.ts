/** Blocks of the documents that are made from the results: all headlines with the charts, a few headlines, and a comparison. */
import { tableOf } from '../../packaging/documents/page-block.ts'
import { headlineResults } from '../report/headlines.ts'
import { reasonOf } from '../report/known-misses.ts'
import { short, withUnit } from '../report/numbers.ts'
import type { Machine, Result, Results } from '../report/result-schema.ts'
import type { Drawing } from './charts.ts'

/** From the page about performance. */
const RESULTS = '../../bench/results'
const REASONS = `${RESULTS}/README.md#where-goals-are-missed-and-why`
const BYTES_PER_GIB = 2 ** 30

/** A block between two comments of a page. */
export interface PageBlock {
  readonly page: string
  readonly name: string
  /** The text of the block. @throws when the results lack a headline */
  make(results: Results, drawings: readonly Drawing[]): string
}

export const pageBlocks: readonly PageBlock[] = [
  { page: 'docs/explanation/performance.md', name: 'performance', make: makePerformance },
  { page: 'README.md', name: 'figures', make: makeFigures },
  { page: 'docs/explanation/comparison.md', name: 'acebase', make: makeAceBase },
]

/** Rows of the comparison with AceBase, by the results that they are from. */
const AGAINST_ACEBASE = {
  'GET of a place': 'get against acebase-server',
  'first 20 places by name': 'first against acebase-server',
  'PUT of a place': 'put against acebase-server',
}

/** Every headline, and the charts. */
export function makePerformance({ machine, results }: Results, drawings: readonly Drawing[]): string {
  const shown = headlineResults(results)
  const headings = ['operation', 'measured', 'limit', 'result (min to max)', 'goal', '']
  const rows = shown.map(([{ title }, result]) => [title, ...cells(result)])
  const images = drawings
    .filter(({ svg }) => svg !== undefined)
    .map(({ file, description }) => `![${description}](${RESULTS}/${file})\n`)
  const machines = describeMachines(
    machine,
    shown.map(([, result]) => result),
  )
  return ['', ...images, machines, '', tableOf(headings, rows), ''].join('\n')
}

/** The headlines of the README. */
export function makeFigures({ machine, results }: Results): string {
  const shown = headlineResults(results).filter(([{ isInReadme }]) => isInReadme)
  const rows = shown.map(([{ title }, result]) => [title, withUnit(result.value, result.unit), limitOf(result)])
  const machines = describeMachines(
    machine,
    shown.map(([, result]) => result),
  )
  return ['', tableOf(['operation', 'Dhole', 'compared with'], rows), '', machines, ''].join('\n')
}

/** The comparison with AceBase. */
export function makeAceBase({ results }: Results): string {
  const rows = Object.entries(AGAINST_ACEBASE).map(([operation, name]) => {
    const result = results.find((candidate) => candidate.chapter === 'peers' && candidate.name === name)
    if (result === undefined) throw new Error(`the results have no "${name}"`)
    const { value, unit, limit, limitUnit, judged } = result
    return [operation, withUnit(value, unit), withUnit(limit ?? 0, limitUnit ?? ''), `${short(judged?.median ?? 0)}x`]
  })
  return `\n${tableOf(['operation, list of 10,000 places', 'Dhole', 'acebase-server', 'times less'], rows)}\n\n`
}

function cells(result: Result): string[] {
  const { chapter, name, value, unit, judged, goal, ok } = result
  const why = reasonOf(chapter, name)?.why
  return [
    withUnit(value, unit),
    limitOf(result),
    judged === null ? '' : `**${withUnit(judged.median, judged.unit)}** (${short(judged.min)} to ${short(judged.max)})`,
    goal === null ? '' : `${goal.kind} ${goal.bound}${goal.unit === 'x' ? 'x' : ` ${goal.unit}`}`,
    ok === null ? '' : ok ? 'met' : `[missed](${REASONS})${why === undefined ? '' : `: ${why}`}`,
  ]
}

function limitOf({ limit, limitUnit, limitTitle, missing }: Result): string {
  const words = limit === null ? [missing] : [limitTitle, withUnit(limit, limitUnit ?? '')]
  return words.filter((word) => word !== null).join(' ')
}

/** What the figures were measured on: chapters may have been measured on different days. */
function describeMachines(machine: Machine, shown: readonly Result[]): string {
  const chapters = new Map<string, Set<string>>()
  for (const result of shown) {
    const words = describeMachine(result.machine ?? machine)
    chapters.set(words, (chapters.get(words) ?? new Set()).add(result.chapter))
  }
  if (chapters.size === 1) return `Measured on ${[...chapters.keys()].join()}.`
  const each = [...chapters].map(([words, names]) => `${[...names].join(', ')} on ${words}`)
  return `Measured: ${each.join('; ')}.`
}

function describeMachine({ model, cores, memoryBytes, kernel, bun, date }: Machine): string {
  const memory = `${Math.round(memoryBytes / BYTES_PER_GIB)} GiB of memory`
  return `${model}, ${cores} cores, ${memory}, Linux ${kernel}, Bun ${bun}, ${date}`
}
