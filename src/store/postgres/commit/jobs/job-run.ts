import { NodeText } from '../../../../tree/json/node-text.ts'
import { isStringText, type JsonText, parseStored, print } from '../../../../tree/json/print.ts'
import { sortKey } from '../../../../tree/order.ts'
import type { Path } from '../../../../tree/path.ts'
import type { JobReads, ReadAnswer, ReadRequest } from '../../../../tree/read-program.ts'
import { isBranch, type Leaf, valueAt } from '../../../../tree/value.ts'
import { Lookup } from '../../../rows/lookup.ts'
import { ROOT_KEY, ROOT_PARENT } from '../../../rows/slot.ts'
import type { CommitContext, Job, JobOutcome } from '../../../store.ts'
import { Missing, type Unknown } from '../working-tree.ts'
import type { WorkingSet } from './working-set.ts'

type Request = ReturnType<JobReads<unknown>['next']> extends IteratorResult<infer R, unknown> ? R : never

/** Why a job cannot go on. */
export type Halt =
  | { readonly kind: 'unknown'; readonly unknown: Unknown }
  /** It asks for an interior node, which is read from the database. */
  | { readonly kind: 'node' | 'size'; readonly path: Path }
  | { readonly kind: 'pause' }
  /** It asks for a string that takes long to parse. */
  | { readonly kind: 'string'; readonly text: JsonText }

/** What a job has come to. */
export type JobEnd = { readonly outcome: JobOutcome<unknown> } | { readonly error: unknown }

/** What a job sees beside the tree. */
interface JobTexts {
  setting(name: string): string | undefined
  /** @throws `Missing` */
  hasSession(session: string, position: number | undefined): boolean
}

/**
 * One run of a job. It may begin before the jobs in front of it have written; in its turn, what it has read is checked,
 * and it begins anew when anything differs.
 */
export class JobRun {
  readonly #job: Job
  readonly #context: CommitContext
  #firstKey: string | undefined
  #lastKey: string | undefined
  readonly #working: WorkingSet
  readonly #texts: JobTexts
  #logic: JobReads<JobOutcome<unknown>> | undefined
  #request: Request | undefined
  #answered: (readonly [request: Request, answer: ReadAnswer])[] = []
  #lookup: Lookup
  #isInTurn = false
  #end: JobEnd | undefined

  constructor(job: Job, context: CommitContext, working: WorkingSet, texts: JobTexts) {
    this.#job = job
    this.#context = { now: context.now, nextPushId: () => this.#taken(context.nextPushId()) }
    this.#working = working
    this.#texts = texts
    this.#lookup = this.#newLookup()
    this.#begin()
  }

  /** Runs until it ends or cannot go on. @returns `undefined` when it has ended */
  advance(): Halt | undefined {
    while (this.#request !== undefined) {
      const request = this.#request
      const answer = this.#answerOf(request)
      if (answer.halt !== undefined) return answer.halt
      this.#goOn(request, answer.value)
    }
    return undefined
  }

  /** What it has come to, once `advance` has returned `undefined`. */
  get end(): JobEnd {
    return this.#end ?? { error: new Error('the job has not ended') }
  }

  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  /** Answers the request that `advance` has returned. */
  answer(value: ReadAnswer): void {
    if (this.#request !== undefined) this.#goOn(this.#request, value)
  }

  /** The last key that this run has generated. */
  get lastKey(): string | undefined {
    return this.#lastKey
  }

  /**
   * Its turn has come: all jobs in front of it have written.
   * @param after the last key that they have generated: those of this job must be greater
   * @returns what must be known before
   */
  takeTurn(after?: string): Unknown | undefined {
    this.#isInTurn = true
    if (this.#firstKey !== undefined && after !== undefined && this.#firstKey <= after) this.#begin()
    this.#lookup = this.#newLookup()
    for (const [request, earlier] of this.#answered) {
      const answer = this.#answerOf(request)
      if (answer.halt?.kind === 'unknown') return answer.halt.unknown
      if (answer.halt?.kind === 'pause') continue
      if (answer.halt === undefined && isSame(answer.value, earlier)) continue
      this.#begin()
      return undefined
    }
    return undefined
  }

  #begin(): void {
    this.#answered = []
    this.#firstKey = undefined
    this.#lastKey = undefined
    this.#end = undefined
    this.#request = undefined
    try {
      this.#logic = this.#job(this.#context) as JobReads<JobOutcome<unknown>>
      this.#take(this.#logic.next())
    } catch (error) {
      this.#end = { error }
    }
  }

  #taken(key: string): string {
    this.#firstKey ??= key
    this.#lastKey = key
    return key
  }

