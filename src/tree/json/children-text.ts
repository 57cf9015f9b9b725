import { drain, type Steps } from '../../scheduling/steps.ts'
import { etagOf } from './etag.ts'
import type { ReadText } from './node-text.ts'
import { type JsonText, printKey, toExport, toPlain } from './print.ts'
import { etagOfInSteps } from './print-steps.ts'

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
 * @see docs/reference/protocol.md#answers
 */
export class ChildrenText implements ReadText {
  readonly children: readonly ChildText[]
  readonly #hasNoPriority: boolean
  #isArray: boolean | undefined
  #length: number | undefined
  #plain: JsonText | undefined

  /** @param hasNoPriority whether it is known that there is none, so that nobody needs to look */
  constructor(children: readonly ChildText[], hasNoPriority: boolean) {
    this.children = children
    this.#hasNoPriority = hasNoPriority
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
    this.#length ??= drain(lengthInSteps(this.children))
    return this.#length
  }

  /** Makes the plain text a bounded number of children at a time. */
  *prepare(): Steps<void> {
    this.#length ??= yield* lengthInSteps(this.children)
    this.#isArray ??= yield* areElementsInSteps(this.children)
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
    for (let first = 0; first < this.children.length; first += STEP_CHILDREN) {
      const members = this.children
        .slice(first, first + STEP_CHILDREN)
        .map(({ key, text }) => (isArray ? form(text) : `${printKey(key)}:${form(text)}`))
      pieces.push(members.join(','))
      yield
    }
    return isArray ? `[${pieces.join(',')}]` : `{${pieces.join(',')}}`
  }

  #plainText(): JsonText {
    const form = this.#hasNoPriority ? asStored : toPlain
    this.#isArray ??= drain(areElementsInSteps(this.children))
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

/** Children looked at between two pauses. */
const STEP_LOOKED_AT = 4096

function* lengthInSteps(children: readonly ChildText[]): Steps<number> {
  let length = 2
  for (const [index, { key, text }] of children.entries()) {
    length += key.length + text.length + 4
    if (index % STEP_LOOKED_AT === STEP_LOOKED_AT - 1) yield
  }
  return length
}

/** A hole would be one more than the limit, and another order would be lost. */
function* areElementsInSteps(children: readonly ChildText[]): Steps<boolean> {
  for (const [index, { key }] of children.entries()) {
    if (key !== String(index)) return false
    if (index % STEP_LOOKED_AT === STEP_LOOKED_AT - 1) yield
  }
  return children.length > 0
}
