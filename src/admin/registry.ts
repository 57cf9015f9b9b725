import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { isApplicationId } from '../applications/application-id.ts'
import { readSecret, secretFile } from '../data-folder/secret-file.ts'
import { removeFiles } from '../files/folders.ts'
import { writePrivately } from '../files/private-file.ts'
import { codeOf, messageOf } from '../files/system-error.ts'
import { type ApplicationOptions, type ApplicationSettings, checkApplicationSettings } from '../options.ts'

/** Kind of the rules of an application: all is allowed, nothing is allowed, or its own rules. */
export const rulesKind = Type.Union([Type.Literal('open'), Type.Literal('locked'), Type.Literal('own')])
export type RulesKind = Static<typeof rulesKind>

const SUFFIX = '.json'

/**
 * The applications that `dhole apps` has registered: one file each, with settings and without secrets. Files are read
 * on demand, so registered applications cost no memory. The caller checks names.
 */
export class Registry {
  readonly #dataDir: string

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  /** Options to open an application; `undefined` when it is not registered. @throws Error when one of its files is damaged */
  find(id: string): (ApplicationOptions & { readonly secret: string }) | undefined {
    const settings = this.settings(id)
    return settings && { ...settings, secret: readSecret(secretFile(this.#dataDir, id)) }
  }

  /** Settings of an application; `undefined` when it is not registered. @throws Error when its file is damaged */
  settings(id: string): ApplicationSettings | undefined {
    const file = this.#fileOf(id)
    const text = readIfThere(file)
    if (text === undefined) return undefined
    try {
      const settings: unknown = JSON.parse(text)
      checkApplicationSettings(settings)
      return settings
    } catch (cause) {
      throw new Error(`${file}: ${messageOf(cause)}`, { cause })
    }
  }

  /** Rules of an application that has stored no rules. @throws Error when its file is damaged */
  rulesOf(id: string): RulesKind {
    const { open, rules } = this.settings(id) ?? {}
    return rules === undefined ? openOrLocked(open !== undefined && open !== false) : 'own'
  }

  has(id: string): boolean {
    return existsSync(this.#fileOf(id))
  }

  /** Names of all registered applications, sorted. */
  ids(): readonly string[] {
    const folder = join(this.#dataDir, 'apps')
    if (!existsSync(folder)) return []
    const names = readdirSync(folder).filter((name) => name.endsWith(SUFFIX))
    return names
      .map((name) => name.slice(0, -SUFFIX.length))
      .filter(isApplicationId)
      .sort()
  }

  /** Registers an application: requests find it from now on. */
  put(id: string, settings: ApplicationSettings): void {
    writePrivately(this.#fileOf(id), `${JSON.stringify(settings, undefined, 2)}\n`)
  }

  /** Removes a registration: requests do not find it any more. Durable when it returns. */
  delete(id: string): void {
    removeFiles([this.#fileOf(id)])
  }

  #fileOf(id: string): string {
    return join(this.#dataDir, 'apps', `${id}${SUFFIX}`)
  }
}

export function openOrLocked(isOpen: boolean): RulesKind {
  return isOpen ? 'open' : 'locked'
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
