import { SQL } from 'bun'
import type { AppliedTree } from '../applied-tree.ts'
import type { ConnectionOptions } from '../connection/lane.ts'
import type { Follower } from './follower.ts'
import type { Freshness } from './freshness.ts'

/** How often a process looks for batches that no hint has told it of, in milliseconds. */
const POLL_MS = 500
/** Longest text of a notification, in bytes; PostgreSQL allows 7999. */
const MAX_PAYLOAD = 7900
/** In place of a list of batches: look at all trees. */
const EVERYTHING = '*'

/** A tree that is open in this process. */
interface FollowedTree {
  readonly tree: AppliedTree
  readonly follower: Follower
}

/**
 * Tells other processes which batches this one has committed, and looks for theirs when they tell it. A hint may be lost:
 * a clock looks anyway, and reads ask by themselves.
 */
export class Hints {
  readonly #client: SQL
  readonly #channel: string
  readonly #freshness: Freshness
  readonly #followed = new Map<number, FollowedTree>()
  /** Last committed batches by tree that no notification has told of. */
  readonly #news = new Map<number, number>()
  readonly #timer: ReturnType<typeof setInterval>
  #listening: Promise<unknown> | undefined
  #isTelling = false
  #isLooking = false
  #isClosed = false

  /** @param options of a connection of its own @param schema names the channel */
  constructor(options: ConnectionOptions, schema: string, freshness: Freshness) {
    const connection = { ...(options as SQL.PostgresOrMySQLOptions).connection, synchronous_commit: 'off' }
    this.#client = new SQL({ ...options, connection, max: 1 } as SQL.Options)
    this.#channel = `dhole_${schema}`
    this.#freshness = freshness
    this.#timer = setInterval(() => void this.#lookAtAll(), POLL_MS)
    this.#timer.unref()
  }

  /** Follows a tree. @returns ends that */
  follow(followed: FollowedTree): () => void {
    const { tree } = followed
    this.#followed.set(tree.tree, followed)
    tree.onApplied(({ batch, isForeign }) => {
      if (isForeign !== true) this.#tell(tree.tree, batch.batch)
    })
    this.#listening ??= this.#listen()
    return () => {
      this.#followed.delete(tree.tree)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#client.close({ timeout: 0 }).catch(() => {})
  }

  /** What was told before the connection listened, or while it was lost, is looked for when it listens. */
  async #listen(): Promise<void> {
    const heard = (payload: string) => this.#heard(payload)
    const listens = () => void this.#lookAtAll()
    await this.#client.listen(this.#channel, heard, listens).catch(() => {
      // The clock looks meanwhile, and the next tree that is opened tries again.
      this.#listening = undefined
    })
  }

  #heard(payload: string): void {
    if (payload === EVERYTHING) void this.#lookAtAll()
    else for (const hint of payload.split(' ')) this.#heardOf(hint)
  }

  #heardOf(hint: string): void {
    const [tree = Number.NaN, batch = Number.NaN] = hint.split(':').map(Number)
    const followed = this.#followed.get(tree)
    if (followed !== undefined && followed.tree.batch.batch < batch) followed.follower.reach(batch).catch(() => {})
  }

  async #lookAtAll(): Promise<void> {
    if (this.#isLooking || this.#isClosed || this.#followed.size === 0) return
    this.#isLooking = true
    try {
      for (const [tree, batch] of await this.#freshness.headsOf(this.#followed.keys())) {
        await this.#followed.get(tree)?.follower.reach(batch)
      }
    } catch {
      // The database is away: the clock looks again.
    } finally {
      this.#isLooking = false
    }
  }

  #tell(tree: number, batch: number): void {
    this.#news.set(tree, batch)
    if (!this.#isTelling) void this.#tellAll()
  }

  /** Under load, the news of many batches gather while a notification is under way. */
  async #tellAll(): Promise<void> {
    this.#isTelling = true
    while (this.#news.size > 0 && !this.#isClosed) {
      const all = [...this.#news].map(([tree, batch]) => `${tree}:${batch}`).join(' ')
      this.#news.clear()
      await this.#client.notify(this.#channel, all.length > MAX_PAYLOAD ? EVERYTHING : all).catch(() => {})
    }
    this.#isTelling = false
  }
}
