import type { Applications } from '../applications/applications.ts'
import { newSecret } from '../data-folder/secret-file.ts'
import type { ApplicationCatalog } from '../engines/catalog/application-catalog.ts'
import { DholeError } from '../error.ts'
import { NotConfirmed } from '../store/postgres/agreement/confirmations.ts'
import {
  type AddedApplication,
  type Administration,
  checkId,
  checkKey,
  type DefaultApplication,
  type ListedApplication,
  ofServer,
  type Rotation,
  type ServerState,
  type ShownKeys,
} from './administration.ts'
import { type DatabaseRegistry, rulesOf, settingsOf } from './database-registry.ts'
import { openOrLocked } from './registry.ts'
import { changedSettings, checkSettings, type OwnSettings, type SettingsChange } from './settings-change.ts'

const NO_FILES = 'the applications are on a database server, not in files'

interface DatabaseParts {
  /** Connects when it is first called. */
  readonly catalog: () => Promise<ApplicationCatalog>
  readonly registry: DatabaseRegistry
  readonly default: DefaultApplication
  /** Applications that this process has open. */
  readonly applications?: Applications
}

/** The applications of a database, which several processes serve. What returns is in force on all of them. */
export class DatabaseAdministration implements Administration {
  readonly #parts: DatabaseParts

  constructor(parts: DatabaseParts) {
    this.#parts = parts
  }

  async add(id: string, settings: unknown): Promise<AddedApplication> {
    checkId(id)
    checkSettings(settings)
    const { registry, default: own } = this.#parts
    if (id === own.id) throw new DholeError('admin-state', `"${id}" is the default application: it is there already`)
    const added = await (await this.#parts.catalog()).add(id, JSON.stringify(settings))
    if (added === undefined) throw new DholeError('admin-state', `there is an application "${id}" already`)
    registry.forget(id)
    const { secret, smsKey, hasData } = added
    return { secret, smsKey, hasData }
  }

  async checkRotation(id: string, { value }: Rotation): Promise<void> {
    checkKey(value)
    await this.keys(id)
  }

  async rotate(id: string, { key, value }: Rotation): Promise<string> {
    checkId(id)
    checkKey(value)
    const fresh = value ?? newSecret()
    const catalog = await this.#parts.catalog()
    try {
      if (!(await catalog.replaceKey(id, key, fresh))) throw unknown(id)
    } catch (cause) {
      // It is replaced, but a process may still take the old one: a key that is not in force is not shown.
      throw notConfirmed(cause, 'end it, and rotate again')
    }
    return fresh
  }

  async remove(id: string, deleteData: boolean): Promise<void> {
    checkId(id)
    const catalog = await this.#parts.catalog()
    const isRegistered = (await catalog.settings(id)) !== undefined
    if (id === this.#parts.default.id || (!isRegistered && (await catalog.keys(id)) !== undefined)) {
      throw new DholeError('admin-state', `"${id}" is the default application: it goes when APP_ID names another`)
    }
    try {
      if (!isRegistered || !(await catalog.remove(id, deleteData))) throw unknown(id)
    } catch (cause) {
      throw notConfirmed(cause, 'end it')
    }
  }

  async settings(id: string): Promise<OwnSettings> {
    checkId(id)
    const catalog = await this.#parts.catalog()
    const text = await catalog.settings(id)
    if (text !== undefined) return { from: 'registration', settings: settingsOf(id, text) }
    if (id !== this.#parts.default.id && (await catalog.keys(id)) === undefined) throw unknown(id)
    return { from: 'server', settings: {} }
  }

  async changeSettings(id: string, change: SettingsChange): Promise<void> {
    const { from, settings } = await this.settings(id)
    if (from !== 'registration') throw ofServer(id)
    // A change that is refused, or changes nothing, ends no stream.
    if (Bun.deepEquals(changedSettings(id, settings, change), settings)) return
    const catalog = await this.#parts.catalog()
    const changed = (text: string) => JSON.stringify(changedSettings(id, settingsOf(id, text), change))
    try {
      if (!(await catalog.changeSettings(id, changed))) throw unknown(id)
    } catch (cause) {
      throw notConfirmed(cause, 'end it, or change the settings again')
    }
  }

  async list(): Promise<readonly ListedApplication[]> {
    const { default: own } = this.#parts
    const open = new Map(this.state().open.map((application) => [application.id, application]))
    const entries = await (await this.#parts.catalog()).list()
    const listed = entries.map(({ id, settings: text }): ListedApplication => {
      const isDefault = id === own.id
      const now = open.get(id)
      if (now !== undefined) return { id, profile: now.profile, rules: now.rules, isDefault }
      if (text === null) return { id, isDefault }
      const settings = settingsOf(id, text)
      return { id, profile: settings.profile ?? 'wilddog', rules: rulesOf(settings), isDefault }
    })
    return listed.toSorted((left, right) => Number(right.isDefault) - Number(left.isDefault))
  }

  async keys(id: string): Promise<ShownKeys> {
    checkId(id)
    const keys = await (await this.#parts.catalog()).keys(id)
    if (keys === undefined) throw unknown(id)
    return { secret: keys.secret, smsKey: keys.smsKey }
  }

  state(): ServerState {
    const { applications, registry, default: own } = this.#parts
    const open = applications?.open.map(({ id, database }): ServerState['open'][number] => {
      const initial = id === own.id ? openOrLocked(own.isOpen) : (registry.rulesOf(id) ?? 'locked')
      return { id, profile: database.profile, rules: database.hasOwnRules ? 'own' : initial }
    })
    return { defaultId: own.id, fixedKeys: own.fixedKeys, open: open ?? [], isInDatabase: true }
  }

  async settle(): Promise<void> {
    throw new DholeError('admin-state', NO_FILES)
  }

  async replaceTree(): Promise<void> {
    throw new DholeError('admin-state', NO_FILES)
  }
}

/** The error of a change that is made, but that a process may not know of yet; other errors stay. */
function notConfirmed(thrown: unknown, advice: string): unknown {
  if (!(thrown instanceof NotConfirmed)) return thrown
  return new DholeError('admin-state', `${thrown.message}: ${advice}`, { cause: thrown })
}

function unknown(id: string): Error {
  return new DholeError('admin-unknown', `there is no application "${id}" in the database`)
}
