import type { Awaitable } from '../scheduling/awaitable.ts'
import { inTurns } from '../scheduling/turns.ts'
import type { Change, NodeTags } from '../tree/change.ts'
import { NULL_ETAG } from '../tree/json/etag.ts'
import type { ReadText } from '../tree/json/node-text.ts'
import { tagAfter, textAfter } from '../tree/json/prepared-text.ts'
import { type AnyText, TextBuilder } from '../tree/json/text-pieces.ts'
import { PRIORITY } from '../tree/key.ts'
import { covers, formatPath, type Path } from '../tree/path.ts'
import type { Write } from '../tree/write.ts'

/** Data that is made with pauses, in UTF-16 code units. */
const LONG_DATA = 128 * 1024

/** Whether a listener sees priorities. */
export type Form = 'plain' | 'export'

/** What a listener is told: replace what it has at a path, or each member of the data below that path. */
export interface StreamEvent {
  readonly kind: 'put' | 'patch'
  /** Relative to the node listened to: `/`, `/a/b`. */
  readonly path: string
  readonly data: AnyText
}

/** What stands somewhere, in the form that listeners want. What is long is made in several turns. */
export function dataOf(value: ReadText | undefined, form: Form): Awaitable<AnyText> {
  if (value === undefined) return 'null'
  if (value.length > LONG_DATA) return inTurns(value.inSteps(form))
  return form === 'plain' ? value.plain : value.export
}

/**
 * What a change is to whoever listens to the node at `path`.
 * @returns `undefined` when it does not concern them
 * @see docs/reference/protocol.md#events
 */
export function eventAt(change: Change, path: Path, form: Form): StreamEvent | undefined {
  return covers(path, change.path) ? eventBelow(change, path, form) : eventAbove(change, path, form)
}

/** The change is at or below the node. */
function eventBelow({ kind, path: at, writes }: Change, path: Path, form: Form): StreamEvent | undefined {
  if (kind === 'patch') return patchOf(writes, at.length, formatPath(at.slice(path.length)), form)
  const write = writes[0]
  if (write === undefined || !isSeen(write, form)) return undefined
  return { kind: 'put', path: formatPath(placeOf(write, path.length)), data: writtenText(write, form) }
}

/** The change is above the node: it is written as part of something larger, or some places of it are. */
function eventAbove(change: Change, path: Path, form: Form): StreamEvent | undefined {
  const around = change.writes.find((write) => write.kind === 'value' && covers(write.path, path))
  if (around === undefined) {
    const below = change.writes.filter((write) => covers(path, write.path))
    return patchOf(below, path.length, '/', form)
  }
  const below = path.slice(around.path.length)
  const text = textAfter(around, below, form)
  if (isSame(change.before?.get(formatPath(path)), around, below, form, text)) return undefined
  return { kind: 'put', path: '/', data: text ?? 'null' }
}

/** @param text what the write brings to the place */
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

/** @param depth number of keys that the members' paths leave out */
function patchOf(writes: readonly Write[], depth: number, path: string, form: Form): StreamEvent | undefined {
  const seen = writes.filter((write) => isSeen(write, form))
  if (seen.length === 0) return undefined
  const data = new TextBuilder()
  for (const [index, write] of seen.entries()) {
    data.add(`${index === 0 ? '{' : ','}${JSON.stringify(placeOf(write, depth).join('/'))}:`)
    data.addAll(writtenText(write, form))
  }
  data.add('}')
  return { kind: 'patch', path, data: data.end() }
}

/** Where a write goes, without the first keys of its path. */
function placeOf({ kind, path }: Write, depth: number): Path {
  const below = path.slice(depth)
  return kind === 'priority' ? [...below, PRIORITY] : below
}

function isSeen(write: Write, form: Form): boolean {
  return write.kind === 'value' || form === 'export'
}

function writtenText(write: Write, form: Form): AnyText {
  return textAfter(write, [], form) ?? 'null'
}
