import { Hub, type HubEvents, type HubSettings, type MissedChanges } from '../../hub/hub.ts'
import type { Sink } from '../../hub/subscriber.ts'
import type { Query } from '../../query/query.ts'
import type { Position, ReadLimit, TreeStore } from '../../store/store.ts'
import type { Path } from '../../tree/path.ts'
import type { AuthorizeRead, Reads } from '../../tree/read-program.ts'
import type { Access } from '../access/access.ts'
import { RULES, RULES_SINCE } from '../access/authorizer.ts'
import type { ReadAccess } from '../access/read-access.ts'
import { missedChanges } from './replay.ts'
import type { StreamGuard } from './stream-guard.ts'
import { StreamGuards } from './stream-guards.ts'

/** What somebody wants to listen to. */
interface Wanted {
  readonly path: Path
  readonly query: Query | undefined
  readonly form: 'plain' | 'export'
  readonly access: Access
  /** Throws where listening that is allowed is refused all the same. */
  readonly check: () => void
  /** Where the listener has been before. */
  readonly from: Position | undefined
}

/** The streams of one tree: the hub tells them, and guards stand before those whose callers the rules apply to. */
export class Streams {
  readonly #store: TreeStore
  readonly #readAccess: ReadAccess
  readonly #hub: Hub
  readonly #guards = new StreamGuards()

  /** @param limit of the reads that streams begin with */
  constructor(
    store: TreeStore,
    readAccess: ReadAccess,
    settings: HubSettings,
    limit: ReadLimit,
    events: HubEvents | undefined,
  ) {
    this.#store = store
    this.#readAccess = readAccess
    const read = (path: Path, query: Query | undefined, authorize?: AuthorizeRead) =>
      store.readAt(path, query, limit, authorize)
    this.#hub = new Hub({ read }, settings, events)
    store.onCommit((commits) => {
      // Before anybody is told of them.
      this.#guards.note(commits)
      this.#hub.publish(commits)
    })
  }

  /** Whether there is any. */
  get isWatched(): boolean {
    return this.#hub.size > 0
  }

  /** In which forms somebody is told of a change at a path. */
  formsAt(path: Path): ReadonlySet<'plain' | 'export'> {
    return this.#hub.formsAt(path)
  }

  /** Paths of watched nodes below one. @param inclusive whether that one counts */
  watchedBelow(path: Path, inclusive: boolean): readonly Path[] {
    return this.#hub.watchedBelow(path, inclusive)
  }

  /**
   * Has a sink told of a node. Whoever may not read any more is told so and nothing else.
   * @returns to be called when nobody listens any more
   * @throws `permission-denied`, `read-too-big`, `unavailable`
   */
  async open({ path, query, form, access, check, from }: Wanted, sink: Sink): Promise<() => void> {
    // From the first moment: a credential can become worthless while its stream is being opened.
    const guard = this.#guard(path, query, access, sink)
    try {
      await guard?.prepare()
      const authorize = this.#readAccess.authorize({ path, query, access, check })
      await (authorize && this.#store.read(() => run(authorize)))
      const subscriber = await this.#hub.subscribe(
        { path, query, form },
        {
          sink: guard ?? sink,
          authorize: guard && (() => guard.authorize()),
          missed: this.#missed(path, access, from, guard),
        },
      )
      guard?.attach(subscriber)
      return () => {
        guard?.release()
        subscriber.close()
      }
    } catch (error) {
      guard?.release()
      throw error
    }
  }

  /** Ends the streams that the rules do not allow any more. */
  recheck(): Promise<void> {
    return this.#guards.recheck()
  }

  /** Ends those of everybody who has shown a credential. */
  revoke(): void {
    this.#guards.revoke()
  }

  /** Ends all of them. */
  close(): void {
    this.#hub.close()
  }

  #guard(path: Path, query: Query | undefined, { as }: Access, sink: Sink): StreamGuard | undefined {
    if (as === undefined) return undefined
    const judge = this.#readAccess.authorizerFor({ as })
    return this.#guards.guard(sink, as, {
      source: () => this.#store.setting(RULES),
      seq: () => this.#store.position().seq,
      decide: judge && (() => judge.decideRead(path, query)),
      run: (logic) => this.#store.read(logic),
    })
  }

  /** What a listener has missed; what may have been hidden from it then stays so. */
  #missed(
    path: Path,
    { as }: Access,
    from: Position | undefined,
    guard: StreamGuard | undefined,
  ): (() => Promise<MissedChanges | undefined>) | undefined {
    if (from === undefined || from.epoch !== this.#store.position().epoch) return undefined
    const judge = this.#readAccess.authorizerFor({ as })
    const since = judge && Number(this.#store.setting(RULES_SINCE) ?? 0)
    const missed = () => missedChanges(this.#store, from, { path, since, judge })
    return guard === undefined ? missed : () => guard.untouchedDuring(missed)
  }
}

function* run(authorize: AuthorizeRead): Reads<void> {
  const logic = authorize()
  if (logic !== undefined) yield* logic
}
