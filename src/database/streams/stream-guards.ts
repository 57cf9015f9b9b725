import type { Caller } from '../../auth/caller.ts'
import { PathIndex } from '../../hub/path-index.ts'
import type { Sink } from '../../hub/subscriber.ts'
import type { Change } from '../../tree/change.ts'
import type { Path } from '../../tree/path.ts'
import { type Ruling, StreamGuard } from './stream-guard.ts'

/** Streams whose permission is looked at in one turn of the event loop. */
const RECHECKED_AT_ONCE = 256

/** The guards of all streams of one tree, and the places that their permissions depend on. */
export class StreamGuards {
  readonly #guards = new Set<StreamGuard>()
  readonly #watched = new PathIndex<StreamGuard>()
  #lastName = 0

  /** Puts a guard before a sink. */
  guard(sink: Sink, caller: Caller, ruling: Ruling): StreamGuard {
    const name = String(++this.#lastName)
    let places: readonly Path[] = []
    const watch = (looked: readonly Path[]) => {
      for (const place of places) this.#watched.remove(place, name)
      for (const place of looked) this.#watched.add(place, name, guard)
      places = looked
    }
    const released = () => {
      watch([])
      this.#guards.delete(guard)
    }
    const guard: StreamGuard = new StreamGuard(sink, caller, ruling, { watch, released })
    this.#guards.add(guard)
    return guard
  }

  /** Changes that are durable now: some permissions may be others. */
  note(changes: readonly Change[]): void {
    if (this.#guards.size === 0) return
    for (const change of changes) this.#watched.visit(change, (guard) => guard.touched())
  }

  /** Ends the streams of everybody who has shown a credential: it is worth nothing any more. */
  revoke(): void {
    for (const guard of [...this.#guards]) guard.revoke()
  }

  /** Ends the streams that the rules do not allow any more, some at a time. */
  async recheck(): Promise<void> {
    let checked = 0
    for (const guard of [...this.#guards]) {
      await guard.recheck()
      if (++checked % RECHECKED_AT_ONCE === 0) await new Promise(setImmediate)
    }
  }
}
