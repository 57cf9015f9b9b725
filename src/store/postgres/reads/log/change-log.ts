import { formatPath, type Path } from '../../../../tree/path.ts'
import { changesOf, isNearAny, isRowNear } from '../../../rows/change-row.ts'
import type { LoggedChange, LogRange } from '../../../store.ts'
import type { AppliedBatch } from '../../batch.ts'
import { arrayOf } from '../../connection/arrays.ts'
import type { Statements } from '../../connection/lane.ts'
import { DATA, FIRST_SEQ, HEADS } from '../statements/log-statements.ts'

/** Maximum rows of one range. */
const RANGE_ROWS = 32
/** Length of data that ends a range, or what is read at once, in UTF-16 code units. */
const RANGE_LENGTH = 262_144

interface Head {
  readonly batch: number
  /** Number of the last commit in the row. */
  readonly seq: number
  readonly at: number
  readonly heads: string
}

/** Reads the change log in one snapshot, up to a batch. */
export class ChangeLogReader {
  readonly #statements: Statements
  readonly #tree: number
  readonly #last: AppliedBatch

  /** @param last the last batch to read */
  constructor(statements: Statements, tree: number, last: AppliedBatch) {
    this.#statements = statements
    this.#tree = tree
    this.#last = last
  }

  /** A range of entries after `seq`, with those near some paths; `undefined` if some of it was removed. */
  async near(seq: number, paths: readonly Path[]): Promise<LogRange | undefined> {
    const [isTrimmed, heads] = await Promise.all([this.#isTrimmed(seq), this.#heads(seq)])
    if (isTrimmed) return undefined
    const texts = paths.map(formatPath)
    const wanted: Head[] = []
    let length = 0
    let upTo = seq
    for (const head of heads) {
      upTo = head.seq
      if (!isRowNear({ kind: 'group', path: head.heads }, texts)) continue
      wanted.push(head)
      length += dataLength(head)
      if (length > RANGE_LENGTH) break
    }
    const changes = (await this.#changesOf(wanted)).filter(
      (logged) => logged.seq > seq && isNearAny(formatPath(logged.path), texts),
    )
    const isLast = upTo === this.#last.seq || heads.length === 0
    return { changes, seq: upTo, begunAt: heads[0]?.at, length, isLast }
  }

  /** Entries after `seq`; `undefined` if some of them were removed. */
  async after(seq: number, limit: number): Promise<readonly LoggedChange[] | undefined> {
    if (await this.#isTrimmed(seq)) return undefined
    const changes: LoggedChange[] = []
    for (let from = seq; changes.length < limit; ) {
      const heads = await this.#heads(from)
      const wanted = firstOf(heads)
      // The first row may begin before `seq`.
      changes.push(...(await this.#changesOf(wanted)).filter((logged) => logged.seq > seq))
      const last = wanted.at(-1)
      if (last === undefined || (wanted.length === heads.length && heads.length < RANGE_ROWS)) break
      from = last.seq
    }
    return changes.slice(0, limit)
  }

  #heads(seq: number): Promise<readonly Head[]> {
    return this.#statements.query<Head>(HEADS, [this.#tree, seq, this.#last.batch, RANGE_ROWS])
  }

  async #changesOf(heads: readonly Head[]): Promise<readonly LoggedChange[]> {
    if (heads.length === 0) return []
    const rows = await this.#statements.query<{ n: number; data: string | null }>(DATA, [
      this.#tree,
      arrayOf(heads.map(({ batch }) => batch)),
    ])
    const data = new Map(rows.map((row) => [row.n, row.data]))
    return heads.flatMap((head, index) => {
      const text = data.get(index + 1)
      return changesOf({ seq: head.seq, at: head.at, kind: 'group', path: head.heads, data: text ?? null })
    })
  }

  async #isTrimmed(seq: number): Promise<boolean> {
    const [row] = await this.#statements.query<{ first: number }>(FIRST_SEQ, [this.#tree])
    return seq < (row === undefined ? this.#last.seq : row.first - 1)
  }
}

/** The first rows, as many as are read at once. */
function firstOf(heads: readonly Head[]): readonly Head[] {
  let length = 0
  const end = heads.findIndex((head) => {
    length += dataLength(head)
    return length > RANGE_LENGTH
  })
  return end === -1 ? heads : heads.slice(0, end + 1)
}

function dataLength({ heads }: Head): number {
  const all = JSON.parse(heads) as readonly (readonly [string, string, number | null])[]
  return all.reduce((sum, [, , length]) => sum + (length ?? 0), 0)
}
