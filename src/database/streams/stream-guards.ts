import type { Caller } from '../../auth/caller.ts'
import { PathIndex } from '../../hub/path-index.ts'
import type { Sink } from '../../hub/sink.ts'
import type { Change } from '../../tree/change.ts'
import type { Path } from '../../tree/path.ts'
import { type GuardedTree, StreamGuard } from './stream-guard.ts'

/** Maximum guards that are rechecked in one turn of the event loop. */
const RECHECKED_PER_TURN = 256

/** The guards of all streams of one tree, and the paths that their permissions depend on. */
export class StreamGuards {
  readonly #guards = new Set<StreamGuard>()
  readonly #watched = new PathIndex<StreamGuard>()
  #lastName = 0

  /** Puts a guard before a sink. */
  guard(sink: Sink, caller: Caller, tree: GuardedTree): StreamGuard {
    const name = String(++this.#lastName)
    let watched: readonly Path[] = []
    const watch = (paths: readonly Path[]) => {
      for (const path of watched) this.#watched.remove(path, name)
      for (const path of paths) this.#watched.add(path, name, guard)
      watched = paths
    }
    const released = () => {
      watch([])
      this.#guards.delete(guard)
    }
    const guard: StreamGuard = new StreamGuard(sink, caller, tree, { watch, released })
    this.#guards.add(guard)
    return guard
  }

  /** Invalidates the decisions that depend on these durable changes. */
  invalidate(changes: readonly Change[]): void {
    if (this.#guards.size === 0) return
    for (const change of changes) this.#watched.visit(change, (guard) => guard.invalidate())
  }

  /** Ends the streams of all callers with a credential. */
  revoke(): void {
    for (const guard of [...this.#guards]) guard.revoke()
  }

  /** Ends the streams that the rules do not allow any more, a bounded number per turn. */
  async recheck(): Promise<void> {
    let checked = 0
    for (const guard of [...this.#guards]) {
      await guard.recheck()
      if (++checked % RECHECKED_PER_TURN === 0) await new Promise(setImmediate)
    }
  }
}
