import type { Steps } from '../../scheduling/steps.ts'
import { etagOf } from './etag.ts'
import { toExport, toExportInSteps } from './export-text.ts'
import { type JsonText, toPlain } from './print.ts'
import { etagOfInSteps, toPlainInSteps } from './print-steps.ts'
import { type AnyText, joined } from './text-pieces.ts'

/** The text of an answer, in each form that a request may choose. */
export interface ReadText {
  /** Text that GET answers. */
  readonly plain: JsonText
  /** Text that GET with `format=export` answers. */
  readonly export: JsonText
  /** Equal for equal content. */
  readonly etag: string
  /** Approximate length of the text, in UTF-16 code units. */
  readonly length: number
  /** Approximate length of all text that the object holds, in UTF-16 code units. */
  readonly keptLength: number
  /** As `plain` and `export`, with pauses; a long text is not joined. */
  inSteps(form: 'plain' | 'export'): Steps<AnyText>
  /** As `etag`, with pauses. */
  etagInSteps(): Steps<string>
}

/**
 * The text of an existing node. Each form and the tag are computed once, when first used, so that further answers cost
 * only their bytes.
 */
export class NodeText implements ReadText {
  readonly #hasNoPriority: boolean
  #stored: AnyText
  #plain: AnyText | undefined
  #etag: string | undefined

  /** @param hasNoPriority whether the text is known to have no priority, which saves a search */
  constructor(stored: AnyText, hasNoPriority: boolean = false) {
    this.#stored = stored
    this.#hasNoPriority = hasNoPriority
    if (hasNoPriority) this.#plain = stored
  }

  /** Stored text, with priorities and arrays; equal for equal content. */
  get stored(): AnyText {
    return this.#stored
  }

  get plain(): JsonText {
    const plain = this.#plain ?? toPlain(joined(this.#stored))
    if (typeof plain === 'string') {
      this.#plain = plain
      return plain
    }
    const text = joined(plain)
    this.#plain = text
    if (this.#hasNoPriority) this.#stored = text
    return text
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

  /** A text with priorities is held in two forms. */
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
