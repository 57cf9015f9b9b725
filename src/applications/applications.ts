import { DholeError } from '../error.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { Application, ApplicationParts } from './application.ts'
import { isApplicationId } from './application-id.ts'
import { Tenant } from './tenant.ts'

/** What a request says of the application it wants. */
export interface ApplicationChoice {
  /** Name as the request gives it, if it does. */
  readonly name: string | undefined
  /** Host of the request as sent, with or without a port. */
  readonly host: string
}

export interface ApplicationsSettings {
  /**
   * Looks for an application that is not open. Asked for every request that names one, so it must be quick.
   * @returns what opens it, `undefined` when there is none
   * @throws when there is one and it cannot be read
   */
  readonly find: (id: string) => (() => ApplicationParts) | undefined
  /** The one of requests that name none. */
  readonly defaultId: string | undefined
  /** Hosts one label below it name an application. */
  readonly baseDomain: string | undefined
  /** Time after which one that nobody needs is closed, in milliseconds. */
  readonly idleMs: number
  /** Most that are open at once, beside those that are kept open. */
  readonly maxOpen: number
  /** Hears of one that cannot be opened or closed. */
  readonly onTrouble: (id: string, error: unknown) => void
}

/** Whether requests can be answered: `storage` where a tree cannot be read or written, `slow` where none knows yet. */
export type Readiness = 'ready' | 'stopping' | 'storage' | 'slow'

/** A disk that does not answer for so long is no disk to rely on. */
const PATIENCE_MS = 3000

/** The clock turns so many times in the time after which an application is idle, and at least once a minute. */
const TURNS = 4
const LONGEST_TURN_MS = 60_000

/**
 * The applications of this process and how a request chooses one. One that is not open is opened when it is asked for,
 * and closed when nobody needs it.
 * @see docs/reference/protocol.md#ground-rules
 */
export class Applications {
  readonly #settings: ApplicationsSettings
  readonly #hostSuffix: string | undefined
  /** Those open now, or being closed. */
  readonly #tenants = new Map<string, Tenant>()
  readonly #kept = new Set<string>()
  /** Those whose files are being replaced. */
  readonly #replacing = new Map<string, Promise<void>>()
  #isStopping = false
  #isClosed = false
  #clock: Timer | undefined

  constructor(settings: ApplicationsSettings) {
    this.#settings = settings
    this.#hostSuffix = settings.baseDomain === undefined ? undefined : `.${hostName(settings.baseDomain)}`
  }

