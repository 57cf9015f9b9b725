import { existsSync } from 'node:fs'
import { readSecret, secretFile, smsKeyFile, writeSecret } from '../../data-folder/secret-file.ts'
import { ApplicationCatalog } from '../../engines/catalog/application-catalog.ts'
import type { CopyDatabase } from '../../store/postgres/copy/copy-database.ts'
import { Registry } from '../registry.ts'

/** A data folder and a database between which an application is copied. */
export interface KeyLocations {
  readonly folder: string
  readonly database: CopyDatabase
  /** Encrypts keys in the database. */
  readonly secretsKey: string | undefined
}

/**
 * Copies the keys and the settings of an application from files to the row of its tree, which is not activated yet.
 * @throws Error when `SECRETS_KEY` is not the one of the database
 */
export async function copyKeysIn(id: string, { folder, database, secretsKey }: KeyLocations): Promise<void> {
  const settings = new Registry(folder).settings(id)
  if (settings !== undefined) {
    await database.durable.query(
      'UPDATE application SET settings = $2::text WHERE id = $1::text AND is_arriving RETURNING tree',
      [id, JSON.stringify(settings)],
    )
  }
  const secret = secretIn(secretFile(folder, id))
  const smsKey = secretIn(smsKeyFile(folder, id))
  // Keys that settings of the server fix have no files.
  if (secret === undefined && smsKey === undefined) return
  await new ApplicationCatalog(database.opened, secretsKey).keep(id, {
    ...(secret === undefined ? {} : { secret }),
    ...(smsKey === undefined ? {} : { smsKey }),
  })
}

/**
 * Copies the keys and the settings of an application from the database to files.
 * @throws Error when the files have others; when `SECRETS_KEY` is not the one of the database
 */
export async function copyKeysOut(id: string, { folder, database, secretsKey }: KeyLocations): Promise<void> {
  const catalog = new ApplicationCatalog(database.opened, secretsKey)
  const [keys, settings] = [await catalog.keys(id), await catalog.settings(id)]
  if (keys !== undefined) {
    for (const [file, key] of [
      [secretFile(folder, id), keys.secret],
      [smsKeyFile(folder, id), keys.smsKey],
    ] as const) {
      const known = secretIn(file)
      if (known !== undefined && known !== key) throw new Error(`${file} is another key`)
      if (known === undefined) writeSecret(file, key)
    }
  }
  if (settings === undefined) return
  const registry = new Registry(folder)
  const known = registry.settings(id)
  if (known === undefined) registry.put(id, JSON.parse(settings))
  else if (!Bun.deepEquals(known, JSON.parse(settings))) throw new Error(`it has other settings in ${folder}`)
}

function secretIn(file: string): string | undefined {
  return existsSync(file) ? readSecret(file) : undefined
}
