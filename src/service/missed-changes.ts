import type { NumberedChange } from '../hub/topic.ts'
import type { LoggedChange, Position, TreeStore } from '../store/store.ts'
import { endsInPriority, type Path } from '../tree/path.ts'
import { parseStored } from '../tree/print.ts'
import type { Priority } from '../tree/priority.ts'
import type { Value } from '../tree/value.ts'
import type { Write } from '../tree/write.ts'

/** Entries of the log read at a time. */
const PAGE = 256

/**
 * Every change after a position.
 * @returns `undefined` when the log does not reach back that far, or leaves out something too large
 */
export async function missedChanges(store: TreeStore, from: Position): Promise<NumberedChange[] | undefined> {
  const missed: NumberedChange[] = []
  for (let after = from; ; ) {
    const page = await store.changesAfter(after, PAGE)
    if (page === undefined) return undefined
    for (const logged of page) {
      const change = changeOf(logged)
      if (change === undefined) return undefined
      missed.push(change)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return missed
    after = { epoch: from.epoch, seq: last.seq }
  }
}

function changeOf({ seq, kind, path, data }: LoggedChange): NumberedChange | undefined {
  if (data === undefined) return undefined
  if (kind === 'put') return { seq, kind, path, writes: [writeOf(path, parse(data))] }
  const members = Object.entries(JSON.parse(data) as Readonly<Record<string, unknown>>)
  const writes = members.map(([key, json]) => writeOf([...path, ...key.split('/')], parse(JSON.stringify(json))))
  return { seq, kind, path, writes }
}

function parse(text: string): Value | undefined {
  return text === 'null' ? undefined : parseStored(text)
}

function writeOf(path: Path, value: Value | undefined): Write {
  if (!endsInPriority(path)) return { kind: 'value', path, value }
  return { kind: 'priority', path: path.slice(0, -1), priority: value as Priority | undefined }
}
