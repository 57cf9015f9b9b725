import { DholeError } from '../tree/error.ts'
import type { Database } from './database.ts'

/** One tree with its own file, secret and settings. */
export interface Application {
  /** Name in `?ns=` and in host names. */
  readonly id: string
  readonly database: Database
  /** Whoever shows it may do everything. */
  readonly secret: string
  /** Whether everybody may read and write. Without it only the secret opens. */
  readonly open: boolean
}

/** What a request says of the application it wants. */
export interface ApplicationChoice {
  /** Value of `?ns=`. */
  readonly ns: string | undefined
  /** Host of the request as sent, with or without a port. */
  readonly host: string
}

/** The applications of this process and how a request chooses one. @see docs/protocol.md#ground-rules */
export class Applications {
  readonly #byId: ReadonlyMap<string, Application>
  readonly #single: Application | undefined
  readonly #hostSuffix: string | undefined

  /** @param baseDomain hosts one label below it name an application */
  constructor(applications: readonly Application[], baseDomain: string | undefined) {
    this.#byId = new Map(applications.map((application) => [application.id, application]))
    this.#single = applications.length === 1 ? applications[0] : undefined
    this.#hostSuffix = baseDomain === undefined ? undefined : `.${baseDomain.toLowerCase()}`
  }

  /** Every one of them. */
  get all(): readonly Application[] {
    return [...this.#byId.values()]
  }

  /** @throws `app-not-named`, `app-unknown` */
  choose({ ns, host }: ApplicationChoice): Application {
    const id = ns ?? this.#labelOf(host)
    if (id !== undefined) {
      const application = this.#byId.get(id)
      if (application === undefined) throw new DholeError('app-unknown')
      return application
    }
    if (this.#single === undefined) throw new DholeError('app-not-named')
    return this.#single
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map(({ database }) => database.close()))
  }

  #labelOf(host: string): string | undefined {
    const suffix = this.#hostSuffix
    if (suffix === undefined) return undefined
    const name = host.toLowerCase().replace(/:\d+$/, '')
    if (!name.endsWith(suffix)) return undefined
    return name.slice(0, -suffix.length).split('.')[0]
  }
}
