import type { Steps } from '../../scheduling/steps.ts'
import { etagOf } from './etag.ts'
import { toExport, toExportInSteps } from './export-text.ts'
import { type JsonText, toPlain } from './print.ts'
import { etagOfInSteps, toPlainInSteps } from './print-steps.ts'
import { type AnyText, joined } from './text-pieces.ts'

/** The finished text of an answer, in whatever form is asked for. */
export interface ReadText {
  /** What GET answers. */
  readonly plain: JsonText
  /** What GET with `format=export` answers. */
  readonly export: JsonText
  /** Equal for equal content. */
  readonly etag: string
  /** Length of its text, in UTF-16 code units, about. */
  readonly length: number
  /** Text that it keeps, in UTF-16 code units, about. */
  readonly keptLength: number
  /** As `plain` and `export`, with pauses; a long text is not joined. */
  inSteps(form: 'plain' | 'export'): Steps<AnyText>
  /** As `etag`, with pauses. */
  etagInSteps(): Steps<string>
}

/**
 * The finished text of one existing node. Forms and tag are made once, when first
 * wanted, so that a node served often costs nothing but its bytes.
 */
export class NodeText implements ReadText {
  /** With priorities and arrays: what the engine keeps, equal for equal content. */
  readonly stored: AnyText
  readonly #hasNoPriority: boolean
  #plain: AnyText | undefined
  #etag: string | undefined

  /** @param hasNoPriority whether it is known that there is none, so that nobody needs to look */
  constructor(stored: AnyText, hasNoPriority: boolean = false) {
    this.stored = stored
    this.#hasNoPriority = hasNoPriority
    if (hasNoPriority) this.#plain = stored
  }

  get plain(): JsonText {
    const plain = this.#plain
    if (typeof plain === 'string') return plain
    if (plain !== undefined) return joined(plain)
    const made = toPlain(joined(this.stored))
    this.#plain = made
    return made
  }

  get export(): JsonText {
    return toExport(joined(this.stored))
  }

  get etag(): string {
    this.#etag ??= etagOf(this.stored)
    return this.#etag
  }

  get length(): number {
    return this.stored.length
  }

  /** A text with priorities is kept in two forms. */
  get keptLength(): number {
    return this.stored.length * (this.#hasNoPriority ? 1 : 2)
  }

  *inSteps(form: 'plain' | 'export'): Steps<AnyText> {
    if (form === 'export') return yield* toExportInSteps(this.stored)
    this.#plain ??= yield* toPlainInSteps(this.stored)
    return this.#plain
  }

  *etagInSteps(): Steps<string> {
    this.#etag ??= yield* etagOfInSteps(this.stored)
    return this.#etag
  }
}
