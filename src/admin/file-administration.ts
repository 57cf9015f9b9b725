import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Application } from '../applications/application.ts'
import type { Applications } from '../applications/applications.ts'
import { newSecret, readSecret, secretFile, smsKeyFile, writeSecret } from '../data-folder/secret-file.ts'
import { treeFile } from '../data-folder/tree-file.ts'
import { DholeError } from '../error.ts'
import { removeFiles } from '../files/folders.ts'
import type { ApplicationSettings } from '../options.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import { inTurns } from '../scheduling/turns.ts'
import {
  type AddedApplication,
  type Administration,
  checkId,
  checkKey,
  type DefaultApplication,
  type ListedApplication,
  ofServer,
  type Rotation,
  SETTING,
  type ServerState,
  type ShownKeys,
} from './administration.ts'
import { listInSteps } from './app-list.ts'
import { openOrLocked, Registry, type RulesKind } from './registry.ts'
import { changedSettings, checkSettings, type OwnSettings, type SettingsChange } from './settings-change.ts'

const STAGED = '.restoring-'
const KEPT = '.before-restore-'
const RESTORE_MARKS = [STAGED, KEPT]

/** File that is ready to replace the tree of an application. */
export function stagedFile(dataDir: string, id: string, stamp: string): string {
  return `${treeFile(dataDir, id)}${STAGED}${stamp}`
}

/** File that keeps the tree of an application as it was before a restore. */
export function keptFile(dataDir: string, id: string, stamp: string): string {
  return `${treeFile(dataDir, id)}${KEPT}${stamp}`
}

const FILES_OF_A_TREE = ['', '-wal', '-shm', '-restore', '-lock']

/** Files that restores of a tree have kept or left. */
function filesOfRestores(tree: string): string[] {
  const folder = dirname(tree)
  const name = basename(tree)
  return readdirSync(folder)
    .filter((file) => RESTORE_MARKS.some((mark) => file.startsWith(name + mark)))
    .map((file) => join(folder, file))
}

/** The applications of a data folder. */
export class FileAdministration implements Administration {
  readonly #dataDir: string
  readonly #registry: Registry
  readonly #default: DefaultApplication
  readonly #applications: Applications | undefined
  readonly #removing = new Set<string>()

  /** @param open applications that this process has open */
  constructor(dataDir: string, defaultApplication: DefaultApplication, open?: Applications) {
    this.#dataDir = dataDir
    this.#registry = new Registry(dataDir)
    this.#default = defaultApplication
    this.#applications = open
  }

