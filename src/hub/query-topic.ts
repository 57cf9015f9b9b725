import type { Query } from '../query/query.ts'
import { ChildrenText, type ChildText } from '../tree/children-text.ts'
import { NodeText } from '../tree/node-text.ts'
import { covers, formatPath, type Path } from '../tree/path.ts'
import { type JsonText, toExport, toPlain } from '../tree/print.ts'
import type { Reads } from '../tree/read-request.ts'
import { Batch } from './batch.ts'
import { eventAt, type Form, type StreamEvent, textOf } from './event.ts'
import type { Seen, Source } from './source.ts'
import { reasonOf, type Subscriber } from './subscriber.ts'
import { type NumberedChange, type Topic, tellAll } from './topic.ts'
import { Window } from './window.ts'

/** Children looked at one by one; when more were written to, a limited window is read as a whole. */
const MOST_LOOKED_AT = 64
/** Times that children are read one by one because others were written to meanwhile; then the whole window is read. */
const MOST_LOOKS = 3

/** What has happened since the window was looked at last. */
interface News {
  readonly changes: readonly NumberedChange[]
  /** Keys of children that were written to; `undefined` when the whole list was. */
  readonly touched: ReadonlySet<string> | undefined
}

/** A subscriber that waits for its beginning. */
interface Newcomer {
  readonly subscriber: Subscriber
  readonly begun: () => void
  readonly failed: (error: unknown) => void
  /** What its judge has thrown on the commit that was read. */
  refusal?: { readonly error: unknown } | undefined
}

/**
 * Everybody who listens to the same query of the same node in the same form. The window they share is kept by reading
 * the children that were written to, or as many as the limit, never the list.
 * @see docs/protocol.md#filtered-streams
 */
export class QueryTopic implements Topic {
  readonly #path: Path
  readonly subscribers = new Set<Subscriber>()
  readonly #query: Query
  readonly #form: Form
  readonly #source: Source
  readonly #maxEvent: number
  readonly #window: Window
  #shown: 'nothing' | 'single' | 'list' = 'nothing'
  /** The leaf, or `null`, that stands in place of a list. */
  #single: JsonText | undefined
  #changes: NumberedChange[] = []
  #newcomers: Newcomer[] = []
  #isBusy = false

  /** @param maxEvent longest data of one event, in UTF-16 code units */
  constructor(path: Path, query: Query, form: Form, source: Source, maxEvent: number) {
    this.#path = path
    this.#query = query
    this.#form = form
    this.#source = source
    this.#maxEvent = maxEvent
    this.#window = new Window(query)
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
      this.#newcomers.push({ subscriber, begun, failed })
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    while (this.#changes.length > 0 || this.#newcomers.length > 0) await this.#look()
    this.#isBusy = false
  }

  async #look(): Promise<void> {
    const newcomers = this.#newcomers.splice(0)
    const changes = this.#changes.splice(0)
    const news: News = { changes, touched: touchedKeys(changes, this.#path) }
    try {
      const whole = newcomers.length > 0 || this.#shown !== 'list' || (await this.#mustLookAtAll(news))
      const beginning = whole ? await this.#lookAtAll(changes, newcomers) : undefined
      if (!whole && !this.#window.isLimited) await this.#lookAt(changes)
      for (const { subscriber, begun, failed, refusal } of newcomers) {
        if (refusal !== undefined) failed(refusal.error)
        else {
          if (beginning !== undefined) subscriber.start(beginning)
          begun()
        }
      }
    } catch (error) {
      for (const { failed } of newcomers) failed(error)
      // Nobody knows any more what the others should see: they have to come again.
      this.#shown = 'nothing'
      for (const subscriber of [...this.subscribers]) subscriber.end(reasonOf(error))
    }
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
  async #lookAtAll(noted: readonly NumberedChange[], newcomers: readonly Newcomer[]): Promise<Batch> {
    const judging = newcomers.length === 0 ? undefined : () => judgeEach(newcomers)
    const { seq, value } = await this.#source.read(this.#path, this.#query, judging)
    // What was noted while an index was built for it is in the answer already.
    const changes = [...noted, ...this.#takeChanges(seq)]
    const touched = touchedKeys(changes, this.#path)
    const list = value instanceof ChildrenText ? value.children : undefined
    const all: StreamEvent = { kind: 'put', path: '/', data: textOf(value, this.#form) }
    const wasList = this.#shown === 'list'
    if (list !== undefined && wasList && touched !== undefined) {
      const texts = new Map(list.map((child) => [child.key, child.text]))
      this.#tell(this.#eventOf(changes, this.#affected(texts, touched)), seq)
    } else if (this.#shown !== 'nothing' && (list !== undefined || wasList || all.data !== this.#single)) {
      this.#tell(all, seq)
    }
    this.#single = list === undefined ? all.data : undefined
    this.#shown = list === undefined ? 'single' : 'list'
    this.#window.show(list ?? [])
    return new Batch([{ ...all, seq }], seq, true)
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
        const event = this.#eventOf(changes, affected)
        for (const [key, text] of affected) this.#window.set(key, text !== undefined)
        this.#tell(event, seq)
        return
      }
      changes = [...changes, ...meanwhile]
    }
    await this.#lookAtAll(changes, [])
  }

  /** Those of some children that are shown, or were, with their texts as of the last commit read. */
  async #readChildren(keys: ReadonlySet<string>): Promise<Seen<Map<string, JsonText | undefined>>> {
    const affected = new Map<string, JsonText | undefined>()
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

  /** Children that came, went or were written to, with their texts; `undefined` for those that went. */
  #affected(texts: ReadonlyMap<string, JsonText>, touched: ReadonlySet<string>): Map<string, JsonText | undefined> {
    const affected = new Map<string, JsonText | undefined>()
    for (const [key, text] of texts) if (!this.#window.has(key) || touched.has(key)) affected.set(key, text)
    for (const key of this.#window.keys) if (!texts.has(key)) affected.set(key, undefined)
    return affected
  }

  #eventOf(
    changes: readonly NumberedChange[],
    affected: ReadonlyMap<string, JsonText | undefined>,
  ): StreamEvent | undefined {
    const [only, more] = affected
    if (only === undefined) return undefined
    if (more !== undefined) {
      const members = [...affected].map(([key, text]) => `${JSON.stringify(key)}:${this.#childText(text)}`)
      return { kind: 'patch', path: '/', data: `{${members.join(',')}}` }
    }
    const [key, text] = only
    const deep = text !== undefined && this.#window.has(key) ? deepChange(changes, this.#path) : undefined
    // Somebody who has the child already need only be told what is new in it.
    if (deep !== undefined) return eventAt(deep, this.#path, this.#form)
    return { kind: 'put', path: formatPath([key]), data: this.#childText(text) }
  }

  #tell(event: StreamEvent | undefined, seq: number): void {
    if (event === undefined) return
    tellAll(this.subscribers, [{ ...event, seq }], seq, this.#maxEvent)
  }

  #childText(text: JsonText | undefined): JsonText {
    if (text === undefined) return 'null'
    return this.#form === 'plain' ? toPlain(text) : toExport(text)
  }
}

/** Judges each of those who join, so that one who is refused does not keep the others waiting. */
function* judgeEach(newcomers: readonly Newcomer[]): Reads<void> {
  for (const newcomer of newcomers) {
    newcomer.refusal = undefined
    try {
      const judging = newcomer.subscriber.judging?.()
      if (judging === undefined) continue
      yield* judging
    } catch (error) {
      newcomer.refusal = { error }
    }
    yield { kind: 'pause' }
  }
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
