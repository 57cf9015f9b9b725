import { newSecret } from '../../data-folder/secret-file.ts'
import { changeApplication, type NumberedBatch } from '../../store/postgres/agreement/change-application.ts'
import { Patience } from '../../store/postgres/commit/committer.ts'
import { insertFirstBatch } from '../../store/postgres/commit/tree-head.ts'
import type { Parameter, Statements } from '../../store/postgres/connection/lane.ts'
import type { PostgresDatabase } from '../../store/postgres/postgres-database.ts'
import { DATABASE_NOW } from '../../store/postgres/processes.ts'
import { type FixedKeys, type KeyName, WrongKey } from '../application-keys.ts'
import { SecretBox } from './secret-box.ts'

/** The keys of an application in the database. */
export interface StoredKeys {
  readonly secret: string
  readonly smsKey: string
  /** Grows with each replacement of a key. */
  readonly version: number
}

/** Keys, and which of them were made by the call that returns them. */
export interface KeptKeys extends StoredKeys {
  readonly made: readonly KeyName[]
}

/** An application in the database. */
export interface CatalogEntry {
  readonly id: string
  /** JSON text of its settings; `null` for the default application of a server. */
  readonly settings: string | null
}

/** What the database holds of an application. */
export interface KeyRow {
  readonly tree: number
  readonly secret: string | null
  readonly smsKey: string | null
  readonly version: number
  /** JSON text of the settings that it is registered with; `null` for the default application of a server. */
  readonly settings: string | null
}

const KEYS =
  'SELECT tree, secret, sms_key AS "smsKey", keys_version AS version, settings FROM application ' +
  'WHERE id = $1::text AND removed_at IS NULL'

const COLUMNS = { secret: 'secret', sms: 'sms_key' } as const

/**
 * The applications of a database with their keys, shared by all processes. What has to be in force on all of them is when
 * the call returns. Every method throws `unavailable` when the database stays away.
 */
export class ApplicationCatalog {
  readonly #database: PostgresDatabase
  readonly #secretsKey: string | undefined
  #opening: Promise<SecretBox> | undefined

  /** @param secretsKey as `SecretBox.open` takes it; wrong ones are found when keys are first needed */
  constructor(database: PostgresDatabase, secretsKey: string | undefined) {
    this.#database = database
    this.#secretsKey = secretsKey
  }

