import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isApplicationId } from '../applications/application-id.ts'
import { readSecret, secretFile } from '../data-folder/secret-file.ts'
import { removeFiles } from '../files/folders.ts'
import { writePrivately } from '../files/private-file.ts'
import { type ApplicationOptions, type ApplicationSettings, checkApplicationSettings } from '../options.ts'

/** Which rules decide: everybody may do everything, nobody anything, or rules of its own. */
export type RulesKind = 'open' | 'locked' | 'own'

const SUFFIX = '.json'

/**
 * The applications that `dhole apps` has registered: a file each, which holds settings but no secret. Nothing of them
 * is kept in memory, so that any number costs nothing until one is asked for. Names are checked before they come here.
 */
export class Registry {
  readonly #dataDir: string

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  /** What is needed to open one; `undefined` when it is not registered. @throws Error when a file of it is damaged */
  find(id: string): (ApplicationOptions & { readonly secret: string }) | undefined {
    const settings = this.settings(id)
    return settings && { ...settings, secret: readSecret(secretFile(this.#dataDir, id)) }
  }

  /** `undefined` when it is not registered. @throws Error when its file is damaged */
  settings(id: string): ApplicationSettings | undefined {
    const file = this.#fileOf(id)
    const text = readIfThere(file)
    if (text === undefined) return undefined
    try {
      const settings: unknown = JSON.parse(text)
      checkApplicationSettings(settings)
      return settings
    } catch (cause) {
      throw new Error(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    }
  }

  /** Which rules one has until others are stored. @throws Error when its file is damaged */
  rulesOf(id: string): RulesKind {
    const { open, rules } = this.settings(id) ?? {}
    return rules === undefined ? openOrLocked(open !== undefined && open !== false) : 'own'
  }

  has(id: string): boolean {
    return existsSync(this.#fileOf(id))
  }

  /** Names of all of them, sorted. */
  ids(): readonly string[] {
    const folder = join(this.#dataDir, 'apps')
    if (!existsSync(folder)) return []
    const names = readdirSync(folder).filter((name) => name.endsWith(SUFFIX))
    return names
      .map((name) => name.slice(0, -SUFFIX.length))
      .filter(isApplicationId)
      .sort()
  }

  /** Registers one; from now on requests find it. */
  put(id: string, settings: ApplicationSettings): void {
    writePrivately(this.#fileOf(id), `${JSON.stringify(settings, undefined, 2)}\n`)
  }

  /** From now on requests do not find it. Durable when it returns. */
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
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
