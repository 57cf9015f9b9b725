import type { MovedMark } from '../../rows/copy/copy-ends.ts'
import { Client } from '../file/client.ts'
import type { Connection } from '../file/connection.ts'
import { readMeta, writeMeta } from './meta.ts'

/** Where a tree was moved; `undefined` while it is here. */
export function readMoved(connection: Connection): MovedMark | undefined {
  const to = readMeta(connection, 'moved_to')
  return to === undefined ? undefined : { to, copy: readMeta(connection, 'copy') ?? '' }
}

/** Marks a tree as moved: no version that knows the mark opens it any more. */
export function writeMoved(connection: Connection, { to, copy }: MovedMark): void {
  writeMeta(connection, 'moved_to', to)
  writeCopy(connection, copy)
}

/** Records the copy that has made or moved a tree. @param copy random text of it */
export function writeCopy(connection: Connection, copy: string): void {
  writeMeta(connection, 'copy', copy)
}

/** Where the tree of a file was moved; `undefined` when it was not, or it cannot be read. */
export function movedIn(file: string): MovedMark | undefined {
  const meta = metaIn(file)
  const to = meta?.get('moved_to')
  return to === undefined ? undefined : { to, copy: meta?.get('copy') ?? '' }
}

/** The copy that has made a file, of which anything may be there; `undefined` when it cannot be read. */
export function copyIn(file: string): string | undefined {
  return metaIn(file)?.get('copy')
}

/** Texts of `meta` in a file that is not open here. */
function metaIn(file: string): ReadonlyMap<string, string> | undefined {
  try {
    const client = new Client(file, { readonly: true })
    try {
      const rows = client.prepare<{ name: string; value: string }, []>('SELECT name, value FROM meta').all()
      return new Map(rows.map(({ name, value }) => [name, value]))
    } finally {
      client.close()
    }
  } catch {
    return undefined
  }
}
