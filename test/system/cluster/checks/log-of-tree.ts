import type { Statements } from '../../../../src/store/postgres/connection/lane.ts'
import { versionOf } from '../clients/places.ts'

/** One commit of the log. */
export interface LoggedCommit {
  readonly seq: number
  readonly batch: number
  readonly kind: 'put' | 'patch'
  readonly path: string
  /** JSON text. */
  readonly data: string
}

interface Row {
  readonly batch: number
  readonly first: number
  readonly last: number
  readonly at: number
  readonly heads: string
  readonly data: string | null
  readonly settings: string | null
}

/** The log of a tree as it is in the database. */
export interface TreeLog {
  readonly commits: readonly LoggedCommit[]
  /** Batches by the version of the rules that they have put. */
  readonly rules: ReadonlyMap<number, readonly number[]>
  /** Numbers of the last commits before rules were put. */
  readonly rulesPutAt: readonly number[]
  /** Gaps in numbers, and times that go back. */
  readonly problems: readonly string[]
}

const ROWS =
  'SELECT l.batch::float8 AS batch, l.first_seq::float8 AS first, l.last_seq::float8 AS last, l.at::float8 AS at, ' +
  'l.heads, l.data, l.settings FROM log l WHERE l.tree = $1::int AND l.batch > $2::bigint ORDER BY l.batch LIMIT 2000'

/** Reads the whole log. @param clock times between which all batches must be, in milliseconds since 1970 */
export async function readLog(
  statements: Statements,
  tree: number,
  clock: { readonly from: number; readonly to: number },
): Promise<TreeLog> {
  const commits: LoggedCommit[] = []
  const rules = new Map<number, number[]>()
  const rulesPutAt: number[] = []
  const problems: string[] = []
  let before: Row | undefined
  for (;;) {
    const rows = await statements.query<Row>(ROWS, [tree, before?.batch ?? -1])
    for (const row of rows) {
      problems.push(...problemsOf(row, before, clock))
      commits.push(...commitsOf(row))
      const version = row.settings === null ? 0 : versionOf(row.settings)
      if (version > 0) {
        rules.set(version, [...(rules.get(version) ?? []), row.batch])
        rulesPutAt.push(row.last)
      }
      before = row
    }
    if (rows.length === 0) return { commits, rules, rulesPutAt, problems }
  }
}

function problemsOf(
  row: Row,
  before: Row | undefined,
  clock: { readonly from: number; readonly to: number },
): string[] {
  const problems: string[] = []
  const [batch, first, at] = [(before?.batch ?? -1) + 1, (before?.last ?? 0) + 1, before?.at ?? 0]
  if (row.batch !== batch) problems.push(`log: batch ${row.batch} where ${batch} is next`)
  if (row.first !== first) problems.push(`log: batch ${row.batch} begins with ${row.first}, not ${first}`)
  const count = (JSON.parse(row.heads) as unknown[]).length
  if (row.last - row.first + 1 !== count) problems.push(`log: batch ${row.batch} has ${count} commits`)
  if (row.at < at) problems.push(`log: the time of batch ${row.batch} is before that of the one before`)
  if (row.batch > 0 && (row.at < clock.from || row.at > clock.to)) {
    problems.push(`log: the time of batch ${row.batch} is ${row.at}, not from ${clock.from} to ${clock.to}`)
  }
  return problems
}

function commitsOf({ batch, first, heads, data }: Row): LoggedCommit[] {
  let start = 0
  return (JSON.parse(heads) as (readonly [LoggedCommit['kind'], string, number | null])[]).map(
    ([kind, path, length], index) => {
      const text = data?.slice(start, start + (length ?? 0)) ?? 'null'
      start += length ?? 0
      return { seq: first + index, batch, kind, path, data: text }
    },
  )
}
