import type { Steps } from '../../scheduling/steps.ts'
import { etagOf } from './etag.ts'
import { type JsonText, toExport, toExportInSteps, toPlain } from './print.ts'
import { etagOfInSteps, toPlainInSteps } from './print-steps.ts'

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
  /** As `plain` and `export`, with pauses. */
  inSteps(form: 'plain' | 'export'): Steps<JsonText>
  /** As `etag`, with pauses. */
  etagInSteps(): Steps<string>
}

/**
 * The finished text of one existing node. Forms and tag are made once, when first
 * wanted, so that a node served often costs nothing but its bytes.
 */
export class NodeText implements ReadText {
  /** With priorities and arrays: what the engine keeps, equal for equal content. */
  readonly stored: JsonText
  #plain: JsonText | undefined
  #etag: string | undefined

  /** @param hasNoPriority whether it is known that there is none, so that nobody needs to look */
  constructor(stored: JsonText, hasNoPriority: boolean = false) {
    this.stored = stored
    if (hasNoPriority) this.#plain = stored
  }

  get plain(): JsonText {
    this.#plain ??= toPlain(this.stored)
    return this.#plain
  }

  get export(): JsonText {
    return toExport(this.stored)
  }

  get etag(): string {
    this.#etag ??= etagOf(this.stored)
    return this.#etag
  }

  get length(): number {
    return this.stored.length
  }

  *inSteps(form: 'plain' | 'export'): Steps<JsonText> {
    if (form === 'export') return yield* toExportInSteps(this.stored)
    this.#plain ??= yield* toPlainInSteps(this.stored)
    return this.#plain
  }

  *etagInSteps(): Steps<string> {
    this.#etag ??= yield* etagOfInSteps(this.stored)
    return this.#etag
  }
}
