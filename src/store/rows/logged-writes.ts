import type { Change } from '../../tree/change.ts'
import { parseStored } from '../../tree/json/print.ts'
import { endsInPriority, type Path } from '../../tree/path.ts'
import type { Priority } from '../../tree/priority.ts'
import type { Value } from '../../tree/value.ts'
import type { Write } from '../../tree/write.ts'
import type { LoggedChange } from '../store.ts'

/** A change with its number. */
interface NumberedChange extends Change {
  readonly seq: number
}

/** The change of an entry of the log; `undefined` when its data was too long to store. */
export function changeOf({ seq, kind, path, data }: LoggedChange): NumberedChange | undefined {
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
