/** What the README has from the results: the headline figures as a table, and the charts. */
import { headlineResults } from '../report/headlines.ts'
import { short, withUnit } from '../report/numbers.ts'
import type { Machine, Result, Results } from '../report/result-schema.ts'
import type { Drawing } from './charts.ts'

const README = new URL('../../README.md', import.meta.url)
/** From the README on. */
const IMAGES = 'bench/results'
const REASONS = 'bench/results/README.md#where-goals-are-missed-and-why'
const BLOCK = /(<!-- performance:[^>]*-->\n)[\s\S]*?(<!-- \/performance -->)/
const BYTES_PER_GIB = 2 ** 30

/** The block as the results have it. @throws when a headline is not among them */
export function makeBlock({ machine, results }: Results, drawings: readonly Drawing[]): string {
  const shown = headlineResults(results)
  const headings = ['operation', 'measured', 'limit', 'result (min to max)', 'goal', '']
  const rows = shown.map(([{ title }, result]) => [title, ...cells(result)])
  const lines = [headings, headings.map(() => '---'), ...rows].map((line) => `| ${line.join(' | ')} |`)
  const images = drawings
    .filter(({ svg }) => svg !== undefined)
    .map(({ file, description }) => `![${description}](${IMAGES}/${file})\n`)
  const machines = describeMachines(
    machine,
    shown.map(([, result]) => result),
  )
  return ['', machines, '', ...lines, '', ...images, ''].join('\n')
}

/** The block as the README has it. @throws when it has none */
export async function readBlock(): Promise<string> {
  const [whole, begin = '', end = ''] = BLOCK.exec(await Bun.file(README).text()) ?? []
  if (whole === undefined) throw new Error('README.md has no markers for the figures of its section about performance')
  return whole.slice(begin.length, -end.length)
}

export async function writeBlock(block: string): Promise<void> {
  const text = await Bun.file(README).text()
  // A name may hold what would be a pattern in a text to replace with.
  await Bun.write(
    README,
    text.replace(BLOCK, (_, begin: string, end: string) => begin + block + end),
  )
}

function cells({ value, unit, limit, limitUnit, limitTitle, missing, judged, goal, ok }: Result): string[] {
  const held = limit === null ? [missing] : [limitTitle, withUnit(limit, limitUnit ?? '')]
  return [
    withUnit(value, unit),
    held.filter((word) => word !== null).join(' '),
    judged === null ? '' : `**${withUnit(judged.median, judged.unit)}** (${short(judged.min)} to ${short(judged.max)})`,
    goal === null ? '' : `${goal.kind} ${goal.bound}${goal.unit === 'x' ? 'x' : ` ${goal.unit}`}`,
    ok === null ? '' : ok ? 'met' : `[missed](${REASONS})`,
  ]
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