  /** Those that are open now. */
  get open(): readonly Application[] {
    return [...this.#tenants.values()].filter(({ closing }) => closing === undefined)
  }

  /** Opens one now, and for as long as this process runs. @throws when there is none, or it cannot be opened */
  keep(id: string): void {
    const open = this.#settings.find(id)
    if (open === undefined) throw new DholeError('app-unknown')
    this.#tenants.set(id, new Tenant(id, open(), true))
    this.#kept.add(id)
  }

  /**
   * The application a request wants: at once when it is open or can be opened, a promise when another one has to be
   * closed first, or the same one is being closed.
   * @throws `app-not-named`, `app-unknown`; `unavailable` when it cannot be opened, or all that may be open are busy
   */
  choose({ name, host }: ApplicationChoice): Awaitable<Application> {
    const id = name ?? this.#labelOf(host) ?? this.#settings.defaultId
    if (id === undefined) throw new DholeError('app-not-named')
    return this.#opened(id) ?? this.#bring(id)
  }

  /** From now on only another secret opens it; streams that the old one let in end. */
  rotate(id: string, secret: string): void {
    const tenant = this.#tenants.get(id)
    if (tenant === undefined) return
    tenant.authenticator.rotate(secret)
    tenant.database.revoke()
  }

  /** Closes one that is not to be found any more. Resolves when its file is free. */
  async remove(id: string): Promise<void> {
    const tenant = this.#tenants.get(id)
    if (tenant !== undefined) await this.#close(tenant)
  }

  /**
   * Closes one, has something done to its files, and lets it be opened again; requests wait for that, streams end. Where
   * it is not open, nobody opens it meanwhile.
   * @throws what the action throws: then the files are opened as they are
   */
  async replace(id: string, action: () => void): Promise<void> {
    while (this.#replacing.has(id)) await this.#replacing.get(id)
    if (this.#isClosed) throw new DholeError('unavailable')
    const done = Promise.withResolvers<void>()
    this.#replacing.set(id, done.promise)
    try {
      await this.remove(id)
      action()
    } finally {
      this.#replacing.delete(id)
      // Nobody need ask for one that is kept open.
      if (this.#kept.has(id) && !this.#isClosed) this.#reopen(id)
      done.resolve()
    }
  }

  /** Whether those that are kept open can be read and written just now. Known within a few seconds. */
  async readiness(): Promise<Readiness> {
    if (this.#isStopping || this.#isClosed) return 'stopping'
    const kept = [...this.#kept].map((id) => this.#tenants.get(id)?.database)
    // Its files are being replaced.
    if (kept.includes(undefined)) return 'storage'
    const checks = Promise.all(kept.map((database) => database?.check()))
    const { promise: late, resolve } = Promise.withResolvers<Readiness>()
    const timer = setTimeout(() => resolve('slow'), PATIENCE_MS)
    const found = checks.then(
      (): Readiness => 'ready',
      (): Readiness => 'storage',
    )
    try {
      return await Promise.race([found, late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** The end is near: every stream is ended, and nothing is said to be ready any more. */
  endStreams(): void {
    this.#isStopping = true
    for (const { database } of this.open) database.endStreams()
  }

  /** Closes all of them; none is opened any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#clock)
    await Promise.all([...this.#tenants.values()].map((tenant) => this.#close(tenant)))
  }

  #opened(id: string): Tenant | undefined {
    const tenant = this.#tenants.get(id)
    if (tenant === undefined || tenant.closing !== undefined) return undefined
    if (!tenant.isKept) tenant.use()
    return tenant
  }

  #bring(id: string): Awaitable<Tenant> {
    const find = this.#found(id)
    const obstacle = this.#obstacle(id)
    return obstacle === undefined ? this.#begin(id, find) : this.#wait(id, obstacle)
  }

  /** Others wait as well, and some of them may be quicker. */
  async #wait(id: string, first: Promise<void>): Promise<Tenant> {
    for (let obstacle: Promise<void> | undefined = first; obstacle !== undefined; obstacle = this.#obstacle(id)) {
      // Whoever closes it hears of a failure.
      await obstacle.catch(() => {})
      if (this.#opened(id) !== undefined) break
    }
    const tenant = this.#opened(id) ?? this.#begin(id, this.#found(id))
    // Whoever asked goes on later in this turn, and must find it open.
    setImmediate(tenant.hold())
    return tenant
  }

  #found(id: string): () => ApplicationParts {
    if (this.#isClosed) throw new DholeError('unavailable')
    const find = isApplicationId(id) ? this.#attempt(id, () => this.#settings.find(id)) : undefined
    if (find === undefined) throw new DholeError('app-unknown')
    return find
  }

  /** What has to end before one more is opened. @throws `unavailable` when it will not end by itself */
  #obstacle(id: string): Promise<void> | undefined {
    const under = this.#replacing.get(id) ?? this.#tenants.get(id)?.closing
    if (under !== undefined) return under
    if (this.#kept.has(id) || this.#tenants.size - this.#kept.size < this.#settings.maxOpen) return undefined
    return this.#makeRoom()
  }

  /** Closes the one that was idle for the longest time. @throws `unavailable` when all are busy */
  #makeRoom(): Promise<void> {
    const tenants = [...this.#tenants.values()].filter(({ isKept }) => !isKept)
    const under = tenants.find((tenant) => tenant.closing !== undefined)?.closing
    if (under !== undefined) return under
    const [idle] = tenants.filter(({ isBusy }) => !isBusy).sort((left, right) => left.usedAt - right.usedAt)
    if (idle === undefined) throw new DholeError('unavailable')
    return this.#retire(idle)
  }

  #begin(id: string, open: () => ApplicationParts): Tenant {
    const tenant = new Tenant(id, this.#attempt(id, open), this.#kept.has(id))
    this.#tenants.set(id, tenant)
    this.#clock ??= this.#startClock()
    return tenant
  }

  /** Whoever asks for it tries again should that fail. */
  #reopen(id: string): void {
    try {
      this.#begin(id, this.#found(id))
    } catch (error) {
      // What is wrong with the files was told where it was found.
      if (!(error instanceof DholeError)) throw error
    }
  }

  /** What is wrong with one application is told to whoever runs the service, not to clients. */
  #attempt<T>(id: string, action: () => T): T {
    try {
      return action()
    } catch (cause) {
      this.#settings.onTrouble(id, cause)
      throw new DholeError('unavailable', undefined, { cause })
    }
  }

  #startClock(): Timer {
    const turn = Math.max(1, Math.min(this.#settings.idleMs / TURNS, LONGEST_TURN_MS))
    return setInterval(() => this.#closeIdle(), turn).unref()
  }

  #closeIdle(): void {
    const longAgo = performance.now() - this.#settings.idleMs
    for (const tenant of this.#tenants.values()) {
      if (tenant.isKept || tenant.closing !== undefined) continue
      if (tenant.isBusy) tenant.use()
      else if (tenant.usedAt <= longAgo) void this.#retire(tenant)
    }
  }

  /** Closes one that nobody waits for. */
  #retire(tenant: Tenant): Promise<void> {
    return this.#close(tenant).catch((error) => this.#settings.onTrouble(tenant.id, error))
  }

  #close(tenant: Tenant): Promise<void> {
    return tenant.close().finally(() => {
      if (this.#tenants.get(tenant.id) === tenant) this.#tenants.delete(tenant.id)
    })
  }

  #labelOf(host: string): string | undefined {
    const suffix = this.#hostSuffix
    if (suffix === undefined) return undefined
    const name = hostName(host)
    if (!name.endsWith(suffix)) return undefined
    return name.slice(0, -suffix.length).split('.')[0]
  }
}

/** A host without its port and without the dot of a name that is written in full. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/\.?(?::\d+)?$/, '')
}
