import { DholeError } from '../error.ts'
import type { Query } from '../query/query.ts'
import type { Steps } from '../scheduling/steps.ts'
import { inTurns } from '../scheduling/turns.ts'
import { ChildrenText, type ChildText } from '../tree/json/children-text.ts'
import { toExport, toExportInSteps } from '../tree/json/export-text.ts'
import { NodeText } from '../tree/json/node-text.ts'
import { toPlain } from '../tree/json/print.ts'
import { toPlainInSteps } from '../tree/json/print-steps.ts'
import { type AnyText, TextBuilder } from '../tree/json/text-pieces.ts'
import { covers, formatPath, type Path } from '../tree/path.ts'
import type { Reads } from '../tree/read-program.ts'
import { dataOf, eventAt, type Form, type StreamEvent } from './event.ts'
import { EventBatch } from './event-batch.ts'
import { KeyTable } from './key-table.ts'
import { QueryWindow } from './query-window.ts'
import type { Seen, Source } from './snapshot-source.ts'
import { type Beginning, reasonOf, type Subscriber } from './subscriber.ts'
import { broadcast, type NumberedChange, type Topic } from './topic.ts'

/** Children looked at one by one; when more were written to, a limited window is read as a whole. */
const MOST_LOOKED_AT = 64
/** Times that children are read one by one because others were written to meanwhile; then the whole window is read. */
const MOST_LOOKS = 3
/** Children of a window gone through without a pause. */
const SLICE = 2048
/** Bytes of a key, about: what a table of keys begins with. */
const KEY_BYTES = 20

/** What has happened since the window was looked at last. */
interface News {
  readonly changes: readonly NumberedChange[]
  /** Keys of children that were written to; `undefined` when the whole list was. */
  readonly touched: ReadonlySet<string> | undefined
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
 * Everybody who listens to the same query of the same node in the same form. The window they share is kept by reading
 * the children that were written to, or as many as the limit, never the list.
 * @see docs/reference/protocol.md#filtered-streams
 */
export class QueryTopic implements Topic {
  readonly #path: Path
  readonly subscribers = new Set<Subscriber>()
  readonly #query: Query
  readonly form: Form
  /** Whether something above has changed it is told by the export form. */
  readonly printed: readonly Form[]
  readonly #source: Source
  readonly #maxEvent: number
  readonly #window: QueryWindow
  #shown: 'nothing' | 'single' | 'list' = 'nothing'
  /** The leaf, or `null`, that stands in place of a list. */
  #single: AnyText | undefined
  #changes: NumberedChange[] = []
  #joining: Joining[] = []
  /** Memory of the window as it was counted last, in bytes. */
  #counted = 0
  #isBusy = false

  /** @param maxEvent longest data of one event, in UTF-16 code units */
  constructor(path: Path, query: Query, form: Form, source: Source, maxEvent: number) {
    this.#path = path
    this.#query = query
    this.form = form
    this.printed = [form, 'export']
    this.#source = source
    this.#maxEvent = maxEvent
    this.#window = new QueryWindow(query)
  }

