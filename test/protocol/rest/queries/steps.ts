import { escaped } from '../data-sets.ts'
import type { Step } from '../interpreter.ts'

export type List = Readonly<Record<string, unknown>>

/** These children of a list as text, in this order; `keys` are parted by spaces. */
export function inOrder(list: List, keys: string): string {
  const members = keys.split(' ').filter((key) => key !== '')
  return `{${members.map((key) => `${JSON.stringify(key)}:${JSON.stringify(list[key])}`).join(',')}}`
}

/** Filters, and the keys of the children they must choose, in order. */
export function choosing(target: string, list: List, rows: Readonly<Record<string, string>>): Step[] {
  return Object.entries(rows).map(([filters, keys]) => ({
    send: `GET ${target}?${escaped(filters)}`,
    text: inOrder(list, keys),
  }))
}

/** Filters, and the text of the answer. */
export function answering(target: string, rows: Readonly<Record<string, string>>): Step[] {
  return Object.entries(rows).map(([filters, text]) => ({ send: `GET ${target}?${escaped(filters)}`, text }))
}
