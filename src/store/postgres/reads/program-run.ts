import type { JsonText } from '../../../tree/json/print.ts'
import type { Path } from '../../../tree/path.ts'
import type { ReadAnswer, ReadRequest, Reads } from '../../../tree/read-program.ts'
import type { Leaf } from '../../../tree/value.ts'
import { Lookup } from '../../rows/lookup.ts'
import type { WantedSlots } from '../slot-steps.ts'
import type { KnownSlots } from './known-slots.ts'

/** Requests answered between two pauses. */
const ANSWERS_BEFORE_PAUSE = 64

/** Why a program cannot go on by itself. */
export type Need =
  | { readonly kind: 'slots'; readonly slots: WantedSlots }
  /** Answer it with `answer`. */
  | { readonly kind: 'node'; readonly path: Path; readonly maxLength?: number }
  | { readonly kind: 'size'; readonly path: Path }
  /** A string that takes long to parse. Answer it with `answer`. */
  | { readonly kind: 'string'; readonly text: JsonText }
  | { readonly kind: 'pause' }

/** Runs a program that reads as far as what is known of the tree goes. */
export class ProgramRun<T> {
  readonly #known: KnownSlots
  readonly #settings: ReadonlyMap<string, string>
  readonly #lookup: Lookup
  readonly #logic: Reads<T> | undefined
  #step: IteratorResult<ReadRequest, T> | undefined
  #error: { readonly error: unknown } | undefined

  /**
   * @param begin returns the program. What it throws, and what the program throws, is thrown by `result`
   * @param settings as of the batch that is read
   */
  constructor(begin: () => Reads<T>, known: KnownSlots, settings: ReadonlyMap<string, string>) {
    this.#known = known
    this.#settings = settings
    this.#lookup = new Lookup(known, known)
    try {
      this.#logic = begin()
      this.#step = this.#logic.next()
    } catch (error) {
      this.#error = { error }
    }
  }

  /** Runs on. @returns what it needs; `undefined` when it has ended */
  advance(): Need | undefined {
    for (let answered = 1; this.#error === undefined && this.#step?.done === false; answered++) {
      const request = this.#step.value
      if (request.kind === 'node' || request.kind === 'size') return request
      const isPause = request.kind === 'pause'
      if (!isPause && request.kind !== 'setting') {
        const slots = this.#known.unknownOn(request.path)
        if (slots !== undefined) return { kind: 'slots', slots }
        const text = request.kind === 'leaf' ? this.#lookup.longString(request.path) : undefined
        if (text !== undefined) return { kind: 'string', text }
      }
      this.answer(isPause ? undefined : this.#answerOf(request))
      if (isPause || answered % ANSWERS_BEFORE_PAUSE === 0) return { kind: 'pause' }
    }
    return undefined
  }

  /** Answers the request of the program. */
  answer(answer: ReadAnswer): void {
    try {
      this.#step = this.#logic?.next(answer)
    } catch (error) {
      this.#error = { error }
    }
  }

  /** Whether `result` throws. */
  get hasFailed(): boolean {
    return this.#error !== undefined
  }

  /** What the program returned, once it has ended. @throws what it threw */
  get result(): T {
    if (this.#error !== undefined) throw this.#error.error
    if (this.#step?.done !== true) throw new Error('the program has not ended')
    return this.#step.value
  }

  #answerOf(request: Exclude<ReadRequest, { kind: 'node' | 'size' | 'pause' }>): ReadAnswer {
    switch (request.kind) {
      case 'leaf':
        // No text is stored in chunks here.
        return this.#lookup.leaf(request.path) as Leaf | undefined
      case 'exists':
        return this.#lookup.exists(request.path)
      case 'count':
        return this.#lookup.count(request.path)
      case 'setting':
        return this.#settings.get(request.name)
      default:
        return request satisfies never
    }
  }
}
