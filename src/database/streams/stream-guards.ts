import { PathIndex } from '../../hub/path-index.ts'
import type { Sink } from '../../hub/sink.ts'
import { loopTurn } from '../../scheduling/loop-turn.ts'
import type { Change } from '../../tree/change.ts'
import type { Path } from '../../tree/path.ts'
import { areMany } from '../../tree/writes-by-path.ts'
import type { GuardedCaller, GuardedTree } from './guarded.ts'
import { type GuardKeeper, StreamGuard } from './stream-guard.ts'

/** Maximum guards that are rechecked in one turn of the event loop. */
const RECHECKED_PER_TURN = 256

/** What a guard watches, and its name among those that watch the same. */
interface Watched {
  readonly name: string
  readonly paths: readonly Path[]
}

const NOTHING: Watched = { name: '', paths: [] }

/** The guards of all streams of one tree, and the paths that their permissions depend on. */
export class StreamGuards implements GuardKeeper {
  readonly #tree: GuardedTree
  /** All guards, and what they watch. */
  readonly #guards = new Map<StreamGuard, Watched>()
  readonly #watched = new PathIndex<StreamGuard>()
  #lastName = 0

  constructor(tree: GuardedTree) {
    this.#tree = tree
  }

  /** Puts a guard before a sink. */
  guard(sink: Sink, caller: GuardedCaller): StreamGuard {
    const guard = new StreamGuard(sink, caller, this.#tree, this)
    this.#guards.set(guard, NOTHING)
    return guard
  }

  watch(guard: StreamGuard, paths: readonly Path[]): void {
    const before = this.#guards.get(guard) ?? NOTHING
    for (const path of before.paths) this.#watched.remove(path, before.name)
    const name = paths.length === 0 ? '' : String(++this.#lastName)
    for (const path of paths) this.#watched.add(path, name, guard)
    this.#guards.set(guard, paths.length === 0 ? NOTHING : { name, paths })
  }

  released(guard: StreamGuard): void {
    this.watch(guard, [])
    this.#guards.delete(guard)
  }

  /** Invalidates the decisions that depend on these durable changes. */
  invalidate(changes: readonly Change[]): void {
    if (this.#guards.size === 0) return
    for (const change of changes) {
      // Many writes count as one of the node above them all: to decide a stream again is cheaper than to look at each.
      const { path, writes } = change
      const near = areMany(writes)
        ? { ...change, writes: [{ kind: 'value', path, value: undefined } as const] }
        : change
      for (const guard of this.#watched.near(near)) guard?.invalidate()
    }
  }

  /** Ends the streams of all callers with a credential. */
  revoke(): void {
    for (const guard of [...this.#guards.keys()]) guard.revoke()
  }

  /** Ends the streams that the rules do not allow any more, a bounded number per turn. */
  async recheck(): Promise<void> {
    let checked = 0
    for (const guard of [...this.#guards.keys()]) {
      await guard.recheck()
      if (++checked % RECHECKED_PER_TURN === 0 || loopTurn.isOver) await loopTurn.pause()
    }
  }
}