  /** JSON text of the settings of an application that was added; `undefined` when there is none. */
  async settings(id: string): Promise<string | undefined> {
    const [row] = await this.#query<{ settings: string }>(
      'SELECT settings FROM application WHERE id = $1::text AND removed_at IS NULL AND settings IS NOT NULL',
      [id],
    )
    return row?.settings
  }

  /** All applications by name. */
  list(): Promise<readonly CatalogEntry[]> {
    return this.#query<CatalogEntry>(
      'SELECT id, settings FROM application a WHERE removed_at IS NULL AND secret IS NOT NULL ORDER BY a.id',
    )
  }

  /** The keys of an application; `undefined` when there is none, or no process has needed its keys. */
  async keys(id: string): Promise<StoredKeys | undefined> {
    const row = await this.row(id)
    return row && (await this.opened(id, row))
  }

  /** The tree and the keys of an application; `undefined` when there is none. */
  async row(id: string): Promise<KeyRow | undefined> {
    const [row] = await this.#query<KeyRow>(KEYS, [id])
    return row
  }

  /** The keys of a row; `undefined` where no process has needed them. */
  async opened(id: string, { secret, smsKey, version }: KeyRow): Promise<StoredKeys | undefined> {
    if (secret === null || smsKey === null) return undefined
    const box = await this.#box()
    return {
      secret: box.open({ application: id, name: 'secret' }, secret),
      smsKey: box.open({ application: id, name: 'sms' }, smsKey),
      version,
    }
  }

  /**
   * The keys of an application that is there. The first process that needs them makes them.
   * @param fixed keys of the settings
   * @throws `WrongKey` when they are not those of the database
   */
  async keep(id: string, fixed: FixedKeys): Promise<KeptKeys> {
    const known = await this.keys(id)
    const own = { secret: fixed.secret ?? newSecret(), smsKey: fixed.smsKey ?? newSecret() }
    if (known === undefined) {
      await this.#query(
        'UPDATE application SET secret = $2::text, sms_key = $3::text, keys_version = keys_version + 1 ' +
          'WHERE id = $1::text AND secret IS NULL',
        [id, ...(await this.#sealed(id, own))],
      )
    }
    const kept = known ?? (await this.keys(id))
    if (kept === undefined) throw new Error(`there is no application "${id}" in the database`)
    if (kept.secret !== (fixed.secret ?? kept.secret)) throw new WrongKey(id, 'secret')
    if (kept.smsKey !== (fixed.smsKey ?? kept.smsKey)) throw new WrongKey(id, 'sms')
    // The answer to the statement may have been lost, so the keys show whether it was ours.
    const isOurs = known === undefined && kept.secret === own.secret && kept.smsKey === own.smsKey
    const made = (['secret', 'sms'] as const).filter(
      (name) => isOurs && (name === 'secret' ? fixed.secret : fixed.smsKey) === undefined,
    )
    return { ...kept, made }
  }

  /**
   * Adds an application, with the tree of a removed one of that name whose data was kept.
   * @returns its keys; `undefined` when there is one of that name
   */
  async add(id: string, settings: string): Promise<(StoredKeys & { readonly hasData: boolean }) | undefined> {
    const keys = { secret: newSecret(), smsKey: newSecret() }
    const sealed = await this.#sealed(id, keys)
    const added = await this.#transaction(async (statements) => {
      const [before] = await statements.query<{ removed: boolean }>(
        'SELECT removed_at IS NOT NULL AS removed FROM application WHERE id = $1::text FOR UPDATE',
        [id],
      )
      if (before?.removed === false) return undefined
      const [row] = await statements.query<{ tree: number }>(
        'INSERT INTO application (id, epoch, settings, secret, sms_key, keys_version) ' +
          'VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, 1) ON CONFLICT (id) DO UPDATE SET removed_at = NULL, ' +
          'settings = excluded.settings, secret = excluded.secret, sms_key = excluded.sms_key, ' +
          'keys_version = application.keys_version + 1 WHERE application.removed_at IS NOT NULL RETURNING tree',
        [id, crypto.randomUUID(), settings, ...sealed],
      )
      if (row === undefined) return undefined
      await insertFirstBatch(statements, row.tree)
      return { hasData: before !== undefined }
    })
    if (added !== undefined) return { ...keys, version: 1, ...added }
    // The answer to an attempt that did it may have been lost.
    const kept = await this.keys(id)
    return kept?.secret === keys.secret ? { ...kept, hasData: false } : undefined
  }

  /** Replaces a key. @returns whether there is such an application @throws `NotConfirmed` */
  async replaceKey(id: string, name: KeyName, key: string): Promise<boolean> {
    const stored = (await this.#box()).seal({ application: id, name }, key)
    return await this.#change(id, async (statements) => {
      await statements.query(
        `UPDATE application SET ${COLUMNS[name]} = $2::text, keys_version = keys_version + 1 WHERE id = $1::text`,
        [id, stored],
      )
    })
  }

  /**
   * Replaces the settings of an application that was added.
   * @param changed the new JSON text for the old one; it may be called more than once
   * @returns whether there is such an application
   * @throws `NotConfirmed`, and what `changed` throws
   */
  async changeSettings(id: string, changed: (text: string) => string): Promise<boolean> {
    let made: string | undefined
    const isThere = await this.#change(id, async (statements, tree) => {
      const [row] = await statements.query<{ settings: string | null }>(
        'SELECT settings FROM application WHERE tree = $1::int',
        [tree],
      )
      const before = row?.settings ?? undefined
      // An attempt whose answer was lost may have done it.
      if (before === undefined || before === made) return
      made = changed(before)
      await statements.query('UPDATE application SET settings = $2::text WHERE tree = $1::int', [tree, made])
    })
    return isThere && made !== undefined
  }

  /**
   * Removes an application.
   * @param deletesData also removes its tree, in steps after the call
   * @returns whether there was one
   * @throws `NotConfirmed`
   */
  async remove(id: string, deletesData: boolean): Promise<boolean> {
    let removed: number | undefined
    const isRemoved = await this.#change(id, async (statements, tree) => {
      removed = tree
      if (!deletesData) {
        await statements.query(`UPDATE application SET removed_at = ${DATABASE_NOW} WHERE tree = $1::int`, [tree])
        return
      }
      await statements.query('DELETE FROM application WHERE tree = $1::int', [tree])
      await statements.query(
        `INSERT INTO removed_tree (tree, removed_at) VALUES ($1::int, ${DATABASE_NOW}) ON CONFLICT DO NOTHING`,
        [tree],
      )
    })
    if (isRemoved && deletesData && removed !== undefined) {
      await this.#query('UPDATE removed_tree SET is_free = true WHERE tree = $1::int', [removed])
      // Whatever is left, a process that is alive removes later.
      this.#database.tidy().catch(() => {})
    }
    return isRemoved
  }

  async #change(id: string, work: (statements: Statements, tree: number) => Promise<void>): Promise<boolean> {
    const { hints, confirmations } = this.#database
    const changed: NumberedBatch | undefined = await changeApplication(this.#database, id, work)
    if (changed === undefined) return false
    hints.announce(changed.tree, changed.batch)
    await confirmations.everywhere(changed)
    return true
  }

  async #sealed(id: string, { secret, smsKey }: Pick<StoredKeys, 'secret' | 'smsKey'>): Promise<readonly string[]> {
    const box = await this.#box()
    const seal = (name: KeyName, text: string) => box.seal({ application: id, name }, text)
    return [seal('secret', secret), seal('sms', smsKey)]
  }

  #box(): Promise<SecretBox> {
    const { lanes, waitMs } = this.#database
    this.#opening ??= new Patience(waitMs)
      .run(() => SecretBox.open(lanes, this.#secretsKey))
      .catch((error) => {
        this.#opening = undefined
        throw error
      })
    return this.#opening
  }

  #query<R extends object>(text: string, parameters: readonly Parameter[] = []): Promise<readonly R[]> {
    const { lanes, waitMs } = this.#database
    return new Patience(waitMs).run(() => lanes.query<R>(text, parameters))
  }

  #transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    const { lanes, waitMs } = this.#database
    return new Patience(waitMs).run(() => lanes.transaction(work))
  }
}
