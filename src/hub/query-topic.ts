import { DholeError } from '../error.ts'
import type { Query } from '../query/query.ts'
import { loopTurn } from '../scheduling/loop-turn.ts'
import { SharedTurns } from '../scheduling/shared-turns.ts'
import type { Steps } from '../scheduling/steps.ts'
import { inTurns } from '../scheduling/turns.ts'
import { ChildrenText, type ChildText } from '../tree/json/children-text.ts'
import { NodeText } from '../tree/json/node-text.ts'
import type { AnyText } from '../tree/json/text-pieces.ts'
import { covers, type Path } from '../tree/path.ts'
import { type Reads, TRUSTED } from '../tree/read-program.ts'
import { areMany } from '../tree/writes-by-path.ts'
import { concerns, concernsNow, dataOf, type Form, type StreamEvent } from './event.ts'
import { EventBatch, markOf } from './event-batch.ts'
import { type AffectedChild, eventOfChildren, type TouchedKeys, touchedKeys } from './query-changes.ts'
import { keysOf, QueryWindow, SLICE, slices } from './query-window.ts'
import { reasonOf } from './sink.ts'
import type { Beginning, Subscriber } from './subscriber.ts'
import { broadcast, type NumberedChange, type Snapshot, type SnapshotSource, type Topic } from './topic.ts'

/** Maximum written children that are read one by one; above it a limited window is read as a whole. */
const MOST_SINGLE_READS = 64
/** Maximum repeats of such reads while other children are written; then the whole window is read. */
const MOST_REPEATS = 3

/** Updates of all topics of the process: thousands of them may follow one commit. */
const updates = new SharedTurns()

/** Changes since the last update of the window. */
interface PendingChanges {
  readonly changes: readonly NumberedChange[]
  /** Keys of the written children; `undefined` if the whole list was written. */
  readonly touched: TouchedKeys | undefined
}

/** A subscriber that waits for its beginning. */
interface Joining {
  readonly subscriber: Subscriber
  readonly begun: () => void
  readonly failed: (error: unknown) => void
  /** What its authorisation has thrown on the commit that was read. */
  refusal?: { readonly error: unknown } | undefined
}

/**
 * The subscribers of one query of a node in one form. They share a window. An update reads the written children, or as
 * many children as the limit admits, but never the whole list.
 * @see docs/reference/protocol.md#filtered-streams
 */
export class QueryTopic implements Topic {
  readonly #path: Path
  readonly subscribers = new Set<Subscriber>()
  readonly #query: Query
  readonly form: Form
  /** The export form decides whether a change above the node has changed it. */
  readonly printed: readonly Form[]
  readonly #source: SnapshotSource
  readonly #maxEvent: number
  readonly #window: QueryWindow
  #shown: 'nothing' | 'single' | 'list' = 'nothing'
  /** The leaf, or `null`, in place of a list. */
  #single: AnyText | undefined
  #changes: NumberedChange[] = []
  #joining: Joining[] = []
  /** Marks behind the changes that are collected or being read. */
  readonly #marks: (readonly [Subscriber, number])[] = []
  /** Reserved memory of the window, in bytes. */
  #reserved = 0
  #isBusy = false

  /** @param maxEvent longest data of one event, in UTF-16 code units */
  constructor(path: Path, query: Query, form: Form, source: SnapshotSource, maxEvent: number) {
    this.#path = path
    this.#query = query
    this.form = form
    this.printed = [form, 'export']
    this.#source = source
    this.#maxEvent = maxEvent
    this.#window = new QueryWindow(query)
  }

