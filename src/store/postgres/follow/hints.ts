import type { HintKind } from '../../../observer.ts'
import type { AppliedTree } from '../applied-tree.ts'
import type { Statements } from '../connection/lane.ts'
import type { Primary } from '../connection/primary.ts'
import type { Follower } from './follower.ts'
import type { Freshness } from './freshness.ts'
import { Listener } from './listener.ts'

/** How often a process looks for batches that no hint has announced, in milliseconds. */
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

/** How processes learn of each other's batches. */
export interface HintSettings {
  /** Server that the connections of this process use. */
  readonly primary: Primary
  /** The same servers by addresses of their own, when those of `primary` are of a pooler. */
  readonly direct?: Primary | undefined
  /** Names the channel. */
  readonly schema: string
  /** Time between two looks, in place of notifications, in milliseconds; `undefined`: with notifications. */
  readonly pollMs?: number | undefined
  readonly onHint?: ((kind: HintKind) => void) | undefined
}

/**
 * Announces to other processes which batches this one has committed, and looks for theirs when they do. A hint may be
 * lost: a clock looks anyway, and reads ask by themselves.
 */
export class Hints {
  readonly #freshness: Freshness
  readonly #followed = new Map<number, FollowedTree>()
  /** Last committed batches by tree that no notification has announced. */
  readonly #news = new Map<number, number>()
  readonly #timers: readonly ReturnType<typeof setInterval>[]
  /** `undefined` without notifications. */
  readonly #listener: Listener | undefined
  readonly #onHint: (kind: HintKind) => void
  /** Called when a process waits for confirmations. */
  #onRequest = () => {}
  #hasRequest = false
  #isAnnouncing = false
  #isLooking = false
  #isClosed = false

  constructor({ primary, direct, schema, pollMs, onHint = () => {} }: HintSettings, freshness: Freshness) {
    this.#onHint = onHint
    this.#freshness = freshness
    this.#listener =
      pollMs === undefined
        ? new Listener({
            primary,
            direct,
            channel: `dhole_${schema}`,
            onHeard: (payload) => this.#heard(payload),
            // What was announced before it listened, or while it was away, is looked for when it listens.
            onListens: () => {
              void this.#lookAtAll()
              this.#onRequest()
            },
          })
        : undefined
    this.#timers = [
      setInterval(() => this.#tick(), pollMs ?? POLL_MS),
      // No notification announces a request.
      ...(pollMs === undefined ? [] : [setInterval(() => this.#onRequest(), POLL_MS)]),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  /** Finds out whether notifications arrive, if they are used. @throws `NoNotifications`, and what the database throws */
  async check(statements: Statements): Promise<void> {
    await this.#listener?.check(statements)
  }

  /** Follows a tree. @returns ends that */
  follow(followed: FollowedTree): () => void {
    const { tree } = followed
    this.#followed.set(tree.tree, followed)
    tree.onApplied(({ batch, isForeign }) => {
      if (isForeign !== true) this.announce(tree.tree, batch.batch)
    })
    this.#listener?.connect()
    return () => {
      this.#followed.delete(tree.tree)
    }
  }

  /** Called when another process waits for confirmations, and when one may have been missed. */
  onRequest(listener: () => void): void {
    this.#onRequest = listener
  }

  /** Announces a batch to other processes. */
  announce(tree: number, batch: number): void {
    if (this.#listener === undefined) return
    this.#news.set(tree, batch)
    if (!this.#isAnnouncing) void this.#announceAll()
  }

  /** Asks other processes for the confirmations that this one waits for. */
  request(): void {
    if (this.#listener === undefined) return
    this.#hasRequest = true
    if (!this.#isAnnouncing) void this.#announceAll()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers) clearInterval(timer)
    await this.#listener?.close()
  }

  #tick(): void {
    if (this.#followed.size > 0) this.#listener?.connect()
    void this.#lookAtAll()
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
        if (this.#listener !== undefined && followed.tree.batch.batch < batch) this.#onHint('late')
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
  async #announceAll(): Promise<void> {
    this.#isAnnouncing = true
    this.#listener?.connect()
    while ((this.#news.size > 0 || this.#hasRequest) && !this.#isClosed) {
      const batches = [...this.#news].map(([tree, batch]) => `${tree}:${batch}`).join(' ')
      const request = this.#hasRequest ? [REQUEST] : []
      this.#news.clear()
      this.#hasRequest = false
      const news = batches.length > MAX_PAYLOAD ? EVERYTHING : batches
      const payload = [...request, news].join(' ').trim()
      this.#onHint('sent')
      await this.#listener?.notify(payload)
    }
    this.#isAnnouncing = false
  }
}
