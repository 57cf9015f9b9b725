import type { Awaitable } from '../scheduling/awaitable.ts'
import { drain, type Steps } from '../scheduling/steps.ts'
import { inTurns } from '../scheduling/turns.ts'
import type { Change, NodeTags } from '../tree/change.ts'
import { NULL_ETAG } from '../tree/json/etag.ts'
import { toExport, toExportInSteps } from '../tree/json/export-text.ts'
import type { ReadText } from '../tree/json/node-text.ts'
import { tagAfter, textAfter } from '../tree/json/prepared-text.ts'
import { toPlain } from '../tree/json/print.ts'
import { toPlainInSteps } from '../tree/json/print-steps.ts'
import { type AnyText, TextBuilder } from '../tree/json/text-pieces.ts'
import { PRIORITY } from '../tree/key.ts'
import { covers, formatPath, type Path } from '../tree/path.ts'
import type { Write } from '../tree/write.ts'
import { type ConcernedWrites, concerningInSteps, writesConcerning } from '../tree/writes-by-path.ts'

/** Length from which data is printed in several turns of the event loop, in UTF-16 code units. */
const LONG_DATA = 128 * 1024

/** Members of a patch printed between two pauses, and the length of their text in UTF-16 code units. */
const STEP_MEMBERS = 128
const STEP_LENGTH = 64 * 1024

/** Form of the data: `export` includes priorities. */
export type Form = 'plain' | 'export'

/**
 * Replaces the data at a path (`put`), or at each member of the data below that path (`patch`). A `mark` has no data: every
 * event of commits up to its own was delivered before it. Only listeners that ask for marks get them.
 */
export interface StreamEvent {
  readonly kind: 'put' | 'patch' | 'mark'
  /** Relative to the subscribed node: `/`, `/a/b`. */
  readonly path: string
  readonly data: AnyText
}

/** The data of a node in a form. Long data is printed in several turns of the event loop. */
export function dataOf(value: ReadText | undefined, form: Form): Awaitable<AnyText> {
  if (value === undefined) return 'null'
  if (value.length > LONG_DATA) return inTurns(value.inSteps(form))
  return form === 'plain' ? value.plain : value.export
}

/** The stored text of a child in a form; `undefined` prints as `null`. */
export function* childText(text: AnyText | undefined, form: Form): Steps<AnyText> {
  if (text === undefined) return 'null'
  if (typeof text === 'string') return form === 'plain' ? toPlain(text) : toExport(text)
  return form === 'plain' ? yield* toPlainInSteps(text) : yield* toExportInSteps(text)
}

/**
 * The event of a change for the subscribers of a node.
 * @returns `undefined` if the change does not concern the node
 * @see docs/reference/protocol.md#events
 */
export function eventAt(change: Change, path: Path, form: Form): StreamEvent | undefined {
  return covers(path, change.path) ? eventBelow(change, path, form) : eventAbove(change, path, form)
}

/** As `eventAt`, with pauses. */
export function* eventInSteps(change: Change, path: Path, form: Form): Steps<StreamEvent | undefined> {
  if (!covers(path, change.path)) {
    const concerned = yield* concerningInSteps(change.writes, path)
    if (concerned.around !== undefined) return eventAround(change, concerned.around, path, form)
    return yield* patchInSteps(concerned.below, path.length, '/', form)
  }
  if (change.kind === 'put') return eventBelow(change, path, form)
  return yield* patchInSteps(change.writes, change.path.length, formatPath(change.path.slice(path.length)), form)
}

/** Whether a change above a node concerns it, priorities included. */
export function* concerns(change: Change, path: Path): Steps<boolean> {
  return isConcerned(change, path, yield* concerningInSteps(change.writes, path))
}

/** As `concerns`, at once. */
export function concernsNow(change: Change, path: Path): boolean {
  return isConcerned(change, path, writesConcerning(change.writes, path))
}

function isConcerned(change: Change, path: Path, { around, below }: ConcernedWrites): boolean {
  return around === undefined ? below.length > 0 : eventAround(change, around, path, 'export') !== undefined
}

/** The event of a change at or below the node. */
function eventBelow({ kind, path: at, writes }: Change, path: Path, form: Form): StreamEvent | undefined {
  if (kind === 'patch') return drain(patchInSteps(writes, at.length, formatPath(at.slice(path.length)), form))
  const write = writes[0]
  if (write === undefined || !isSeen(write, form)) return undefined
  return { kind: 'put', path: formatPath(relativePath(write, path.length)), data: writtenText(write, form) }
}

/** The event of a change above the node, which writes the whole node or some nodes below it. */
function eventAbove(change: Change, path: Path, form: Form): StreamEvent | undefined {
  const { around, below } = writesConcerning(change.writes, path)
  if (around === undefined) return drain(patchInSteps(below, path.length, '/', form))
  return eventAround(change, around, path, form)
}

/** The event of a write of the whole node. @param around write of a value at or above the node */
function eventAround(change: Change, around: Write, path: Path, form: Form): StreamEvent | undefined {
  const below = path.slice(around.path.length)
  const text = textAfter(around, below, form)
  if (isSame(change.before?.get(formatPath(path)), around, below, form, text)) return undefined
  return { kind: 'put', path: '/', data: text ?? 'null' }
}

/** Whether a write leaves the node as it was. @param text of the node after the write */
function isSame(
  before: NodeTags | undefined,
  write: Write,
  below: Path,
  form: Form,
  text: AnyText | undefined,
): boolean {
  if (before === undefined) return false
  if (text === undefined) return before.stored === NULL_ETAG
  return form === 'plain'
    ? before.plain === tagAfter(write, below, 'plain', text)
    : before.stored === tagAfter(write, below, 'stored')
}

/** @param depth number of keys that the paths of the members omit */
function* patchInSteps(
  writes: readonly Write[],
  depth: number,
  path: string,
  form: Form,
): Steps<StreamEvent | undefined> {
  const data = new TextBuilder()
  let seen = 0
  let length = 0
  for (const write of writes) {
    if (!isSeen(write, form)) continue
    data.add(`${seen === 0 ? '{' : ','}${JSON.stringify(relativePath(write, depth).join('/'))}:`)
    const text = writtenText(write, form)
    data.addAll(text)
    length += text.length
    if (++seen % STEP_MEMBERS !== 0 && length < STEP_LENGTH) continue
    length = 0
    yield
  }
  if (seen === 0) return undefined
  data.add('}')
  return { kind: 'patch', path, data: data.end() }
}

/** Path of a write without its first keys. */
function relativePath({ kind, path }: Write, depth: number): Path {
  const below = path.slice(depth)
  return kind === 'priority' ? [...below, PRIORITY] : below
}

function isSeen(write: Write, form: Form): boolean {
  return write.kind === 'value' || form === 'export'
}

function writtenText(write: Write, form: Form): AnyText {
  return textAfter(write, [], form) ?? 'null'
}
