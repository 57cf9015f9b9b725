import type { StatusRecord } from '../format/record-text.ts'
import { nextSeq, type SeqRange } from '../model/final-seq.ts'
import type { State } from '../model/report.ts'
import { decodeText, encodeText } from './stored-text.ts'
import type { Statements } from './tables.ts'

/** Final states read in one step. */
const PAGE = 1000

/** A final state and its sequence number. */
interface FinalState extends StatusRecord {
  readonly seq: number
}

interface FinalRow {
  readonly seq: number
  readonly rrid: string
  readonly mobile: string
  readonly status: State
  readonly code: string
  readonly receivedAt: number
}

// Old rows are deleted, and then the number is that of a returned or leased state.
const LAST =
  'SELECT coalesce(greatest((SELECT f.seq FROM sms_final f WHERE f.tree = $1::int ORDER BY f.seq DESC LIMIT 1), ' +
  '(SELECT h.last_seq FROM sms_handover h WHERE h.tree = $1::int ORDER BY h.first_seq DESC LIMIT 1), ' +
  '(SELECT l.last_seq FROM sms_lease l WHERE l.tree = $1::int ORDER BY l.first_seq DESC LIMIT 1)), 0)::float8 AS last'

const ADD =
  'INSERT INTO sms_final (tree, seq, rrid, mobile, status, code, received_at) SELECT $1::int, s.* ' +
  'FROM unnest($2::bigint[], $3::text[], $4::text[], $5::smallint[], $6::text[], $7::bigint[]) ' +
  'AS s(seq, rrid, mobile, status, code, received_at)'

const BETWEEN =
  'SELECT f.seq::float8 AS seq, f.rrid, f.mobile, f.status::int AS status, f.code, f.received_at::float8 AS "receivedAt" ' +
  'FROM sms_final f WHERE f.tree = $1::int AND f.seq >= $2::bigint AND f.seq <= $3::bigint ORDER BY f.seq LIMIT $4::int'

/** Numbers the final states of one transaction, in the order in which they become known. */
export class FinalStates {
  readonly #tree: number
  readonly #now: number
  #last: number
  #added: FinalState[] = []

  private constructor(tree: number, now: number, last: number) {
    this.#tree = tree
    this.#now = now
    this.#last = last
  }

  static async open(statements: Statements, tree: number, now: number): Promise<FinalStates> {
    const [row] = await statements.query<{ last: number }>(LAST, [tree])
    return new FinalStates(tree, now, row?.last ?? 0)
  }

  /** Adds a final state for the batch query. @returns its sequence number */
  add(record: StatusRecord): number {
    this.#last = nextSeq(this.#last, this.#now)
    this.#added.push({ ...record, seq: this.#last })
    return this.#last
  }

  /** Stores what was added since the last call. */
  async write(statements: Statements): Promise<void> {
    const rows = this.#added
    if (rows.length === 0) return
    this.#added = []
    await statements.query(ADD, [
      this.#tree,
      rows.map(({ seq }) => seq),
      rows.map(({ rrid }) => encodeText(rrid)),
      rows.map(({ mobile }) => encodeText(mobile)),
      rows.map(({ status }) => status),
      rows.map(({ code }) => encodeText(code)),
      rows.map(({ receivedAt }) => receivedAt),
    ])
  }
}

/** Final states of a range, in order, a bounded number of them. */
export async function finalStatesIn(
  statements: Statements,
  tree: number,
  { first, last }: SeqRange,
  limit: number,
): Promise<readonly FinalState[]> {
  const rows = await statements.query<FinalRow>(BETWEEN, [tree, first, last, Math.min(limit, PAGE)])
  return rows.map(({ rrid, mobile, code, ...row }) => ({
    ...row,
    rrid: decodeText(rrid),
    mobile: decodeText(mobile),
    code: decodeText(code),
  }))
}
