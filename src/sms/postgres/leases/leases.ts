import { DholeError } from '../../../error.ts'
import type { LeasePage } from '../../message-store.ts'
import { Tally } from '../../model/counts.ts'
import { joinRanges, type SeqRange } from '../../model/final-seq.ts'
import { addToCounts } from '../counts.ts'
import { finalStatesIn } from '../final-states.ts'
import type { Tables, Transaction } from '../tables.ts'
import { FreeRanges } from './free-ranges.ts'
import { Releases } from './releases.ts'

// The range was free: what overlaps it are leases of processes that are gone.
const FREE = 'DELETE FROM sms_lease WHERE tree = $1::int AND first_seq <= $3::bigint AND last_seq >= $2::bigint'
const LEASE =
  'INSERT INTO sms_lease (tree, first_seq, last_seq, process, token) ' +
  'VALUES ($1::int, $2::bigint, $3::bigint, $4::text, $5::text)'
const END =
  'DELETE FROM sms_lease WHERE tree = $1::int AND process = $2::text AND token = ANY($3::text[]) RETURNING 1 AS ended'
const RETURN =
  'INSERT INTO sms_handover (tree, first_seq, last_seq, returned_at) SELECT $1::int, s.*, $4::bigint ' +
  'FROM unnest($2::bigint[], $3::bigint[]) AS s'

/**
 * Leases of ranges of final states. A lease is a row, good while its process is alive and no other one has taken the range.
 * Each tree is opened once in a process.
 */
export class Leases {
  readonly #tables: Tables
  readonly #free: FreeRanges
  readonly #releases: Releases
  /** Tokens of the leases of this process. */
  readonly #tokens = new WeakMap<SeqRange, string>()
  #begun: Promise<void> | undefined

  /** @param onError called with an error that is survived; the work is tried again */
  constructor(tables: Tables, onError: (error: unknown) => void) {
    this.#tables = tables
    this.#free = new FreeRanges(tables)
    this.#releases = new Releases(tables, onError)
  }

  /** @throws `unavailable` */
  async lease(after: number | undefined, limit: number): Promise<LeasePage | undefined> {
    await this.#begin()
    await this.#releases.attempt()
    // Nearly always nothing is new, and then there is no batch.
    if ((await this.#free.first(this.#tables, after)) === undefined) return undefined
    const token = crypto.randomUUID()
    const page = await this.#tables.run((transaction) => this.#lease(transaction, after, limit, token))
    if (page !== undefined) this.#tokens.set(page.range, token)
    return page
  }

  release(ranges: readonly SeqRange[]): void {
    this.#releases.add(ranges.flatMap((range) => this.#tokens.get(range) ?? []))
  }

  /** @throws `unavailable`, also when a lease is no longer of this process: nothing is recorded */
  async acknowledge(ranges: readonly SeqRange[], count: number): Promise<void> {
    const tokens = ranges.flatMap((range) => this.#tokens.get(range) ?? [])
    await this.#tables.run(async ({ statements, now }) => {
      const { tree, process } = this.#tables
      const ended = await statements.query(END, [tree, process, tokens])
      if (ended.length !== ranges.length) throw new DholeError('unavailable')
      const returned = joinRanges(ranges)
      const columns = [returned.map(({ first }) => first), returned.map(({ last }) => last)]
      await statements.query(RETURN, [tree, ...columns, now])
      const tally = new Tally()
      tally.add('statusesReturned', count)
      await addToCounts(statements, tree, tally)
    })
  }

  /** Ends what is released. */
  close(): Promise<void> {
    return this.#releases.close()
  }

  async #lease(
    { statements }: Transaction,
    after: number | undefined,
    limit: number,
    token: string,
  ): Promise<LeasePage | undefined> {
    const { tree, process } = this.#tables
    const free = await this.#free.first(statements, after)
    if (free === undefined) return undefined
    const records = await finalStatesIn(statements, tree, free, limit)
    const last = records.at(-1)
    if (last === undefined) return undefined
    const range = { first: free.first, last: last.seq }
    await Promise.all([
      statements.query(FREE, [tree, range.first, range.last]),
      statements.query(LEASE, [tree, range.first, range.last, process, token]),
    ])
    return { range, records }
  }

  /** Removes leases of processes that are gone, and those that this process had when it opened the tree before. */
  #begin(): Promise<void> {
    this.#begun ??= this.#removeOld().catch((error) => {
      this.#begun = undefined
      throw error
    })
    return this.#begun
  }

  async #removeOld(): Promise<void> {
    const { tree, process, isAlive } = this.#tables
    const old = `DELETE FROM sms_lease l WHERE l.tree = $1::int AND (l.process = $2::text OR NOT ${isAlive('l.process')})`
    await this.#tables.transaction(({ query }) => query(old, [tree, process]))
  }
}
