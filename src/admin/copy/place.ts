import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isApplicationId } from '../../applications/application-id.ts'
import { treeFile } from '../../data-folder/tree-file.ts'
import type { DatabaseServer } from '../../options.ts'
import { placeOf } from '../../store/postgres/connection/database-problem.ts'
import { applicationRow, applicationsIn } from '../../store/postgres/copy/application-row.ts'
import { lookAt } from '../../store/postgres/copy/copy-database.ts'
import { arrivingFile } from '../../store/sqlite/file/open.ts'
import { copyIn, movedIn } from '../../store/sqlite/log/moved.ts'

/** Where applications are copied from or to. */
export type Place =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'database'; readonly server: DatabaseServer }

/** What there is at a place under the name of an application. */
export interface Found {
  /** `arriving`: a copy that is not complete. */
  readonly kind: 'none' | 'arriving' | 'there' | 'moved'
  /** Where it went. */
  readonly movedTo?: string | undefined
  /** Random text of the copy that has made or moved it. */
  readonly copy?: string | undefined
}

/** A place in words for the operator, without a password. */
export function nameOf(place: Place): string {
  if (place.kind === 'folder') return resolve(place.folder)
  const { url, schema = 'dhole' } = place.server
  return `the schema ${schema} of the database ${placeOf(url)}`
}

/** Names of the applications that have a tree there, sorted, those that were moved too. */
export async function applicationsAt(place: Place): Promise<readonly string[]> {
  if (place.kind === 'database') {
    const rows = await lookAt(place.server, async (lanes) => (lanes === undefined ? [] : await applicationsIn(lanes)))
    return rows.map(({ id }) => id)
  }
  const apps = join(place.folder, 'apps')
  const names = existsSync(apps) ? readdirSync(apps).sort() : []
  return names
    .filter((name) => name.endsWith('.sqlite'))
    .map((name) => name.slice(0, -'.sqlite'.length))
    .filter(isApplicationId)
}

/** Looks for applications without a change of anything. */
export async function findAll(place: Place, ids: readonly string[]): Promise<ReadonlyMap<string, Found>> {
  if (place.kind === 'folder') return new Map(ids.map((id) => [id, foundIn(treeFile(place.folder, id))]))
  return await lookAt(place.server, async (lanes) => {
    const found = new Map<string, Found>()
    for (const id of ids) {
      const row = lanes === undefined ? undefined : await applicationRow(lanes, id)
      const kind = row === undefined ? 'none' : row.isArriving ? 'arriving' : row.movedTo === null ? 'there' : 'moved'
      found.set(id, { kind, movedTo: row?.movedTo ?? undefined, copy: row?.copy ?? undefined })
    }
    return found
  })
}

function foundIn(file: string): Found {
  const arriving = arrivingFile(file)
  if (!existsSync(file)) return existsSync(arriving) ? { kind: 'arriving', copy: copyIn(arriving) } : { kind: 'none' }
  const moved = movedIn(file)
  return moved === undefined
    ? { kind: 'there', copy: copyIn(file) }
    : { kind: 'moved', movedTo: moved.to, copy: moved.copy }
}
