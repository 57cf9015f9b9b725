import type { Query } from '../../../src/query/query.ts'
import { positionOf } from '../../../src/query/range.ts'
import { select } from '../../../src/query/select-in-memory.ts'
import type { Awaitable } from '../../../src/scheduling/awaitable.ts'
import type {
  Commit,
  IndexInfo,
  LoggedChange,
  LogRange,
  Position,
  ReadAt,
  ReadLimit,
  StoreFollower,
  TreeStore,
} from '../../../src/store/store.ts'
import type { StoredSessions } from '../../../src/store/stored-sessions.ts'
import { ChildrenText, type ChildText } from '../../../src/tree/json/children-text.ts'
import { NodeText, type ReadText } from '../../../src/tree/json/node-text.ts'
import { joined } from '../../../src/tree/json/text-pieces.ts'
import { sortKey } from '../../../src/tree/order.ts'
import { formatPath, type Path } from '../../../src/tree/path.ts'
import type { Authorization, ReadAnswer, ReadRequest, Reads } from '../../../src/tree/read-program.ts'
import { isBranch, type Leaf, type Value, valueAt } from '../../../src/tree/value.ts'
import { StreamCache } from '../../support/stream-cache.ts'

const EPOCH = 'planned'
/** Entries of the log read at a time. */
const STRETCH = 2
/** Steps of a read after its judgement. */
const READ_STEPS = 2

/** One write of a plan: the whole tree stays small. `null` deletes. */
export type PlannedWrite = Readonly<Record<string, unknown>>

/** Decides when work that takes several turns goes on. */
export interface Plan {
  /** Whether the next piece of work takes several turns. */
  isSlow(): boolean
  /** Whether a piece of work is left half done and begun anew. */
  startsOver(): boolean
  /** Resolves when the plan lets the work go on. */
  turn(label: string): Promise<unknown>
}

/**
 * A tree in memory that has every version it ever had, and whose reads take as many turns as a plan wants. A read sees
 * the version that was the latest when it began, as those of the real engine do.
 */
export class PlannedStore implements TreeStore {
  readonly #plan: Plan
  readonly #versions: (Value | undefined)[] = [undefined]
  readonly #log: LoggedChange[] = []
  readonly #followers = new Set<StoreFollower>()
  readonly #settings = new Map<string, string>()
  readonly #cache = new StreamCache()

  constructor(plan: Plan, first: PlannedWrite) {
    this.#plan = plan
    this.publish([first])
  }

  /** It stores no sessions. */
  readonly sessions: StoredSessions = {
    takeLeft: () => [],
    take: () => false,
    read: () => undefined,
    lost: () => [],
    onTaken() {},
  }

  /** The tree as of a commit. @param seq default: the last one */
  version(seq: number = this.#seq): Value | undefined {
    return this.#versions[seq]
  }