  #goOn(request: Request, answer: ReadAnswer): void {
    this.#answered.push([request, answer])
    this.#request = undefined
    try {
      if (this.#logic !== undefined) this.#take(this.#logic.next(answer))
    } catch (error) {
      this.#end = { error }
    }
  }

  #take(step: IteratorResult<Request, JobOutcome<unknown>>): void {
    if (step.done) this.#end = { outcome: step.value }
    else this.#request = step.value
  }

  #answerOf(request: Request): { readonly halt?: Halt; readonly value?: ReadAnswer } {
    try {
      if (request.kind === 'pause') return { halt: request }
      if (request.kind === 'is-turn') return { value: !this.#isInTurn || request.isTurn() }
      if (request.kind === 'setting') return { value: this.#texts.setting(request.name) }
      if (request.kind === 'idempotency-record') return { value: this.#working.record(request.key) }
      if (request.kind === 'session') {
        return { value: this.#texts.hasSession(request.session, request.position) }
      }
      return this.#treeAnswerOf(request)
    } catch (error) {
      if (error instanceof Missing) return { halt: { kind: 'unknown', unknown: error.unknown } }
      throw error
    }
  }

  #treeAnswerOf(request: Extract<ReadRequest, { path: Path }>): { readonly halt?: Halt; readonly value?: ReadAnswer } {
    const { kind, path } = request
    const unknown = this.#working.unknownOn(path)
    if (unknown !== undefined) return { halt: { kind: 'unknown', unknown } }
    if (kind === 'leaf') return this.#leafAt(path)
    if (kind === 'exists') return { value: this.#lookup.exists(path) }
    if (kind === 'count') return { value: this.#lookup.count(path) }
    const text = this.#textAt(path)
    if (text === 'interior') return { halt: { kind, path } }
    if (kind === 'size') return { value: text === undefined ? 0 : 1 }
    return { value: text }
  }

  #leafAt(path: Path): { readonly halt?: Halt; readonly value?: ReadAnswer } {
    const text = this.#lookup.longString(path)
    // No text is stored in chunks here.
    return text === undefined
      ? { value: this.#lookup.leaf(path) as Leaf | undefined }
      : { halt: { kind: 'string', text } }
  }

  /** The text of a node that is one slot, or part of one. */
  #textAt(path: Path): NodeText | 'interior' | undefined {
    let slot = this.#working.slot(ROOT_PARENT, ROOT_KEY)
    for (const [depth, key] of path.entries()) {
      if (slot === undefined) return undefined
      if (slot.id === null) {
        if (isStringText(slot.value ?? '')) return undefined
        const value = valueAt(parseStored(slot.value ?? ''), path.slice(depth))
        return value === undefined ? undefined : new NodeText(print(value, 'stored'), !isBranch(value))
      }
      slot = this.#working.slot(slot.id, sortKey(key))
    }
    if (slot === undefined) return undefined
    return slot.id === null ? new NodeText(slot.value ?? '') : 'interior'
  }

  #newLookup(): Lookup {
    return new Lookup(this.#working, this.#working)
  }
}

function isSame(left: ReadAnswer, right: ReadAnswer): boolean {
  if (left instanceof NodeText && right instanceof NodeText) return left.stored === right.stored
  return Object.is(left, right)
}
