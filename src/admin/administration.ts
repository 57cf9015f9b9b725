import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isApplicationId } from '../applications/application-id.ts'
import type { Applications } from '../applications/applications.ts'
import { LEAST_SECRET_LENGTH, newSecret, secretFile, smsKeyFile, writeSecret } from '../data-folder/secret-file.ts'
import { treeFile } from '../data-folder/tree-file.ts'
import { removeFiles } from '../files/folders.ts'
import { type ApplicationSettings, checkApplicationSettings } from '../options.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import { openOrLocked, Registry, type RulesKind } from './registry.ts'

/** The keys of a new application. Nobody is shown them again. */
export interface AddedApplication {
  readonly secret: string
  readonly smsKey: string
  /** Whether there is a tree already, of an application of that name that was removed. */
  readonly hasData: boolean
}

/** Which of the keys of an application is replaced, and by what. */
export interface Rotation {
  readonly key: 'secret' | 'sms'
  /** Default: one is made. */
  readonly value?: string | undefined
}

/** What the files do not tell of the applications. */
export interface ServerState {
  readonly defaultId: string
  /** Those that are open; none where no server runs. */
  readonly open: readonly { readonly id: string; readonly profile: string; readonly rules: RulesKind }[]
}

/**
 * What `dhole apps` does: over the files alone, or through the server that has them open.
 * Every method throws Error with a message for the operator.
 */
export interface Administration {
  add(id: string, settings: ApplicationSettings): Awaitable<AddedApplication>
  /** @throws Error when `rotate` would refuse the same */
  checkRotation(id: string, rotation: Rotation): Awaitable<void>
  /** @returns the new key */
  rotate(id: string, rotation: Rotation): Awaitable<string>
  /** @param deleteData whether the tree goes too */
  remove(id: string, deleteData: boolean): Promise<void>
  state(): Awaitable<ServerState>
  /** Resolves when all that is committed to the tree of one is durable. */
  settle(id: string): Promise<void>
  /**
   * Puts a file that lies ready beside a tree in its place: streams end, requests wait.
   * @param stamp what the names of the new and of the old file end in
   * @param keep whether the old one stays beside it
   */
  replaceTree(id: string, stamp: string, keep: boolean): Promise<void>
}

const STAGED = '.restoring-'
const KEPT = '.before-restore-'
const RESTORE_MARKS = [STAGED, KEPT]

/** Where a file lies that is to become a tree's. */
export function stagedFile(dataDir: string, id: string, stamp: string): string {
  return `${treeFile(dataDir, id)}${STAGED}${stamp}`
}

/** Where the file lies that was a tree's before. */
export function keptFile(dataDir: string, id: string, stamp: string): string {
  return `${treeFile(dataDir, id)}${KEPT}${stamp}`
}

/** The application of requests that name none; it is not registered, the settings of the server are its own. */
export interface DefaultApplication {
  readonly id: string
  /** Keys that are settings of the server and cannot be replaced here. */
  readonly fixedKeys: readonly Rotation['key'][]
  /** Whether everybody may read and write until it has rules of its own. */
  readonly isOpen: boolean
}

/** The applications of a process, and who in it has to know of their keys. */
export interface OpenApplications {
  readonly applications: Applications
  /** The key that signs the calls about the text messages of one has been replaced. */
  readonly onSmsKey: (id: string, key: string) => void
}

/** The setting of the server that fixes a key of the default application. */
const SETTING = { secret: 'APP_SECRET', sms: 'SMS_KEY' } as const
const FILES_OF_A_TREE = ['', '-wal', '-shm', '-restore', '-lock']

/** Trees that restores have replaced and kept, or have not put in place, with what lies beside them. */
function filesOfRestores(tree: string): string[] {
  const folder = dirname(tree)
  const name = basename(tree)
  return readdirSync(folder)
    .filter((file) => RESTORE_MARKS.some((mark) => file.startsWith(name + mark)))
    .map((file) => join(folder, file))
}

/** The keys that settings of the server fix; an empty one counts as unset. */
export function fixedKeys(settings: Readonly<Record<string, string | undefined>>): readonly Rotation['key'][] {
  return (['secret', 'sms'] as const).filter((key) => settings[SETTING[key]])
}

/** Registers, rotates and removes in the files of a folder, and tells the server that has them open, if one has. */
export class FileAdministration implements Administration {
  readonly #dataDir: string
  readonly #registry: Registry
  readonly #default: DefaultApplication
  readonly #applications: Applications | undefined
  readonly #onSmsKey: OpenApplications['onSmsKey'] | undefined
  readonly #leaving = new Set<string>()

