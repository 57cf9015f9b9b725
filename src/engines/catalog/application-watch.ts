import { DholeError } from '../../error.ts'
import type { ApplicationSettings } from '../../options.ts'
import type { PostgresStore } from '../../store/postgres/postgres-store.ts'
import {
  type ApplicationKeys,
  type FixedKeys,
  type KeyName,
  type KeysListener,
  type OpenKeys,
  SettingsChanged,
} from '../application-keys.ts'
import type { ApplicationCatalog, KeyRow, StoredKeys } from './application-catalog.ts'

/** Pause before the row of an application is read again after a failure, in milliseconds. */
const AGAIN_MS = 250

interface WatchEvents {
  /** Called with keys that this process has made. */
  onMade(made: readonly KeyName[], keys: StoredKeys): void
  /** Called when changed keys cannot be read; they are read again. */
  onTroubled(error: unknown): void
}

/** Reads the row of an open application, and reads it again when any process has changed it. */
export class ApplicationWatch implements OpenKeys {
  readonly #catalog: ApplicationCatalog
  readonly #store: PostgresStore
  readonly #id: string
  readonly #onMade: WatchEvents['onMade']
  readonly #onTroubled: WatchEvents['onTroubled']
  #keys: StoredKeys | undefined
  /** Version of the keys that the listener knows. */
  #announced = -1
  #settings: ApplicationSettings | undefined
  /** Why it must be closed. */
  #outdated: 'removed' | 'changed' | undefined
  #isClosed = false
  #listener: KeysListener | undefined
  /** Resolves when the row is read as of the last change. */
  #reading: Promise<void> | undefined
  #isOutdated = false

  constructor(catalog: ApplicationCatalog, store: PostgresStore, id: string, { onMade, onTroubled }: WatchEvents) {
    this.#catalog = catalog
    this.#store = store
    this.#id = id
    this.#onMade = onMade
    this.#onTroubled = onTroubled
    // Before the keys are read: what changes later is noticed.
    store.agreement.onApplication(() => this.#changed())
    store.onClosing(async () => {
      this.#isClosed = true
    })
  }

  async read(fixed: FixedKeys, settings?: ApplicationSettings): Promise<ApplicationKeys> {
    this.#settings = settings
    const { made, ...keys } = await this.#catalog.keep(this.#id, fixed)
    this.#keys = keys
    this.#announced = keys.version
    if (made.length > 0) this.#onMade(made, keys)
    // What has changed since the tree was opened: other processes do not wait for one that was only being opened.
    await this.#store.fresh(true)
    await this.#changed()
    if (this.#outdated === 'changed') throw new SettingsChanged()
    return keysOf(keys)
  }

  follow(listener: KeysListener): void {
    if (this.#outdated === 'removed') throw new DholeError('app-unknown')
    if (this.#outdated === 'changed') throw new SettingsChanged()
    this.#listener = listener
    this.#announce()
  }

  /** Resolves when what has changed is in force. */
  #changed(): Promise<void> {
    this.#isOutdated = true
    this.#reading ??= this.#readAgain().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readAgain(): Promise<void> {
    let isReported = false
    while (this.#isOutdated && !this.#isClosed && this.#outdated === undefined) {
      this.#isOutdated = false
      try {
        await this.#readRow()
      } catch (error) {
        if (!isReported) this.#onTroubled(error)
        isReported = true
        // Without an answer for a while this process falls silent, and reads the row when it returns.
        this.#isOutdated = true
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      }
    }
  }

  async #readRow(): Promise<void> {
    const found = await this.#catalog.row(this.#id)
    if (found === undefined || found.tree !== this.#store.tree) {
      this.#end('removed')
      // Its rows are being removed: nothing is written to the tree any more.
      this.#store.close().catch(() => {})
      return
    }
    if (this.#isChanged(found)) return this.#end('changed')
    // Without keys it is open for its tree alone.
    if (this.#keys === undefined || found.version <= this.#keys.version) return
    this.#keys = (await this.#catalog.opened(this.#id, found)) ?? this.#keys
    this.#announce()
  }

  /** Whether the settings are not those that it was opened with. */
  #isChanged({ settings }: KeyRow): boolean {
    if (this.#settings === undefined || settings === null) return false
    return !Bun.deepEquals(JSON.parse(settings), this.#settings)
  }

  /** From here on requests find it anew: others need not wait for what is still open. */
  #end(outdated: 'removed' | 'changed'): void {
    this.#outdated = outdated
    this.#listener?.onOutdated()
    this.#store.agreement.close()
  }

  #announce(): void {
    if (this.#listener === undefined || this.#keys === undefined || this.#keys.version <= this.#announced) return
    this.#announced = this.#keys.version
    this.#listener.onKeys(keysOf(this.#keys))
  }
}

function keysOf({ secret, smsKey }: StoredKeys): ApplicationKeys {
  return { secret, smsKey: () => smsKey }
}
