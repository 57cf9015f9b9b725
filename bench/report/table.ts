/** Prints measurements as a table of Markdown. */
import { cpus } from 'node:os'
import type { Spread } from '../harness/rounds.ts'

/** What a figure should be. */
export interface Goal {
  readonly kind: 'at least' | 'at most'
  readonly bound: number
}

export interface Row {
  readonly operation: string
  /** Leaves of the tree, children of the list, subscribers, rules or applications, messages. */
  readonly size: number | undefined
  /** The figure itself, with its unit. */
  readonly measured: string
  /** The limit in the same run, with its unit. */
  readonly limit: string
  /** What is judged: a ratio, a time, or a rate. `undefined` when there was nothing to compare with. */
  readonly judged: Spread | undefined
  /** `x` for a ratio, a unit otherwise. */
  readonly unit: string
  readonly goal?: Goal | undefined
}

/** What a table is about, and what its sizes count. */
export interface Heading {
  readonly title: string
  readonly counted: 'leaves' | 'children' | 'subscribers' | 'rules, streams or applications' | 'messages' | 'bytes'
}

export function report({ title, counted }: Heading, rows: readonly Row[], settings: string): string {
  const headings = ['operation', counted, 'measured', 'limit', 'result (min to max)', 'goal', '']
  const lines = [headings, headings.map(() => '---'), ...rows.map(cells)].map((line) => `| ${line.join(' | ')} |`)
  return `# ${title}\n\n${machine()}\n\n${settings}\n\n${lines.join('\n')}\n`
}

function cells({ operation, size: count, measured, limit, judged, unit, goal }: Row): string[] {
  const suffix = unit === 'x' ? 'x' : ` ${unit}`
  const wanted = goal === undefined ? '' : `${goal.kind} ${goal.bound}${suffix}`
  const sizeCell = count === undefined ? '' : size(count)
  return [operation, sizeCell, measured, limit, resultCell(judged, suffix), wanted, verdict(judged, goal)]
}

function resultCell(judged: Spread | undefined, suffix: string): string {
  if (judged === undefined) return ''
  return `**${short(judged.median)}${suffix}** (${short(judged.min)} to ${short(judged.max)})`
}

function verdict(judged: Spread | undefined, goal: Goal | undefined): string {
  if (goal === undefined || judged === undefined) return ''
  const { median } = judged
  const met = goal.kind === 'at least' ? median >= goal.bound : median <= goal.bound
  return met ? 'ok' : 'missed'
}

/** `10`, `10k`, `1M`, `1G`. */
export function size(leaves: number): string {
  if (leaves < 1000) return String(leaves)
  if (leaves >= 1_000_000_000) return `${leaves / 1_000_000_000}G`
  return leaves >= 1_000_000 ? `${leaves / 1_000_000}M` : `${leaves / 1000}k`
}

/** Two or three digits that mean something, thousands written out. */
export function short(value: number): string {
  if (value >= 100) return String(Math.round(value))
  if (value > 0 && value < 0.01) return String(Number(value.toPrecision(1)))
  return value.toFixed(value >= 10 ? 1 : 2)
}

function machine(): string {
  const processors = cpus()
  const date = new Date().toISOString().slice(0, 10)
  return `${processors[0]?.model ?? 'unknown'}, ${processors.length} cores, Bun ${Bun.version}, ${date}`
}
