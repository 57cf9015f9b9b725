import { etagOf } from './etag.ts'
import type { ReadText } from './node-text.ts'
import { type JsonText, toExport, toPlain } from './print.ts'

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

  /** @param hasNoPriority whether it is known that there is none, so that nobody needs to look */
  constructor(children: readonly ChildText[], hasNoPriority: boolean) {
    this.children = children
    this.#hasNoPriority = hasNoPriority
  }

  get plain(): JsonText {
    const texts = this.#hasNoPriority ? this.children.map(({ text }) => text) : this.children.map(plainOf)
    if (this.#isArray()) return `[${texts.join(',')}]`
    return this.#object(texts)
  }

  get export(): JsonText {
    return this.#object(this.children.map(({ text }) => toExport(text)))
  }

  get etag(): string {
    return etagOf(this.#object(this.children.map(({ text }) => text)))
  }

  /** The children with their values as parsed JSON. */
  parse(): { readonly key: string; readonly value: unknown }[] {
    return this.children.map(({ key, text }) => ({ key, value: JSON.parse(toPlain(text)) as unknown }))
  }

  /** A hole would be one more than the limit, and another order would be lost. */
  #isArray(): boolean {
    if (this.children[0]?.key !== '0') return false
    return this.children.every(({ key }, index) => key === String(index))
  }

  #object(texts: readonly JsonText[]): JsonText {
    let text = ''
    for (const [index, { key }] of this.children.entries()) {
      text += `${index === 0 ? '' : ','}${JSON.stringify(key)}:${texts[index]}`
    }
    return `{${text}}`
  }
}

function plainOf({ text }: ChildText): JsonText {
  return toPlain(text)
}
