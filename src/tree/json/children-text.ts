import { atOnce, drain, type Steps } from '../../scheduling/steps.ts'
import { etagOf } from './etag.ts'
import { toExport, toExportInSteps } from './export-text.ts'
import type { ReadText } from './node-text.ts'
import { type JsonText, printKey, toPlain } from './print.ts'
import { etagOfInSteps, toPlainInSteps } from './print-steps.ts'
import { type AnyText, joined, TextBuilder } from './text-pieces.ts'

/** Children printed between two pauses. */
const STEP_CHILDREN = 64
/** Memory of a child beside its text, in UTF-16 code units. */
const CHILD_OVERHEAD = 40

/** One child of an answer. */
export interface ChildText {
  readonly key: string
  /** Its stored text. */
  readonly text: AnyText
}

/**
 * The text of selected children of a node. The members of an object are in the order of the selection, whatever their
 * keys.
 * @see docs/reference/protocol.md#answers
 */
export class ChildrenText implements ReadText {
  readonly children: readonly ChildText[]
  readonly #hasNoPriority: boolean
  #isArray: boolean | undefined
  #length: number | undefined
  #plain: AnyText | undefined

  /** @param hasNoPriority whether the texts are known to have no priority, which saves a search */
  constructor(children: readonly ChildText[], hasNoPriority: boolean) {
    this.children = children
    this.#hasNoPriority = hasNoPriority
  }

  get plain(): JsonText {
    // Nearly all answers show by their first key that they are no array.
    this.#isArray ??= this.children[0]?.key === '0' && drain(areElementsInSteps(this.children))
    this.#plain ??= this.#print(this.#hasNoPriority ? asStored : toPlain, this.#isArray)
    return joined(this.#plain)
  }

  get export(): JsonText {
    return this.#print(toExport, false)
  }

  get etag(): string {
    return etagOf(this.#print(asStored, false))
  }

  get length(): number {
    this.#length ??= 2 + membersLength(this.children, 0, this.children.length)
    return this.#length
  }

  /** The texts of the children, and the text of the whole. */
  get keptLength(): number {
    return 2 * this.length + CHILD_OVERHEAD * this.children.length
  }

  /** Prints the plain text in steps. */
  *prepare(): Steps<AnyText> {
    this.#length ??= yield* lengthInSteps(this.children)
    this.#isArray ??= yield* areElementsInSteps(this.children)
    this.#plain ??= yield* this.#inSteps(this.#hasNoPriority ? asStored : toPlain, this.#isArray)
    return this.#plain
  }

  *inSteps(form: 'plain' | 'export'): Steps<AnyText> {
    return form === 'export' ? yield* this.#inSteps(toExport, false) : yield* this.prepare()
  }

  *etagInSteps(): Steps<string> {
    return yield* etagOfInSteps(yield* this.#inSteps(asStored, false))
  }

  /** The children with their values as parsed JSON. */
  parse(): { readonly key: string; readonly value: unknown }[] {
    return this.children.map(({ key, text }) => ({ key, value: JSON.parse(toPlain(joined(text))) as unknown }))
  }

  *#inSteps(form: ChildForm, isArray: boolean): Steps<AnyText> {
    const builder = new TextBuilder()
    builder.add(isArray ? '[' : '{')
    for (const [index, { key, text }] of this.children.entries()) {
      const comma = index === 0 ? '' : ','
      const before = isArray ? comma : `${comma}${printKey(key)}:`
      if (typeof text === 'string') builder.add(before + form(text))
      else {
        builder.add(before)
        builder.addAll(yield* longInSteps(text, form))
      }
      if (index % STEP_CHILDREN === STEP_CHILDREN - 1) yield
    }
    builder.add(isArray ? ']' : '}')
    return builder.end()
  }

  #print(form: ChildForm, isArray: boolean): JsonText {
    if (isArray) return `[${this.children.map(({ text }) => form(joined(text))).join(',')}]`
    return `{${this.children.map(({ key, text }) => `${printKey(key)}:${form(joined(text))}`).join(',')}}`
  }
}

/** Conversion of the stored text of each child. */
type ChildForm = typeof asStored | typeof toPlain | typeof toExport

function longInSteps(text: AnyText, form: ChildForm): Steps<AnyText> {
  if (form === toPlain) return toPlainInSteps(text)
  return form === toExport ? toExportInSteps(text) : atOnce(() => text)
}

function asStored(text: JsonText): JsonText {
  return text
}

/** Children processed between two pauses. */
const STEP_LOOKED_AT = 4096

function* lengthInSteps(children: readonly ChildText[]): Steps<number> {
  let length = 2
  for (let start = 0; start < children.length; start += STEP_LOOKED_AT) {
    if (start > 0) yield
    length += membersLength(children, start, Math.min(start + STEP_LOOKED_AT, children.length))
  }
  return length
}

/** Length of the members of a range of children, with a comma between two members. */
function membersLength(children: readonly ChildText[], start: number, end: number): number {
  let length = 0
  for (let index = start; index < end; index++) {
    const child = children[index]
    if (child !== undefined) length += child.key.length + child.text.length + (index === 0 ? 3 : 4)
  }
  return length
}

/** Whether the children form an array: without holes, which would exceed the limit, and in the order of their indexes. */
function* areElementsInSteps(children: readonly ChildText[]): Steps<boolean> {
  for (const [index, { key }] of children.entries()) {
    if (key !== String(index)) return false
    if (index % STEP_LOOKED_AT === STEP_LOOKED_AT - 1) yield
  }
  return children.length > 0
}