  note(change: NumberedChange): void {
    // What is written as part of something larger need not have changed.
    if (!covers(this.#path, change.path) && eventAt(change, this.#path, 'export') === undefined) return
    this.#changes.push(change)
  }

  flush(): void {
    if (this.#changes.length > 0) void this.#run()
  }

  /** Whoever joins has the window looked at anew: all others see at the same commit what they see. */
  begin(subscriber: Subscriber): Promise<void> {
    return new Promise((begun, failed) => {
      this.#joining.push({ subscriber, begun, failed })
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    while (this.#changes.length > 0 || this.#joining.length > 0) await this.#look()
    this.#isBusy = false
  }

  async #look(): Promise<void> {
    const joining = this.#joining.splice(0)
    const changes = this.#changes.splice(0)
    const news: News = { changes, touched: touchedKeys(changes, this.#path) }
    try {
      const whole = joining.length > 0 || this.#shown !== 'list' || (await this.#mustLookAtAll(news))
      const beginning = whole ? await this.#lookAtAll(changes, joining) : undefined
      if (!whole && !this.#window.isLimited) await this.#lookAt(changes)
      this.#countWindow()
      for (const each of joining) this.#welcome(each, beginning)
    } catch (error) {
      for (const { failed } of joining) failed(error)
      // Nobody knows any more what the others should see: they have to come again.
      this.#shown = 'nothing'
      for (const subscriber of [...this.subscribers]) subscriber.end(reasonOf(error))
    }
  }

  #welcome({ subscriber, begun, failed, refusal }: Joining, beginning: Beginning | undefined): void {
    if (refusal !== undefined) failed(refusal.error)
    else if (!subscriber.reserve(this.#window, this.#counted)) failed(new DholeError('too-busy'))
    else {
      if (beginning !== undefined) subscriber.start(beginning)
      begun()
    }
  }

  /** Counts the memory of the window, once for all who listen. */
  #countWindow(): void {
    const bytes = this.#window.byteLength
    if (bytes === this.#counted) return
    this.#counted = bytes
    for (const subscriber of this.subscribers) if (subscriber.resizeHeld(bytes)) return
  }

  /** Whether what happened needs more than a look at the children that were written to. */
  async #mustLookAtAll({ touched }: News): Promise<boolean> {
    if (touched === undefined) return true
    if (!this.#window.isLimited) return false
    if (touched.size > MOST_LOOKED_AT) return true
    for (const key of touched) {
      if (this.#window.has(key)) return true
      const { value: child } = await this.#readChild(key)
      if (child !== undefined && this.#window.wants(child)) return true
    }
    return false
  }

  /** Reads what the query chooses now. @returns what tells it to somebody new */
  async #lookAtAll(noted: readonly NumberedChange[], joining: readonly Joining[]): Promise<Beginning> {
    const authorize = joining.length === 0 ? undefined : () => authorizeEach(joining)
    const { seq, value } = await this.#source.read(this.#path, this.#query, authorize)
    // What was noted while an index was built for it is in the answer already.
    const changes = [...noted, ...this.#takeChanges(seq)]
    const touched = touchedKeys(changes, this.#path)
    const list = value instanceof ChildrenText ? value.children : undefined
    const all: StreamEvent = { kind: 'put', path: '/', data: await dataOf(value, this.form) }
    const wasList = this.#shown === 'list'
    if (list !== undefined && wasList && touched !== undefined) {
      if (changes.length > 0) await this.#update(list, changes, touched, seq)
    } else {
      const keys = await this.#keysOf(list ?? [])
      if (this.#shown !== 'nothing' && (list !== undefined || wasList || all.data !== this.#single))
        this.#tell(all, seq)
      this.#window.show(list ?? [], keys)
    }
    this.#single = list === undefined ? all.data : undefined
    this.#shown = list === undefined ? 'single' : 'list'
    return { seq, batch: new EventBatch([{ ...all, seq }], true) }
  }

  /** Reads the children that were written to, of a window without a limit, as they are after one commit. */
  async #lookAt(noted: readonly NumberedChange[]): Promise<void> {
    let changes = noted
    for (let look = 0; look < MOST_LOOKS; look++) {
      const touched = touchedKeys(changes, this.#path)
      if (touched === undefined) break
      const { seq, value: affected } = await this.#readChildren(touched)
      const meanwhile = this.#takeChanges(seq)
      if (meanwhile.length === 0) {
        const event = await inTurns(this.#eventOf(changes, affected))
        for (const [key, text] of affected) this.#window.set(key, text !== undefined)
        this.#tell(event, seq)
        return
      }
      changes = [...changes, ...meanwhile]
    }
    await this.#lookAtAll(changes, [])
  }

  /** Those of some children that are shown, or were, with their texts as of the last commit read. */
  async #readChildren(keys: ReadonlySet<string>): Promise<Seen<Map<string, AnyText | undefined>>> {
    const affected = new Map<string, AnyText | undefined>()
    let last = 0
    for (const key of keys) {
      const { seq, value: child } = await this.#readChild(key)
      const isShown = child !== undefined && this.#window.accepts(child)
      if (isShown || this.#window.has(key)) affected.set(key, isShown ? child.text : undefined)
      last = Math.max(last, seq)
    }
    return { seq: last, value: affected }
  }

  /** Changes noted meanwhile, up to a commit; the others are left for the next look. */
  #takeChanges(upTo: number): readonly NumberedChange[] {
    const taken = this.#changes.filter(({ seq }) => seq <= upTo)
    if (taken.length > 0) this.#changes = this.#changes.filter(({ seq }) => seq > upTo)
    return taken
  }

  async #readChild(key: string): Promise<Seen<ChildText | undefined>> {
    const { seq, value } = await this.#source.read([...this.#path, key], undefined)
    return { seq, value: value instanceof NodeText ? { key, text: value.stored } : undefined }
  }

  /** Shows another list, and tells what is other about it. */
  async #update(
    list: readonly ChildText[],
    changes: readonly NumberedChange[],
    touched: ReadonlySet<string>,
    seq: number,
  ): Promise<void> {
    const keys = await this.#keysOf(list)
    const affected = new Map<string, AnyText | undefined>()
    for (const slice of slices(list)) {
      for (const { key, text } of slice) if (touched.has(key) || !this.#window.has(key)) affected.set(key, text)
      if (slice.length === SLICE) await new Promise(setImmediate)
    }
    // Out of a window without a limit goes only what is written to; out of a limited one what is pushed out, too.
    let looked = 0
    for (const key of this.#window.isLimited ? this.#window.keys : touched) {
      if (this.#window.has(key) && !keys.has(key)) affected.set(key, undefined)
      if (++looked % SLICE === 0) await new Promise(setImmediate)
    }
    const event = await inTurns(this.#eventOf(changes, affected))
    this.#window.show(list, keys)
    this.#tell(event, seq)
  }

  async #keysOf(list: readonly ChildText[]): Promise<KeyTable> {
    const keys = new KeyTable(list.length, list.length * KEY_BYTES)
    for (const slice of slices(list)) {
      for (const { key } of slice) keys.add(key)
      if (slice.length === SLICE) await new Promise(setImmediate)
    }
    return keys
  }

  *#eventOf(
    changes: readonly NumberedChange[],
    affected: ReadonlyMap<string, AnyText | undefined>,
  ): Steps<StreamEvent | undefined> {
    const [only, more] = affected
    if (only === undefined) return undefined
    if (more !== undefined) {
      const data = new TextBuilder()
      let before = '{'
      for (const [key, text] of affected) {
        data.add(`${before}${JSON.stringify(key)}:`)
        before = ','
        data.addAll(yield* this.#childText(text))
        yield
      }
      data.add('}')
      return { kind: 'patch', path: '/', data: data.end() }
    }
    const [key, text] = only
    const deep = text !== undefined && this.#window.has(key) ? deepChange(changes, this.#path) : undefined
    // Somebody who has the child already need only be told what is new in it.
    if (deep !== undefined) return eventAt(deep, this.#path, this.form)
    return { kind: 'put', path: formatPath([key]), data: yield* this.#childText(text) }
  }

  #tell(event: StreamEvent | undefined, seq: number): void {
    if (event === undefined) return
    broadcast(this.subscribers, [{ ...event, seq }], this.#maxEvent)
  }

  *#childText(text: AnyText | undefined): Steps<AnyText> {
    if (text === undefined) return 'null'
    if (typeof text === 'string') return this.form === 'plain' ? toPlain(text) : toExport(text)
    return this.form === 'plain' ? yield* toPlainInSteps(text) : yield* toExportInSteps(text)
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

function* slices<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let first = 0; first < list.length; first += SLICE) yield list.slice(first, first + SLICE)
}

/** One change that writes within one child, as what it is to that child. */
function deepChange([change, another]: readonly NumberedChange[], list: Path): NumberedChange | undefined {
  if (change === undefined || another !== undefined || touchedKeys([change], list)?.size !== 1) return undefined
  const writes = change.writes.filter(({ path }) => path.length > list.length && covers(list, path))
  const replaces = writes.some(({ kind, path }) => kind === 'value' && path.length === list.length + 1)
  return replaces ? undefined : { ...change, writes }
}

/** Keys of the children that changes write to; `undefined` when one writes the list itself or something around it. */
function touchedKeys(changes: readonly NumberedChange[], list: Path): ReadonlySet<string> | undefined {
  const keys = new Set<string>()
  for (const { writes } of changes) {
    for (const { kind, path } of writes) {
      const key = path[list.length]
      if (key !== undefined && covers(list, path)) keys.add(key)
      else if (kind === 'value' && covers(path, list)) return undefined
    }
  }
  return keys
}