  collect(change: NumberedChange): Steps<void> | undefined {
    // A write above the node may leave it unchanged.
    if (change.isUnknown === true || covers(this.#path, change.path)) this.#changes.push(change)
    else if (areMany(change.writes)) return this.#collectInSteps(change)
    else if (concernsNow(change, this.#path)) this.#changes.push(change)
    return undefined
  }

  *#collectInSteps(change: NumberedChange): Steps<void> {
    if (yield* concerns(change, this.#path)) this.#changes.push(change)
  }

  flush(): void {
    if (this.#changes.length > 0) this.#run()
  }

  mark(subscriber: Subscriber, seq: number): void {
    if (this.#isBusy) this.#marks.push([subscriber, seq])
    else subscriber.deliver(markOf(seq))
  }

  /** Reads the window again, so that all subscribers show the same commit. */
  begin(subscriber: Subscriber): Promise<void> {
    return new Promise((begun, failed) => {
      this.#joining.push({ subscriber, begun, failed })
      this.#run()
    })
  }

  #run(): void {
    if (this.#isBusy) return
    this.#isBusy = true
    updates.add(() => this.#updateAll())
  }

  async #updateAll(): Promise<void> {
    while (this.#changes.length > 0 || this.#joining.length > 0) {
      const marks = this.#marks.splice(0)
      await this.#update()
      for (const [subscriber, seq] of marks) subscriber.deliver(markOf(seq))
    }
    for (const [subscriber, seq] of this.#marks.splice(0)) subscriber.deliver(markOf(seq))
    this.#isBusy = false
  }

  async #update(): Promise<void> {
    const joining = this.#joining.splice(0)
    const changes = this.#changes.splice(0)
    try {
      const pending: PendingChanges = { changes, touched: await inTurns(touchedKeys(changes, this.#path)) }
      const isWhole = joining.length > 0 || this.#shown !== 'list' || (await this.#mustReadWindow(pending))
      const beginning = isWhole ? await this.#readWindow(changes, joining) : undefined
      if (!isWhole && !this.#window.isLimited) await this.#readTouched(changes)
      this.#reserveWindow()
      for (const each of joining) this.#welcome(each, beginning)
    } catch (error) {
      for (const { failed } of joining) failed(error)
      // What the others should show is unknown: they must subscribe again.
      this.#shown = 'nothing'
      for (const subscriber of [...this.subscribers]) subscriber.end(reasonOf(error))
    }
  }

  #welcome({ subscriber, begun, failed, refusal }: Joining, beginning: Beginning | undefined): void {
    if (refusal !== undefined) failed(refusal.error)
    else if (!subscriber.reserve(this.#window, this.#reserved)) failed(new DholeError('too-busy'))
    else {
      if (beginning !== undefined) subscriber.start(beginning)
      begun()
    }
  }

  /** Counts the memory of the window once for all subscribers. */
  #reserveWindow(): void {
    const bytes = this.#window.byteLength
    if (bytes === this.#reserved) return
    this.#reserved = bytes
    for (const subscriber of this.subscribers) if (subscriber.resizeReservation(bytes)) return
  }

  /** Whether the changes need more than a read of the written children. */
  async #mustReadWindow({ touched }: PendingChanges): Promise<boolean> {
    if (touched === undefined) return true
    if (!this.#window.isLimited) return false
    if (touched.size > MOST_SINGLE_READS) return true
    for (const key of touched) {
      if (this.#window.has(key)) return true
      const { value: child } = await this.#readChild(key)
      if (child !== undefined && this.#window.wants(child)) return true
    }
    return false
  }

  /** Reads what the query selects now. @returns the beginning for joining subscribers */
  async #readWindow(collected: readonly NumberedChange[], joining: readonly Joining[]): Promise<Beginning> {
    const authorize = joining.length === 0 ? undefined : () => authorizeEach(joining)
    const { seq, value } = await this.#source.read(this.#path, this.#query, authorize)
    // Changes that were collected while the read built an index are in the snapshot already.
    const changes = [...collected, ...this.#takeChanges(seq)]
    const touched = await inTurns(touchedKeys(changes, this.#path))
    const list = value instanceof ChildrenText ? value.children : undefined
    const all: StreamEvent = { kind: 'put', path: '/', data: await dataOf(value, this.form) }
    const wasList = this.#shown === 'list'
    if (list !== undefined && wasList && touched !== undefined) {
      if (changes.length > 0) await this.#showList(list, changes, touched, seq)
    } else {
      const keys = await keysOf(list ?? [])
      if (this.#shown !== 'nothing' && (list !== undefined || wasList || all.data !== this.#single))
        this.#broadcast(all, seq)
      this.#window.show(list ?? [], keys)
    }
    this.#single = list === undefined ? all.data : undefined
    this.#shown = list === undefined ? 'single' : 'list'
    return { seq, batch: new EventBatch([{ ...all, seq }], true) }
  }

  /** Reads the written children of a window without a limit, all as of one commit. */
  async #readTouched(collected: readonly NumberedChange[]): Promise<void> {
    let changes = collected
    for (let repeat = 0; repeat < MOST_REPEATS; repeat++) {
      const touched = await inTurns(touchedKeys(changes, this.#path))
      if (touched === undefined) break
      const { seq, value: affected } = await this.#readChildren(touched)
      const meanwhile = this.#takeChanges(seq)
      if (meanwhile.length === 0) {
        const event = await inTurns(this.#eventOf(changes, affected))
        for (const [key, text] of affected) {
          this.#window.set(key, text !== undefined)
          if (loopTurn.isOver) await loopTurn.pause()
        }
        this.#broadcast(event, seq)
        return
      }
      changes = [...changes, ...meanwhile]
    }
    await this.#readWindow(changes, [])
  }

  /** Texts of those children that the window shows or has shown; `undefined` for a child that it no longer shows. */
  async #readChildren(keys: TouchedKeys): Promise<Snapshot<AffectedChild[]>> {
    const affected: AffectedChild[] = []
    let last = 0
    for (const key of keys) {
      const { seq, value: child } = await this.#readChild(key)
      const isShown = child !== undefined && this.#window.accepts(child)
      if (isShown || this.#window.has(key)) affected.push([key, isShown ? child.text : undefined])
      last = Math.max(last, seq)
      if (loopTurn.isOver) await loopTurn.pause()
    }
    return { seq: last, value: affected }
  }

  /** Removes the collected changes up to a commit. The others stay for the next update. */
  #takeChanges(upTo: number): readonly NumberedChange[] {
    const taken = this.#changes.filter(({ seq }) => seq <= upTo)
    if (taken.length > 0) this.#changes = this.#changes.filter(({ seq }) => seq > upTo)
    return taken
  }

  async #readChild(key: string): Promise<Snapshot<ChildText | undefined>> {
    const { seq, value } = await this.#source.read([...this.#path, key], undefined, TRUSTED)
    return { seq, value: value instanceof NodeText ? { key, text: value.stored } : undefined }
  }

  /** Shows another list, and broadcasts the differences. */
  async #showList(
    list: readonly ChildText[],
    changes: readonly NumberedChange[],
    touched: TouchedKeys,
    seq: number,
  ): Promise<void> {
    const keys = await keysOf(list)
    const affected: AffectedChild[] = []
    for (const slice of slices(list)) {
      for (const { key, text } of slice) if (touched.has(key) || !this.#window.has(key)) affected.push([key, text])
      if (slice.length === SLICE) await loopTurn.pause()
    }
    // A window without a limit loses written children only; a limited one also loses those beyond its edge.
    let visited = 0
    for (const key of this.#window.isLimited ? this.#window.keys : touched) {
      if (this.#window.has(key) && !keys.has(key)) affected.push([key, undefined])
      if (++visited % SLICE === 0) await loopTurn.pause()
    }
    const event = await inTurns(this.#eventOf(changes, affected))
    this.#window.show(list, keys)
    this.#broadcast(event, seq)
  }

  #eventOf(changes: readonly NumberedChange[], affected: readonly AffectedChild[]): Steps<StreamEvent | undefined> {
    const has = (key: string) => this.#window.has(key)
    return eventOfChildren(changes, affected, { path: this.#path, form: this.form, has })
  }

  #broadcast(event: StreamEvent | undefined, seq: number): void {
    if (event !== undefined) broadcast(this.subscribers, [{ ...event, seq }], this.#maxEvent)
  }
}

/** Authorises each joining listener alone, so that a refused one does not keep the others waiting. */
function* authorizeEach(joining: readonly Joining[]): Reads<void> {
  for (const each of joining) {
    each.refusal = undefined
    try {
      const authorize = each.subscriber.authorize?.()
      if (authorize === undefined) continue
      yield* authorize
    } catch (error) {
      each.refusal = { error }
    }
    yield { kind: 'pause' }
  }
}
