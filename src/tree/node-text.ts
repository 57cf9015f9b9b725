import { etagOf } from './etag.ts'
import { type JsonText, toExport, toPlain } from './print.ts'

/**
 * The finished text of one existing node, in whatever form is asked for. Forms and tag are made once, when first
 * wanted, so that a node served often costs nothing but its bytes.
 */
export class NodeText {
  /** With priorities and arrays: what the engine keeps, equal for equal content. */
  readonly stored: JsonText
  #plain: JsonText | undefined
  #etag: string | undefined

  /** @param hasNoPriority whether it is known that there is none, so that nobody needs to look */
  constructor(stored: JsonText, hasNoPriority: boolean = false) {
    this.stored = stored
    if (hasNoPriority) this.#plain = stored
  }

  /** What GET answers. */
  get plain(): JsonText {
    this.#plain ??= toPlain(this.stored)
    return this.#plain
  }

  /** What GET with `format=export` answers. */
  get export(): JsonText {
    return toExport(this.stored)
  }

  get etag(): string {
    this.#etag ??= etagOf(this.stored)
    return this.#etag
  }
}
