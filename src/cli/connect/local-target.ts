import { existsSync } from 'node:fs'
import { Administration, fixedKeys, type ServerProcess } from '../../admin/administration.ts'
import type { AdministeredApplication, AdminTarget } from '../../admin/operation.ts'
import { Registry } from '../../admin/registry.ts'
import type { ClosedApplication } from '../../closed-application.ts'
import { treeFile } from '../../data-folder/tree-file.ts'
import type { ApplicationSettings } from '../../options.ts'
import { isOwnMachine, readConfig, readRules } from '../../server/config/config.ts'
import { databaseServer } from '../../server/config/database-server.ts'
import { defaultId } from './app-flag.ts'
import { databaseSettings } from './database-flag.ts'

/** The files of a data folder without a server. Settings come from the environment, as for a server started here. */
export class LocalTarget implements AdminTarget, AsyncDisposable {
  readonly administration: Administration
  readonly #dataDir: string
  readonly #open = new Map<string, ClosedApplication>()

  constructor(dataDir: string) {
    this.#dataDir = dataDir
    const isOpen = false
    this.administration = new Administration(dataDir, { id: defaultId(), fixedKeys: fixedKeys(process.env), isOpen })
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
  }

  async #openApplication(id: string): Promise<ClosedApplication> {
    const registered = new Registry(this.#dataDir).settings(id)
    const database = databaseServer(readConfig(databaseSettings()))
    // The first start of a server creates the default application; opening any other would create it.
    const isThere = id === defaultId() && (database !== undefined || existsSync(treeFile(this.#dataDir, id)))
    if (registered === undefined && !isThere) {
      throw new Error(`there is no application "${id}" in ${this.#dataDir}`)
    }
    // Loaded on demand: with a server, no command needs the storage engine.
    const { openClosedApplication } = await import('../../closed-application.ts')
    return openClosedApplication(this.#dataDir, id, {
      sms: { ...smsSettings(), ...registered?.sms },
      tree: () => treeSettings(registered),
      ...(database === undefined ? {} : { database }),
    })
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