  /** Makes several commits durable at once: each is a patch of the root. */
  publish(group: readonly PlannedWrite[]): void {
    const commits: Commit[] = []
    for (const planned of group) {
      const seq = this.#seq + 1
      const writes = Object.entries(planned).map(([path, json]) => {
        return { kind: 'value' as const, path: path.split('/'), value: toValue(json) }
      })
      const commit = { kind: 'patch' as const, path: [], writes, seq, at: seq }
      commits.push(commit)
      const data = Object.fromEntries(writes.map(({ path, ...write }) => [path.join('/'), write.value ?? null]))
      this.#cache.apply({ kind: 'patch', path: '/', data })
      this.#versions.push(toValue(this.#cache.plain))
      this.#log.push({ seq: commit.seq, at: commit.at, kind: 'patch', path: [], data: JSON.stringify(data) })
    }
    for (const follower of this.#followers) follower.commits?.(commits)
  }

  set(texts: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(texts)) this.#settings.set(name, text)
    for (const follower of this.#followers) follower.settings?.()
  }

  readAt(path: Path, query: Query | undefined, _: ReadLimit, authorize: Authorization): Awaitable<ReadAt> {
    return this.#run('read', (seq) => {
      const authorization = authorize?.()
      return (function* (): Reads<ReadAt> {
        if (authorization !== undefined) yield* authorization
        for (let step = 0; step < READ_STEPS; step++) yield { kind: 'pause' }
        const value = (yield { kind: 'node', path }) as NodeText | undefined
        return { seq, value: query === undefined ? value : chosen(query, value) }
      })()
    })
  }

  read<T>(logic: () => Reads<T>): Awaitable<T> {
    return this.#run('judge', logic)
  }

  setting(name: string): string | undefined {
    return this.#settings.get(name)
  }

  follow(follower: StoreFollower): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  changesAfter(): never {
    throw new Error('no plan reads the log as it stands')
  }

  changesNear({ seq }: Position): Awaitable<LogRange | undefined> {
    const stretch = (): LogRange => {
      const changes = this.#log.filter((logged) => logged.seq > seq).slice(0, STRETCH)
      const last = changes.at(-1)?.seq ?? seq
      return { changes, seq: last, begunAt: changes[0]?.at, length: 0, isLast: last === this.#seq }
    }
    return this.#plan.isSlow() ? this.#plan.turn('log').then(stretch) : stretch()
  }

  position(): Position {
    return { epoch: EPOCH, seq: this.#seq }
  }

  node(): never {
    throw new Error('no plan reads a node')
  }

  query(): never {
    throw new Error('no plan queries')
  }

  shallow(): never {
    throw new Error('no plan asks for keys')
  }

  count(): never {
    throw new Error('no plan counts')
  }

  export(): never {
    throw new Error('no plan exports')
  }

  commit(): never {
    throw new Error('no plan runs jobs')
  }

  async declareIndexes(): Promise<void> {}

  indexes(): readonly IndexInfo[] {
    return []
  }

  readonly indexAdministration = { list: () => [], drop: async () => 'unknown' as const }

  readonly mayLag = false

  fresh(): void {}

  async check(): Promise<void> {}

  async swept(): Promise<void> {}

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}

  get #seq(): number {
    return this.#versions.length - 1
  }

  /** Runs logic on one version, with a turn between its steps where the plan is slow. */
  #run<T>(label: string, logic: (seq: number) => Reads<T>): Awaitable<T> {
    const seq = this.#seq
    const steps = logic(seq)
    if (this.#plan.isSlow()) return this.#runInTurns(label, seq, steps, logic)
    for (let step = steps.next(); ; step = steps.next(this.#answer(step.value, seq))) if (step.done) return step.value
  }

  async #runInTurns<T>(label: string, seq: number, steps: Reads<T>, logic: (seq: number) => Reads<T>): Promise<T> {
    for (let step = steps.next(); ; ) {
      if (step.done) return step.value
      const request = step.value
      await this.#plan.turn(label)
      // The engine leaves what it has begun and starts over when too many reads go on.
      if (this.#plan.startsOver()) return this.#runInTurns(label, this.#seq, logic(this.#seq), logic)
      step = steps.next(this.#answer(request, seq))
    }
  }

  #answer(request: ReadRequest, seq: number): ReadAnswer {
    if (request.kind === 'pause') return undefined
    if (request.kind === 'setting') return this.#settings.get(request.name)
    const value = this.#at(request.path, seq)
    switch (request.kind) {
      case 'leaf':
        return isBranch(value) ? undefined : (value as Leaf | undefined)
      case 'exists':
        return value !== undefined
      case 'node':
        return value === undefined ? undefined : new NodeText(JSON.stringify(value))
      default:
        throw new Error(`no rule of a plan asks for the ${request.kind} of ${formatPath(request.path)}`)
    }
  }

  #at(path: Path, seq: number): Value | undefined {
    const root = this.#versions[seq]
    return root === undefined ? undefined : valueAt(root, path)
  }
}

function toValue(json: unknown): Value | undefined {
  return json === null ? undefined : (json as Value)
}

/** What a query chooses of a node without priorities. */
function chosen(query: Query, node: NodeText | undefined): ReadText | undefined {
  const value = node === undefined ? undefined : (JSON.parse(joined(node.stored)) as Value)
  if (!isBranch(value)) return node
  const children = Object.entries(value).map(([key, child]) => ({
    ...positionOf(query.orderBy, sortKey(key), child),
    child: { key, text: JSON.stringify(child) } satisfies ChildText,
  }))
  return new ChildrenText(
    select(query, children).map(({ child }) => child),
    true,
  )
}
