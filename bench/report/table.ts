/** Prints measurements as a table of Markdown. */
import type { Spread } from '../harness/rounds.ts'
import { short, size, withUnit } from './numbers.ts'
import type { Machine } from './result-schema.ts'
import { type Figure, isMet, type Row } from './row.ts'

/** What a table is about, and what its sizes count. */
export interface Heading {
  readonly title: string
  readonly counted:
    | 'leaves'
    | 'children'
    | 'subscribers'
    | 'rules, streams or applications'
    | 'messages'
    | 'bytes'
    | 'clients'
    | 'connections'
    | 'leaves, children or subscribers'
    | 'leaves or children'
}

/** @param settings how it was measured */
export function tableOf({ title, counted }: Heading, rows: readonly Row[], machine: Machine, settings: string): string {
  const headings = ['operation', counted, 'measured', 'limit', 'result (min to max)', 'goal', '']
  const lines = [headings, headings.map(() => '---'), ...rows.map(cells)].map((line) => `| ${line.join(' | ')} |`)
  return `# ${title}\n\n${onWhat(machine)}\n\n${settings}\n\n${lines.join('\n')}\n`
}

function cells(row: Row): string[] {
  const { operation, size: count, measured, limit, judged, unit, goal } = row
  const suffix = unit === 'x' ? 'x' : ` ${unit}`
  const wanted = goal === undefined ? '' : `${goal.kind} ${goal.bound}${suffix}`
  const sizeCell = count === undefined ? '' : size(count)
  const limitCell = typeof limit === 'object' ? figureText(limit) : (limit ?? '')
  return [operation, sizeCell, figureText(measured), limitCell, resultCell(judged, unit), wanted, verdict(row)]
}

/** `Bun.serve 11.0 us CPU, 44744/s`, `4955 us CPU at 10k`. */
function figureText({ title, value, unit, at, beside }: Figure): string {
  const text = [title, withUnit(value, unit), at && `at ${at}`].filter((word) => word !== undefined).join(' ')
  return beside === undefined ? text : `${text}, ${figureText(beside)}`
}

function resultCell(judged: Spread | undefined, unit: string): string {
  if (judged === undefined) return ''
  return `**${withUnit(judged.median, unit)}** (${short(judged.min)} to ${short(judged.max)})`
}

function verdict(row: Row): string {
  const met = isMet(row)
  if (met === undefined) return ''
  if (met) return 'ok'
  return row.goal?.why === undefined ? 'missed' : `missed: ${row.goal.why}`
}

function onWhat({ model, cores, bun, date }: Machine): string {
  return `${model}, ${cores} cores, Bun ${bun}, ${date}`
}
