import { existsSync } from 'node:fs'
import { type Administration, fixedKeys, type ServerProcess } from '../../admin/administration.ts'
import { FileAdministration } from '../../admin/file-administration.ts'
import type { AdministeredApplication, AdminTarget } from '../../admin/operation.ts'
import { Registry } from '../../admin/registry.ts'
import type { ClosedApplication } from '../../closed-application.ts'
import { treeFile } from '../../data-folder/tree-file.ts'
import type { ApplicationSettings } from '../../options.ts'
import { isOwnMachine, readConfig, readRules } from '../../server/config/config.ts'
import { defaultId } from './app-flag.ts'
import type { DatabaseTarget } from './database-target.ts'

/**
 * The applications without a server: the files of a data folder, or a database. Settings come from the environment, as for a
 * server started here.
 */
export class LocalTarget implements AdminTarget, AsyncDisposable {
  readonly administration: Administration
  readonly #dataDir: string
  readonly #database: DatabaseTarget | undefined
  readonly #open = new Map<string, ClosedApplication>()

  /** @param database in place of files */
  constructor(dataDir: string, database?: DatabaseTarget) {
    this.#dataDir = dataDir
    this.#database = database
    const own = { id: defaultId(), fixedKeys: fixedKeys(process.env), isOpen: false }
    this.administration = database?.administration ?? new FileAdministration(dataDir, own)
  }

  /** Keeps the application open until it is disposed: a command has many operations on one application. */
  async open(id: string): Promise<AdministeredApplication> {
    const application = this.#open.get(id) ?? (await this.#openApplication(id))
    this.#open.set(id, application)
    return {
      get database() {
        return application.database
      },
      get messages() {
        return application.messages
      },
      [Symbol.dispose]: () => {},
    }
  }

  async reload(): Promise<string> {
    throw new Error(`no server answers in ${this.#dataDir}`)
  }

  process(): ServerProcess {
    return { pid: process.pid }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open.values()].map((application) => application.close()))
    await this.#database?.engine.close()
  }

  async #openApplication(id: string): Promise<ClosedApplication> {
    const database = this.#database
    const registered = database === undefined ? this.#registered(id) : await database.settings(id)
    // Loaded on demand: with a server, no command needs the storage engine.
    const { openClosedApplication } = await import('../../closed-application.ts')
    return openClosedApplication(this.#dataDir, id, {
      sms: { ...smsSettings(), ...registered?.sms },
      tree: () => treeSettings(registered),
      ...(database === undefined ? {} : { engine: database.engine }),
    })
  }

  /** @throws Error when there is no such application */
  #registered(id: string): ApplicationSettings | undefined {
    const registered = new Registry(this.#dataDir).settings(id)
    // The first start of a server creates the default application; opening any other would create it.
    const isThere = id === defaultId() && existsSync(treeFile(this.#dataDir, id))
    if (registered === undefined && !isThere) {
      throw new Error(`there is no application "${id}" in ${this.#dataDir}`)
    }
    return registered
  }
}

function smsSettings(): NonNullable<ApplicationSettings['sms']> {
  const { SMS_TIME_ZONE, SMS_MOBILE, SMS_RETENTION_DAYS, SMS_INTERVAL_MS } = process.env
  const config = readConfig({ SMS_TIME_ZONE, SMS_MOBILE, SMS_RETENTION_DAYS, SMS_INTERVAL_MS })
  return {
    timeZone: config.SMS_TIME_ZONE,
    mobile: config.SMS_MOBILE,
    retentionDays: config.SMS_RETENTION_DAYS,
    intervalMs: config.SMS_INTERVAL_MS,
  }
}

function treeSettings(registered: ApplicationSettings | undefined): ApplicationSettings {
  const { MAX_LEAF_BYTES, RULES, HOST } = process.env
  const config = readConfig({ MAX_LEAF_BYTES, RULES, HOST })
  const limits = { maxLeafBytes: config.MAX_LEAF_BYTES, ...registered?.limits }
  if (registered !== undefined) return { ...registered, limits }
  const rules = readRules(config)
  return { limits, ...(rules === undefined ? { open: isOwnMachine(config.HOST) } : { rules }) }
}
