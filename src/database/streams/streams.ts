import type { Caller } from '../../auth/caller.ts'
import { DholeError } from '../../error.ts'
import { Hub, type HubEvents, type HubSettings, type MissedChanges } from '../../hub/hub.ts'
import type { Sink } from '../../hub/sink.ts'
import type { Subscriber } from '../../hub/subscriber.ts'
import { type Family, type Query, toQuery } from '../../query/query.ts'
import type { Decision } from '../../rules/decision/decision.ts'
import type { Position, ReadLimit, TreeStore } from '../../store/store.ts'
import { endsInPriority, type Path, type PathLike, toPath } from '../../tree/path.ts'
import type { Authorization, Reads } from '../../tree/read-program.ts'
import { type Access, checkKeys } from '../access/access.ts'
import { type Authorizer, RULES, RULES_SINCE } from '../access/authorizer.ts'
import type { RulesInForce } from '../access/rules-in-force.ts'
import type { DeclaredIndexes } from '../declared-indexes.ts'
import type { WatchOptions } from '../read-types.ts'
import type { Watchers } from '../writes/write-job.ts'
import type { GuardedCaller } from './guarded.ts'
import { Listening } from './listening.ts'
import { missedChanges } from './replay.ts'
import type { StreamGuard } from './stream-guard.ts'
import { StreamGuards } from './stream-guards.ts'
import { Subscription } from './subscription.ts'

/** A stream that a caller requests. */
export interface RequestedStream {
  readonly path: Path
  readonly query: Query | undefined
  readonly form: 'plain' | 'export'
  readonly access: Access
  /** Runs once the stream is allowed. What it throws refuses the stream. */
  readonly check: () => void
  /** Position up to which the listener has received the changes. */
  readonly from: Position | undefined
}

/**
 * Checks the options of a stream.
 * @throws `bad-parameter` for the path of a priority, and as `makeQuery` for a wrong query
 */
export function requestedStream(
  where: PathLike,
  options: WatchOptions,
  profile: Family,
  indexes: DeclaredIndexes,
): RequestedStream {
  const path = toPath(where)
  if (endsInPriority(path)) throw new DholeError('bad-parameter', 'Streams of a priority are not supported')
  const query = options.query && toQuery(options.query, profile)
  const check = () => query && indexes.check(path, query)
  const form = options.export === true ? 'export' : 'plain'
  return { path, query, form, access: options, check, from: options.from }
}

/** The streams of one tree: the hub delivers the events, and a guard authorises them for each caller. */
export class Streams {
  readonly #store: TreeStore
  readonly #rules: RulesInForce
  readonly #hub: Hub
  readonly #guards: StreamGuards
  #rechecked = Promise.resolve()

  /** @param limit of the reads of first snapshots */
  constructor(
    store: TreeStore,
    rules: RulesInForce,
    settings: HubSettings,
    limit: ReadLimit,
    events: HubEvents | undefined,
  ) {
    this.#store = store
    this.#rules = rules
    const read = (path: Path, query: Query | undefined, authorize: Authorization) =>
      store.readAt(path, query, limit, authorize)
    this.#hub = new Hub({ read }, settings, events)
    this.#guards = new StreamGuards({
      rules: () => store.setting(RULES),
      seq: () => store.position().seq,
      isSilent: () => store.isSilent === true,
      run: (logic) => store.read(logic),
    })
    store.follow({
      commits: (commits) => {
        // The guards must know of a commit before the hub delivers it.
        this.#guards.invalidate(commits)
        return this.#hub.publish(commits)
      },
      settings: () => {
        this.#rechecked = this.#guards.recheck()
        // The caller that changes the rules gets its error. Events are authorised in any case.
        this.#rechecked.catch(() => {})
        return this.#rechecked
      },
    })
  }

  /** Whether a stream is open. */
  get isWatched(): boolean {
    return this.#hub.size > 0
  }

  get watchers(): Watchers {
    return this.#hub
  }

  /**
   * Delivers a node and its changes to a sink. When reading is denied later, the sink ends with that reason.
   * @returns the open stream
   * @throws `permission-denied`, `read-too-big`, `unavailable`, and what `check` throws
   */
  async open(stream: RequestedStream, sink: Sink): Promise<Subscription> {
    const guard = this.#guard(stream, sink)
    return new Subscription(await this.#subscribe(stream, sink, guard), guard)
  }

  /** As `open`, for a caller that may change. */
  async listen(stream: RequestedStream, sink: Sink): Promise<Listening> {
    const guard = this.#guard(stream, sink)
    const subscriber = await this.#subscribe(stream, sink, guard)
    const guarded = (access: Access) => access.as && this.#guarded(stream, access.as, access)
    return new Listening(subscriber, guard, this.#hub, guarded)
  }

  async #subscribe(
    { path, query, form, access, check, from }: RequestedStream,
    sink: Sink,
    guard: StreamGuard | undefined,
  ): Promise<Subscriber> {
    try {
      await guard?.prepare(access.onTrace)
      check()
      const subscriber = await this.#hub.subscribe(
        { path, query, form },
        { sink: guard ?? sink, missed: this.#missed(path, from, guard) },
      )
      guard?.attach(subscriber)
      return subscriber
    } catch (error) {
      guard?.release()
      throw error
    }
  }

  /** Resolves when the streams that the latest rules do not allow are ended. */
  get rechecked(): Promise<void> {
    return this.#rechecked
  }

  /** Ends the streams of all callers with a credential. */
  revoke(): void {
    this.#guards.revoke()
  }

  /** Ends all streams, thousands of them in several turns of the event loop. */
  async end(): Promise<void> {
    await this.#hub.end()
    // Those that began meanwhile.
    this.#hub.close()
  }

  /** Ends all streams at once. */
  close(): void {
    this.#hub.close()
  }

  /** Guarded from the start: the credential may be revoked while the stream is being opened. */
  #guard({ path, query, access }: RequestedStream, sink: Sink): StreamGuard | undefined {
    if (access.as === undefined) return undefined
    // From now on the stream ends with its credential, also while it is being opened.
    checkKeys(access)
    return this.#guards.guard(sink, this.#guarded({ path, query }, access.as, access))
  }

  #guarded(
    { path, query }: Pick<RequestedStream, 'path' | 'query'>,
    caller: Caller,
    { onTrace }: Access,
  ): GuardedCaller {
    const authorizer = this.#rules.authorizerFor({ as: caller, onTrace })
    return { caller, decide: authorizer && deciding(authorizer, path, query) }
  }

  /** Gathers what the listener has missed and was allowed to read all the time. */
  #missed(
    path: Path,
    from: Position | undefined,
    guard: StreamGuard | undefined,
  ): (() => Promise<MissedChanges | undefined>) | undefined {
    if (from === undefined || from.epoch !== this.#store.position().epoch) return undefined
    const since = Number(this.#store.setting(RULES_SINCE) ?? 0)
    const gather = (decision?: Decision) => missedChanges(this.#store, from, { path, since, decision })
    return guard === undefined ? gather : () => guard.replay(gather)
  }
}

// A function on its own, so that an idle stream keeps nothing but what it uses (`bun run bench fan-out`).

function deciding(authorizer: Authorizer, path: Path, query: Query | undefined): () => Reads<Decision> {
  return () => authorizer.decideRead(path, query)
}