  /** @param open those that this process has open */
  constructor(dataDir: string, defaultApplication: DefaultApplication, open?: OpenApplications) {
    this.#dataDir = dataDir
    this.#registry = new Registry(dataDir)
    this.#default = defaultApplication
    this.#applications = open?.applications
    this.#onSmsKey = open?.onSmsKey
  }

  add(id: string, settings: ApplicationSettings): AddedApplication {
    checkId(id)
    checkApplicationSettings(settings)
    if (id === this.#default.id) throw new Error(`"${id}" is the default application: it is there already`)
    if (this.#registry.has(id)) throw new Error(`there is an application "${id}" already`)
    if (this.#leaving.has(id)) throw new Error(`application "${id}" is being removed`)
    const added = { secret: newSecret(), smsKey: newSecret(), hasData: existsSync(treeFile(this.#dataDir, id)) }
    // It is there once it is registered, so that comes last.
    writeSecret(secretFile(this.#dataDir, id), added.secret)
    writeSecret(smsKeyFile(this.#dataDir, id), added.smsKey)
    this.#registry.put(id, settings)
    return added
  }

  checkRotation(id: string, { key, value }: Rotation): void {
    this.#checkKnown(id)
    if (id === this.#default.id && this.#default.fixedKeys.includes(key)) {
      throw new Error(`that of "${id}" is the setting ${SETTING[key]}: change it and start the server again`)
    }
    if (value !== undefined && (value.length < LEAST_SECRET_LENGTH || value !== value.trim())) {
      throw new Error(`a secret has at least ${LEAST_SECRET_LENGTH} characters, and no space at either end`)
    }
  }

  rotate(id: string, rotation: Rotation): string {
    this.checkRotation(id, rotation)
    const { key, value } = rotation
    const fresh = value ?? newSecret()
    if (key === 'sms') {
      writeSecret(smsKeyFile(this.#dataDir, id), fresh)
      this.#onSmsKey?.(id, fresh)
      return fresh
    }
    writeSecret(secretFile(this.#dataDir, id), fresh)
    this.#applications?.rotate(id, fresh)
    return fresh
  }

  async remove(id: string, deleteData: boolean): Promise<void> {
    this.#checkKnown(id)
    if (id === this.#default.id)
      throw new Error(`"${id}" is the default application: it goes when APP_ID names another`)
    this.#leaving.add(id)
    try {
      this.#registry.delete(id)
      await this.#applications?.remove(id)
      this.#deleteFiles(id, deleteData)
    } finally {
      this.#leaving.delete(id)
    }
  }

  state(): ServerState {
    const open = this.#applications?.open.map(({ id, database }): ServerState['open'][number] => ({
      id,
      profile: database.profile,
      rules: database.hasOwnRules ? 'own' : this.#rulesOf(id),
    }))
    return { defaultId: this.#default.id, open: open ?? [] }
  }

  async settle(id: string): Promise<void> {
    await this.#applications?.open.find((application) => application.id === id)?.database.settled()
  }

  async replaceTree(id: string, stamp: string, keep: boolean): Promise<void> {
    checkId(id)
    const staged = stagedFile(this.#dataDir, id, stamp)
    if (!existsSync(staged)) throw new Error(`there is no ${staged}`)
    const kept = keep ? keptFile(this.#dataDir, id, stamp) : undefined
    // The other commands need no engine.
    const { replaceFile } = await import('../store/sqlite/file/replace.ts')
    const replace = () => replaceFile(treeFile(this.#dataDir, id), { staged, kept })
    if (this.#applications === undefined) replace()
    else await this.#applications.replace(id, replace)
  }

  /** Those of one that has stored none. */
  #rulesOf(id: string): RulesKind {
    return id === this.#default.id ? openOrLocked(this.#default.isOpen) : this.#registry.rulesOf(id)
  }

  #deleteFiles(id: string, deleteData: boolean): void {
    const tree = treeFile(this.#dataDir, id)
    const files = [secretFile(this.#dataDir, id), smsKeyFile(this.#dataDir, id)]
    if (deleteData) files.push(...FILES_OF_A_TREE.map((suffix) => tree + suffix), ...filesOfRestores(tree))
    removeFiles(files)
  }

  /** Its first start makes it; until then a key for it would lie in a folder that nobody serves. */
  #hasDefault(): boolean {
    return this.#applications !== undefined || existsSync(treeFile(this.#dataDir, this.#default.id))
  }

  #checkKnown(id: string): void {
    checkId(id)
    const isThere = id === this.#default.id ? this.#hasDefault() : this.#registry.has(id)
    if (!isThere) throw new Error(`there is no application "${id}" in ${this.#dataDir}`)
  }
}

function checkId(id: string): void {
  if (isApplicationId(id)) return
  throw new Error(
    `${JSON.stringify(id)} cannot name an application: up to 63 lower-case letters, digits and -, with - neither first nor last`,
  )
}
