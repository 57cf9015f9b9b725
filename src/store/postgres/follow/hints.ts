import { SQL } from 'bun'
import type { HintKind } from '../../../observer.ts'
import type { AppliedTree } from '../applied-tree.ts'
import type { ConnectionOptions } from '../connection/lane.ts'
import type { Primary } from '../connection/primary.ts'
import type { Follower } from './follower.ts'
import type { Freshness } from './freshness.ts'

/** How often a process looks for batches that no hint has told it of, in milliseconds. */
const POLL_MS = 500
/** Longest text of a notification, in bytes; PostgreSQL allows 7999. */
const MAX_PAYLOAD = 7900
/** In place of a list of batches: look at all trees. */
const EVERYTHING = '*'
/** In place of a batch: a process waits for confirmations. */
const REQUEST = '!'

/** A tree that is open in this process. */
interface FollowedTree {
  readonly tree: AppliedTree
  readonly follower: Follower
}

interface ListeningClient {
  readonly client: SQL
  readonly server: ConnectionOptions
}

/**
 * Tells other processes which batches this one has committed, and looks for theirs when they tell it. A hint may be lost:
 * a clock looks anyway, and reads ask by themselves.
 */
export class Hints {
  readonly #primary: Primary
  readonly #channel: string
  readonly #freshness: Freshness
  readonly #followed = new Map<number, FollowedTree>()
  /** Last committed batches by tree that no notification has told of. */
  readonly #news = new Map<number, number>()
  readonly #timer: ReturnType<typeof setInterval>
  /** The client that listens and tells, and its server. */
  #open: ListeningClient | undefined
  /** Called when a process waits for confirmations. */
  #onRequest = () => {}
  #hasRequest = false
  #isTelling = false
  #isLooking = false
  #isClosed = false

  readonly #onHint: (kind: HintKind) => void

  /** @param primary for connections of its own @param schema names the channel */
  constructor(primary: Primary, schema: string, freshness: Freshness, onHint: (kind: HintKind) => void = () => {}) {
    this.#onHint = onHint
    this.#primary = primary
    this.#channel = `dhole_${schema}`
    this.#freshness = freshness
    this.#timer = setInterval(() => this.#tick(), POLL_MS)
    this.#timer.unref()
  }

  /** Follows a tree. @returns ends that */
  follow(followed: FollowedTree): () => void {
    const { tree } = followed
    this.#followed.set(tree.tree, followed)
    tree.onApplied(({ batch, isForeign }) => {
      if (isForeign !== true) this.tell(tree.tree, batch.batch)
    })
    this.#connect()
    return () => {
      this.#followed.delete(tree.tree)
    }
  }

  /** Called when another process waits for confirmations, and when one may have been missed. */
  onRequest(listener: () => void): void {
    this.#onRequest = listener
  }

  /** Tells other processes of a batch. */
  tell(tree: number, batch: number): void {
    this.#news.set(tree, batch)
    if (!this.#isTelling) void this.#tellAll()
  }

  /** Tells other processes that this one waits for confirmations. */
  request(): void {
    this.#hasRequest = true
    if (!this.#isTelling) void this.#tellAll()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#open?.client.close({ timeout: 0 }).catch(() => {})
  }

  #tick(): void {
    if (this.#followed.size > 0) this.#connect()
    void this.#lookAtAll()
  }

  /** Listens on the server that takes writes now. */
  #connect(): void {
    const { server } = this.#primary
    if (server === undefined || server === this.#open?.server) return
    void this.#open?.client.close({ timeout: 0 }).catch(() => {})
    const connection = { ...(server as SQL.PostgresOrMySQLOptions).connection, synchronous_commit: 'off' }
    // The clock connects again: the client would print each of its own attempts.
    const onclose = () => this.#lost(open)
    const client = new SQL({ ...server, connection, max: 1, onclose } as SQL.Options)
    const open = { client, server }
    this.#open = open
    const heard = (payload: string) => this.#heard(payload)
    // What was told before it listened, or while it was away, is looked for when it listens.
    const listens = () => {
      void this.#lookAtAll()
      this.#onRequest()
    }
    client.listen(this.#channel, heard, listens).catch(() => this.#lost(open))
  }

  #lost(open: ListeningClient): void {
    if (this.#open === open) this.#open = undefined
    void open.client.close({ timeout: 0 }).catch(() => {})
  }

  #heard(payload: string): void {
    this.#onHint('received')
    for (const hint of payload.split(' ')) this.#heardOf(hint)
  }

  #heardOf(hint: string): void {
    if (hint === REQUEST) this.#onRequest()
    if (hint === EVERYTHING) void this.#lookAtAll()
    const [tree = Number.NaN, batch = Number.NaN] = hint.split(':').map(Number)
    const followed = this.#followed.get(tree)
    if (followed !== undefined && followed.tree.batch.batch < batch) followed.follower.reach(batch).catch(() => {})
  }

  async #lookAtAll(): Promise<void> {
    if (this.#isLooking || this.#isClosed || this.#followed.size === 0) return
    this.#isLooking = true
    try {
      const askedAt = performance.now()
      for (const [tree, batch] of await this.#freshness.headsOf(this.#followed.keys())) {
        const followed = this.#followed.get(tree)
        if (followed === undefined) continue
        if (followed.tree.batch.batch < batch) this.#onHint('late')
        await followed.follower.reach(batch)
        followed.follower.appliedUpTo(askedAt)
      }
    } catch {
      // The database is away: the clock looks again.
    } finally {
      this.#isLooking = false
    }
  }

  /** Under load, the news of many batches gather while a notification is under way. */
  async #tellAll(): Promise<void> {
    this.#isTelling = true
    this.#connect()
    while ((this.#news.size > 0 || this.#hasRequest) && !this.#isClosed) {
      const batches = [...this.#news].map(([tree, batch]) => `${tree}:${batch}`).join(' ')
      const request = this.#hasRequest ? [REQUEST] : []
      this.#news.clear()
      this.#hasRequest = false
      const news = batches.length > MAX_PAYLOAD ? EVERYTHING : batches
      const payload = [...request, news].join(' ').trim()
      this.#onHint('sent')
      await this.#open?.client.notify(this.#channel, payload).catch(() => {})
    }
    this.#isTelling = false
  }
}
