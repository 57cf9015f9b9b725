import { etagOf } from './etag.ts'
import type { ReadText } from './node-text.ts'
import { type JsonText, printKey, toExport, toPlain } from './print.ts'

/** One child of an answer. */
export interface ChildText {
  readonly key: string
  /** Its stored text. */
  readonly text: JsonText
}

/**
 * The finished text of chosen children of a node, in the order they were chosen in: an object's members stand in that
 * order, whatever their keys.
 * @see docs/protocol.md#answers
 */
export class ChildrenText implements ReadText {
  readonly children: readonly ChildText[]
  readonly #hasNoPriority: boolean
  readonly #isArray: boolean
  #plain: JsonText | undefined

  /** @param hasNoPriority whether it is known that there is none, so that nobody needs to look */
  constructor(children: readonly ChildText[], hasNoPriority: boolean) {
    this.children = children
    this.#hasNoPriority = hasNoPriority
    this.#isArray = areElements(children)
  }

  get plain(): JsonText {
    this.#plain ??= this.#join([this.#plainMembers(this.children)])
    return this.#plain
  }

  get export(): JsonText {
    return `{${printMembers(this.children, toExport)}}`
  }

  get etag(): string {
    return etagOf(`{${printMembers(this.children, asStored)}}`)
  }

  /** Makes the plain text a bounded number of children at a time. */
  *prepare(step: number): Generator<void> {
    const pieces: string[] = []
    for (let first = 0; first < this.children.length; first += step) {
      pieces.push(this.#plainMembers(this.children.slice(first, first + step)))
      yield
    }
    this.#plain = this.#join(pieces)
  }

  /** The children with their values as parsed JSON. */
  parse(): { readonly key: string; readonly value: unknown }[] {
    return this.children.map(({ key, text }) => ({ key, value: JSON.parse(toPlain(text)) as unknown }))
  }

  #plainMembers(children: readonly ChildText[]): string {
    const form = this.#hasNoPriority ? asStored : toPlain
    return this.#isArray ? children.map(({ text }) => form(text)).join(',') : printMembers(children, form)
  }

  #join(pieces: readonly string[]): JsonText {
    const members = pieces.length === 1 ? pieces[0] : pieces.join(',')
    return this.#isArray ? `[${members}]` : `{${members}}`
  }
}

function printMembers(children: readonly ChildText[], form: (text: JsonText) => JsonText): string {
  return children.map(({ key, text }) => `${printKey(key)}:${form(text)}`).join(',')
}

function asStored(text: JsonText): JsonText {
  return text
}

/** A hole would be one more than the limit, and another order would be lost. */
function areElements(children: readonly ChildText[]): boolean {
  return children[0]?.key === '0' && children.every(({ key }, index) => key === String(index))
}
