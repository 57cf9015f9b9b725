import type { Steps } from '../scheduling/steps.ts'
import { type AnyText, TextBuilder } from '../tree/json/text-pieces.ts'
import { covers, formatPath, type Path } from '../tree/path.ts'
import type { Write } from '../tree/write.ts'
import { concerningInSteps } from '../tree/writes-by-path.ts'
import { childText, eventInSteps, type Form, type StreamEvent } from './event.ts'
import type { NumberedChange } from './topic.ts'

/** Writes looked at between two pauses. */
const STEP_WRITES = 256

/** Keys of one set: a larger one would take long to grow. */
const MOST_IN_SET = 16_384

/** Keys of written children, in the order of the writes. */
export class TouchedKeys {
  readonly #sets = [new Set<string>()]

  get size(): number {
    return this.#sets.reduce((size, set) => size + set.size, 0)
  }

  has(key: string): boolean {
    return this.#sets.some((set) => set.has(key))
  }

  add(key: string): void {
    if (this.has(key)) return
    const last = this.#sets.at(-1)
    if (last !== undefined && last.size < MOST_IN_SET) last.add(key)
    else this.#sets.push(new Set([key]))
  }

  *[Symbol.iterator](): Generator<string> {
    for (const set of this.#sets) yield* set
  }
}

/** Keys of the children of a list that changes write to; `undefined` if one writes the list itself or a node above it. */
export function* touchedKeys(changes: readonly NumberedChange[], list: Path): Steps<TouchedKeys | undefined> {
  const keys = new TouchedKeys()
  let looked = 0
  for (const change of changes) {
    for (const { kind, path } of yield* writesNear(change, list)) {
      const key = path[list.length]
      if (key !== undefined && covers(list, path)) keys.add(key)
      else if (kind === 'value' && covers(path, list)) return undefined
      if (++looked % STEP_WRITES === 0) yield
    }
  }
  return keys
}

/** The writes that may concern a list. Thousands of lists may be written by one change. */
function* writesNear({ path, writes }: NumberedChange, list: Path): Steps<readonly Write[]> {
  if (writes.length === 1 || covers(list, path)) return writes
  const { around, below } = yield* concerningInSteps(writes, list)
  return around === undefined ? below : [around]
}

/** A child with its text; without one if it is no longer shown. */
export type AffectedChild = readonly [key: string, text: AnyText | undefined]

/** The list of children that a query shows. */
interface ShownList {
  readonly path: Path
  readonly form: Form
  /** Whether the child is shown before the event. */
  has(key: string): boolean
}

/** The event of changes for the subscribers of a query. @param affected children that appear, change or go */
export function* eventOfChildren(
  changes: readonly NumberedChange[],
  affected: readonly AffectedChild[],
  { path, form, has }: ShownList,
): Steps<StreamEvent | undefined> {
  const [only, more] = affected
  if (only === undefined) return undefined
  if (more !== undefined) {
    const data = new TextBuilder()
    let before = '{'
    for (const [key, text] of affected) {
      data.add(`${before}${JSON.stringify(key)}:`)
      before = ','
      data.addAll(yield* childText(text, form))
      yield
    }
    data.add('}')
    return { kind: 'patch', path: '/', data: data.end() }
  }
  const [key, text] = only
  const within = text !== undefined && has(key) ? yield* changeWithinChild(changes, path) : undefined
  // Subscribers that have the child need only its difference.
  if (within !== undefined) return yield* eventInSteps(within, path, form)
  return { kind: 'put', path: formatPath([key]), data: yield* childText(text, form) }
}

/** A single change that writes within one child, reduced to that child; `undefined` for all others. */
function* changeWithinChild(
  [change, another]: readonly NumberedChange[],
  list: Path,
): Steps<NumberedChange | undefined> {
  if (change === undefined || another !== undefined || change.isUnknown === true) return undefined
  if ((yield* touchedKeys([change], list))?.size !== 1) return undefined
  const { below } = yield* concerningInSteps(change.writes, list)
  const writes = below.filter(({ path }) => path.length > list.length)
  const replaces = writes.some(({ kind, path }) => kind === 'value' && path.length === list.length + 1)
  return replaces ? undefined : { ...change, writes }
}
