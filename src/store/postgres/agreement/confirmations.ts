import { Patience } from '../commit/committer.ts'
import type { Lanes } from '../connection/lanes.ts'
import type { Hints } from '../follow/hints.ts'
import { DATABASE_NOW, isAlive, type ProcessRow } from '../processes.ts'
import type { NumberedBatch } from './change-application.ts'

/** How long all processes are waited for, in milliseconds. One that is not alive is not waited for. */
const LONGEST_MS = 30_000
/** First and longest pause between two looks at the confirmations, in milliseconds. */
const FIRST_PAUSE_MS = 4
const LONGEST_PAUSE_MS = 100
/** Age up to which requests and their confirmations are kept, in milliseconds. */
const KEPT_MS = 120_000

const REQUEST =
  'INSERT INTO confirmation_request (tree, batch, requested_at) ' +
  `VALUES ($1::int, $2::bigint, ${DATABASE_NOW}) ON CONFLICT (tree, batch) DO UPDATE SET requested_at = excluded.requested_at`

const OPEN_REQUESTS =
  'SELECT r.tree, r.batch::float8 AS batch FROM confirmation_request r WHERE NOT EXISTS ' +
  '(SELECT FROM confirmation c WHERE c.tree = r.tree AND c.batch = r.batch AND c.process = $1::text)'

const CONFIRM =
  'INSERT INTO confirmation (process, tree, batch) VALUES ($1::text, $2::int, $3::bigint) ON CONFLICT DO NOTHING'

const MISSING =
  `SELECT p.id, p.host FROM process p WHERE ${isAlive('p.id')} AND NOT EXISTS ` +
  '(SELECT FROM confirmation c WHERE c.tree = $1::int AND c.batch = $2::bigint AND c.process = p.id)'

const FORGET = [
  `DELETE FROM confirmation_request WHERE requested_at < ${DATABASE_NOW} - ${KEPT_MS}`,
  'DELETE FROM confirmation c WHERE NOT EXISTS ' +
    '(SELECT FROM confirmation_request r WHERE r.tree = c.tree AND r.batch = c.batch)',
]

/** A tree that is open in this process. */
export interface ConfirmingTree {
  /** Resolves when a batch is applied. */
  reach(batch: number): Promise<void>
  /** Resolves when everything in this process acts on the applied batch. */
  settled(): Promise<void>
}

/** A process that is alive has not confirmed a batch in time. */
export class NotConfirmed extends Error {
  constructor(hosts: readonly string[]) {
    super(`not in force everywhere yet: no answer from a process on ${[...new Set(hosts)].join(', ')}`)
  }
}

/**
 * Confirms to other processes which batches this one has applied, when one of them waits for that. A process that does
 * not have the tree open confirms at once: it reads the tree and its application anew when it opens them.
 */
export class Confirmations {
  readonly #lanes: Lanes
  readonly #row: ProcessRow
  readonly #hints: Hints
  readonly #waitMs: number
  readonly #trees = new Map<number, Set<ConfirmingTree>>()
  /** Batches that are being confirmed. */
  readonly #confirming = new Set<string>()
  #isClosed = false

  constructor(lanes: Lanes, row: ProcessRow, hints: Hints, waitMs: number) {
    this.#lanes = lanes
    this.#row = row
    this.#hints = hints
    this.#waitMs = waitMs
    hints.onRequest(() => void this.#look())
    row.onHeard(() => void this.#look())
  }

  /** Confirms the batches of a tree only when it has applied them. @returns ends that */
  follow(tree: number, confirming: ConfirmingTree): () => void {
    const trees = this.#trees.get(tree) ?? new Set()
    this.#trees.set(tree, trees.add(confirming))
    return () => {
      trees.delete(confirming)
      if (trees.size === 0 && this.#trees.get(tree) === trees) this.#trees.delete(tree)
    }
  }

  /**
   * Resolves when every process that is alive acts on a batch, or has it not open.
   * @throws `NotConfirmed`, `unavailable`
   */
  async everywhere({ tree, batch }: NumberedBatch): Promise<void> {
    const patience = new Patience(this.#waitMs)
    await patience.run(() => this.#lanes.query(REQUEST, [tree, batch]))
    this.#hints.request()
    void this.#look()
    const end = performance.now() + LONGEST_MS
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const missing = await patience.run(() => this.#lanes.query<{ host: string }>(MISSING, [tree, batch]))
      if (missing.length === 0) return
      if (performance.now() > end) throw new NotConfirmed(missing.map(({ host }) => host))
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  /** Removes old requests and their confirmations. */
  async tidy(): Promise<void> {
    for (const text of FORGET) await this.#lanes.query(text)
  }

  close(): void {
    this.#isClosed = true
  }

  async #look(): Promise<void> {
    try {
      const requests = await this.#lanes.query<NumberedBatch>(OPEN_REQUESTS, [this.#row.id])
      await Promise.all(requests.map((request) => this.#confirm(request)))
    } catch {
      // The next heartbeat looks again.
    }
  }

  async #confirm({ tree, batch }: NumberedBatch): Promise<void> {
    const name = `${tree}:${batch}`
    if (this.#confirming.has(name) || this.#isClosed) return
    this.#confirming.add(name)
    try {
      for (const open of this.#trees.get(tree) ?? []) {
        await open.reach(batch)
        await open.settled()
      }
      // A silent process may lag behind what it has applied: it looks again when it has caught up.
      if (this.#row.isSilent) return
      await this.#lanes.query(CONFIRM, [this.#row.id, tree, batch])
    } finally {
      this.#confirming.delete(name)
    }
  }
}