  add(id: string, settings: unknown): AddedApplication {
    checkId(id)
    checkSettings(settings)
    if (id === this.#default.id)
      throw new DholeError('admin-state', `"${id}" is the default application: it is there already`)
    if (this.#registry.has(id)) throw new DholeError('admin-state', `there is an application "${id}" already`)
    if (this.#removing.has(id)) throw new DholeError('admin-state', `application "${id}" is being removed`)
    const added = { secret: newSecret(), smsKey: newSecret(), hasData: existsSync(treeFile(this.#dataDir, id)) }
    // Last: the registration makes the application visible.
    writeSecret(secretFile(this.#dataDir, id), added.secret)
    writeSecret(smsKeyFile(this.#dataDir, id), added.smsKey)
    this.#registry.put(id, settings)
    return added
  }

  checkRotation(id: string, { key, value }: Rotation): void {
    this.#checkKnown(id)
    if (id === this.#default.id && this.#default.fixedKeys.includes(key)) {
      throw new DholeError(
        'admin-state',
        `that of "${id}" is the setting ${SETTING[key]}: change it and start the server again`,
      )
    }
    checkKey(value)
  }

  rotate(id: string, rotation: Rotation): string {
    this.checkRotation(id, rotation)
    const { key, value } = rotation
    const fresh = value ?? newSecret()
    if (key === 'sms') {
      writeSecret(smsKeyFile(this.#dataDir, id), fresh)
      this.#openOne(id)?.messages.rotate(fresh)
      return fresh
    }
    writeSecret(secretFile(this.#dataDir, id), fresh)
    this.#applications?.rotate(id, fresh)
    return fresh
  }

  async remove(id: string, deleteData: boolean): Promise<void> {
    this.#checkKnown(id)
    if (id === this.#default.id)
      throw new DholeError('admin-state', `"${id}" is the default application: it goes when APP_ID names another`)
    this.#removing.add(id)
    try {
      this.#registry.delete(id)
      await this.#applications?.remove(id)
      this.#deleteFiles(id, deleteData)
    } finally {
      this.#removing.delete(id)
    }
  }

  list(): Awaitable<readonly ListedApplication[]> {
    return inTurns(listInSteps(this.#dataDir, this.state()))
  }

  settings(id: string): OwnSettings {
    this.#checkKnown(id)
    if (id === this.#default.id) return { from: 'server', settings: {} }
    return { from: 'registration', settings: this.#registered(id) }
  }

  async changeSettings(id: string, change: SettingsChange): Promise<void> {
    this.#checkKnown(id)
    if (id === this.#default.id) throw ofServer(id)
    // A change that is refused closes nothing.
    if (Bun.deepEquals(changedSettings(id, this.#registered(id), change), this.#registered(id))) return
    const put = () => this.#registry.put(id, changedSettings(id, this.#registered(id), change))
    if (this.#applications === undefined) put()
    else await this.#applications.replace(id, put)
  }

  keys(id: string): ShownKeys {
    this.#checkKnown(id)
    return { secret: readSecret(secretFile(this.#dataDir, id)), smsKey: readSecret(smsKeyFile(this.#dataDir, id)) }
  }

  state(): ServerState {
    const open = this.#applications?.open.map(({ id, database }): ServerState['open'][number] => ({
      id,
      profile: database.profile,
      rules: database.hasOwnRules ? 'own' : this.#rulesOf(id),
    }))
    const { id: defaultId, fixedKeys } = this.#default
    return { defaultId, fixedKeys, open: open ?? [] }
  }

  async settle(id: string): Promise<void> {
    await this.#openOne(id)?.database.settled()
  }

  async replaceTree(id: string, stamp: string, keep: boolean): Promise<void> {
    checkId(id)
    const staged = stagedFile(this.#dataDir, id, stamp)
    if (!existsSync(staged)) throw new DholeError('admin-state', `there is no ${staged}`)
    const kept = keep ? keptFile(this.#dataDir, id, stamp) : undefined
    // Loaded on demand: other operations need no storage engine.
    const { replaceFile } = await import('../store/sqlite/file/replace.ts')
    const replace = () => replaceFile(treeFile(this.#dataDir, id), { staged, kept })
    if (this.#applications === undefined) replace()
    else await this.#applications.replace(id, replace)
  }

  /** Settings of an application that may be removed meanwhile. */
  #registered(id: string): ApplicationSettings {
    const settings = this.#registry.settings(id)
    if (settings === undefined) throw new DholeError('admin-unknown', `there is no application "${id}"`)
    return settings
  }

  #openOne(id: string): Application | undefined {
    return this.#applications?.open.find((application) => application.id === id)
  }

  /** Rules of an application that has stored no rules. */
  #rulesOf(id: string): RulesKind {
    return id === this.#default.id ? openOrLocked(this.#default.isOpen) : this.#registry.rulesOf(id)
  }

  #deleteFiles(id: string, deleteData: boolean): void {
    const tree = treeFile(this.#dataDir, id)
    const files = [secretFile(this.#dataDir, id), smsKeyFile(this.#dataDir, id)]
    if (deleteData) files.push(...FILES_OF_A_TREE.map((suffix) => tree + suffix), ...filesOfRestores(tree))
    removeFiles(files)
  }

  /** Whether the default application exists. The first start of the server creates it. */
  #hasDefault(): boolean {
    return this.#applications !== undefined || existsSync(treeFile(this.#dataDir, this.#default.id))
  }

  #checkKnown(id: string): void {
    checkId(id)
    const isThere = id === this.#default.id ? this.#hasDefault() : this.#registry.has(id)
    if (!isThere) throw new DholeError('admin-unknown', `there is no application "${id}" in ${this.#dataDir}`)
  }
}
