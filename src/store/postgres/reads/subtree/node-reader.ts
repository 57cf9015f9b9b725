import { DholeError } from '../../../../error.ts'
import type { Awaitable } from '../../../../scheduling/awaitable.ts'
import { NodeText } from '../../../../tree/json/node-text.ts'
import { isStringText, print } from '../../../../tree/json/print.ts'
import { type AnyText, TextBuilder } from '../../../../tree/json/text-pieces.ts'
import { keyOf } from '../../../../tree/order.ts'
import type { Path } from '../../../../tree/path.ts'
import { childKeys, isBranch } from '../../../../tree/value.ts'
import { type Budget, spend } from '../../../rows/read-budget.ts'
import { type Interior, isChild } from '../../../rows/slot.ts'
import { shallowText, valueInText } from '../../../rows/value-in-text.ts'
import { locate } from '../location.ts'
import type { Reading } from '../reading.ts'
import { KEYS, SIZE } from '../statements/tree-statements.ts'
import { Subtrees } from './subtrees.ts'

/** Keys of a page, and least text of a key in the answer: `"k":true,`. */
const PAGE_KEYS = 4096
const LEAST_KEY = 9
/** Separates keys in a page; no key contains it. */
const KEY_SEPARATOR = '\u0002'
/** Interior nodes whose children are counted at once. */
const PAGE_COUNTED = 4096

/** Bytes that a text of this many UTF-16 code units may have; `null` when there is no bound. */
export function bytesOf(length: number): number | null {
  return Number.isFinite(length) ? Math.min(Math.max(length, 0) * 3, Number.MAX_SAFE_INTEGER) : null
}

/**
 * Text of a node that was walked to, as `NodeText` has it.
 * @returns prints it
 * @throws `read-too-big` for a text longer than `maxLength`
 */
export async function nodeText(
  reading: Reading,
  path: Path,
  maxLength: number,
): Promise<() => Awaitable<NodeText | undefined>> {
  const location = locate(reading.known, path)
  if (location === undefined) return () => undefined
  const budget = { left: maxLength, hasPriorities: false }
  if (location.kind === 'interior') {
    const { interior } = location
    const subtrees = new Subtrees(reading, budget)
    await subtrees.fetch([interior])
    return async () => {
      const text = await reading.run(printed(subtrees, interior.id))
      return new NodeText(text, !budget.hasPriorities)
    }
  }
  if (location.kind === 'inside') {
    const text = new NodeText(spend(budget, print(location.value, 'stored')), !isBranch(location.value))
    return () => text
  }
  if (location.text === null) throw new DholeError('read-too-big')
  const text = new NodeText(spend(budget, location.text))
  return () => text
}

/** The stored text of an interior node that was fetched. */
export function* printed(subtrees: Subtrees, id: number): Generator<void, AnyText> {
  const into = new TextBuilder()
  yield* subtrees.print(id, into)
  return into.end()
}

/** What a shallow read answers of a node that was walked to. @throws `read-too-big` */
export async function shallowOf(reading: Reading, path: Path, maxLength: number): Promise<AnyText | undefined> {
  const location = locate(reading.known, path)
  if (location === undefined) return undefined
  const budget = { left: maxLength, hasPriorities: false }
  if (location.kind === 'interior') return keysText(keysOf(reading, location.interior, budget), budget)
  if (location.kind === 'inside') return spend(budget, shallowText(location.value))
  const { text } = location
  if (text === null) throw new DholeError('read-too-big')
  return spend(budget, isStringText(text) ? text : shallowText(valueInText(text, []) ?? ''))
}

/** Keys, page by page, as `{"key":true,…}`. @throws `read-too-big` */
export async function keysText(pages: AsyncIterable<readonly string[]>, budget: Budget): Promise<AnyText> {
  const text = new TextBuilder()
  let before = spend(budget, '{')
  for await (const keys of pages) {
    if (keys.length === 0) continue
    // One more for the comma or brace after it.
    text.add(before + spend(budget, keys.map((key) => `${JSON.stringify(keyOf(key))}:true`).join(','), 1))
    before = ','
  }
  text.add(before === ',' ? '}' : '{}')
  return text.end()
}

async function* keysOf(reading: Reading, { id }: Interior, budget: Budget): AsyncGenerator<readonly string[]> {
  for (let after = ''; ; ) {
    const most = Math.min(PAGE_KEYS, Math.max(2, Math.ceil(budget.left / LEAST_KEY) + 2))
    const [page] = await reading.page<{ rows: number; last: string | null; keys: string | null }>(KEYS, [
      reading.tree,
      id,
      after,
      most,
    ])
    if (page === undefined || page.last === null || page.keys === null) return
    yield page.keys.split(KEY_SEPARATOR).filter(isChild)
    if (page.rows < most) return
    after = page.last
  }
}

/** Number of children of a node that was walked to. */
export function countOf(reading: Reading, path: Path): number {
  const location = locate(reading.known, path)
  if (location === undefined) return 0
  if (location.kind === 'interior') return location.interior.childCount
  if (location.kind === 'inside') return childKeys(location.value).length
  const { text } = location
  return text === null || isStringText(text) ? 0 : childKeys(valueInText(text, []) ?? '').length
}

/** Approximate number of rows at and below a node that was walked to. */
export async function sizeOf(reading: Reading, path: Path): Promise<number> {
  const location = locate(reading.known, path)
  if (location === undefined) return 0
  if (location.kind !== 'interior') return 1
  let rows = 1
  for (let after = 0; ; ) {
    const [page] = await reading.page<{ count: number; last: number | null; rows: number }>(SIZE, [
      reading.tree,
      location.interior.id,
      after,
      PAGE_COUNTED,
    ])
    rows += page?.rows ?? 0
    if (page === undefined || page.last === null || page.count < PAGE_COUNTED) return rows
    after = page.last
  }
}
