import type { ApplicationCatalog } from '../engines/catalog/application-catalog.ts'
import { messageOf } from '../files/system-error.ts'
import { type ApplicationSettings, checkApplicationSettings } from '../options.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import { openOrLocked, type RulesKind } from './registry.ts'

/** How long a name without an application is remembered, in milliseconds. */
const UNKNOWN_MS = 1000
/** Maximum remembered names. */
const MAX_NAMES = 10_000

/** The applications that `dhole apps` has registered in a database. The caller checks names. */
export class DatabaseRegistry {
  readonly #catalog: () => Promise<ApplicationCatalog>
  /** Names without an application, with the time until which they are remembered. */
  readonly #unknown = new Map<string, number>()
  /** Rules of the applications that were found. */
  readonly #rules = new Map<string, RulesKind>()

  constructor(catalog: () => Promise<ApplicationCatalog>) {
    this.#catalog = catalog
  }

  /** Settings of an application; `undefined` when it is not registered. @throws what the database throws */
  find(id: string): Awaitable<ApplicationSettings | undefined> {
    const until = this.#unknown.get(id)
    if (until !== undefined && performance.now() < until) return undefined
    return this.#find(id)
  }

  /** Rules of an application that has stored no rules; `undefined` when it was not found before. */
  rulesOf(id: string): RulesKind | undefined {
    return this.#rules.get(id)
  }

  /** Looks the name up the next time. */
  forget(id: string): void {
    this.#unknown.delete(id)
  }

  async #find(id: string): Promise<ApplicationSettings | undefined> {
    const catalog = await this.#catalog()
    const text = await catalog.settings(id)
    this.#unknown.delete(id)
    if (text === undefined) {
      remember(this.#unknown, id, performance.now() + UNKNOWN_MS)
      return undefined
    }
    const settings = settingsOf(id, text)
    remember(this.#rules, id, rulesOf(settings))
    return settings
  }
}

/** Settings of JSON text. @throws Error when they are damaged */
export function settingsOf(id: string, text: string): ApplicationSettings {
  try {
    const settings: unknown = JSON.parse(text)
    checkApplicationSettings(settings)
    return settings
  } catch (cause) {
    throw new Error(`settings of application "${id}": ${messageOf(cause)}`, { cause })
  }
}

/** Rules of an application that has stored no rules. */
export function rulesOf({ open, rules }: ApplicationSettings): RulesKind {
  return rules === undefined ? openOrLocked(open !== undefined && open !== false) : 'own'
}

/** Adds to a bounded map; the oldest entry goes first. */
function remember<T>(map: Map<string, T>, id: string, value: T): void {
  map.set(id, value)
  const [oldest] = map.keys()
  if (map.size > MAX_NAMES && oldest !== undefined) map.delete(oldest)
}
