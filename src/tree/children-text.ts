import { etagOf } from './etag.ts'
import type { ReadText } from './node-text.ts'
import { type JsonText, printKey, toExport, toPlain } from './print.ts'
import { etagOfInSteps } from './print-steps.ts'
import type { Steps } from './steps.ts'

/** Children printed between two pauses. */
const STEP_CHILDREN = 64

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
    this.#plain ??= this.#plainText()
    return this.#plain
  }

  get export(): JsonText {
    return `{${printMembers(this.children, toExport)}}`
  }

  get etag(): string {
    return etagOf(`{${printMembers(this.children, asStored)}}`)
  }

  get length(): number {
    let length = 2
    for (const { key, text } of this.children) length += key.length + text.length + 4
    return length
  }

  /** Makes the plain text a bounded number of children at a time. */
  *prepare(): Steps<void> {
    this.#plain ??= yield* this.#inSteps(this.#hasNoPriority ? asStored : toPlain, this.#isArray)
  }

  *inSteps(form: 'plain' | 'export'): Steps<JsonText> {
    if (form === 'export') return yield* this.#inSteps(toExport, false)
    yield* this.prepare()
    return this.plain
  }

  *etagInSteps(): Steps<string> {
    return yield* etagOfInSteps(yield* this.#inSteps(asStored, false))
  }

  /** The children with their values as parsed JSON. */
  parse(): { readonly key: string; readonly value: unknown }[] {
    return this.children.map(({ key, text }) => ({ key, value: JSON.parse(toPlain(text)) as unknown }))
  }

  *#inSteps(form: (text: JsonText) => JsonText, isArray: boolean): Steps<JsonText> {
    const pieces: string[] = []
    for (const { key, text } of this.children) {
      pieces.push(isArray ? form(text) : `${printKey(key)}:${form(text)}`)
      if (pieces.length % STEP_CHILDREN === 0) yield
    }
    return isArray ? `[${pieces.join(',')}]` : `{${pieces.join(',')}}`
  }

  #plainText(): JsonText {
    const form = this.#hasNoPriority ? asStored : toPlain
    return this.#isArray
      ? `[${this.children.map(({ text }) => form(text)).join(',')}]`
      : `{${printMembers(this.children, form)}}`
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
