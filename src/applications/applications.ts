import { DholeError } from '../error.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { Application, ApplicationParts } from './application.ts'
import { isApplicationId } from './application-id.ts'
import type { ApplicationsSettings } from './applications-settings.ts'
import { labelOf, suffixOf } from './host-label.ts'
import { type Readiness, storageReadiness } from './readiness.ts'
import { replaceSecret } from './replace-secret.ts'
import { Tenant } from './tenant.ts'

/** Idle applications are looked for this many times per idle time, and at least once a minute. */
const CHECKS_PER_IDLE_TIME = 4
const MAX_CHECK_INTERVAL_MS = 60_000

/**
 * The applications of this process, and how a request chooses one. An application is opened by the first request for it
 * and closed when it is idle.
 * @see docs/reference/protocol.md#ground-rules
 */
export class Applications {
  readonly #settings: ApplicationsSettings
  readonly #hostSuffix: string | undefined
  /** Open applications, and those being closed. */
  readonly #tenants = new Map<string, Tenant>()
  /** Applications that stay open while idle. */
  readonly #kept = new Set<string>()
  readonly #opening = new Map<string, Promise<Tenant>>()
  /** Applications whose files are being replaced. */
  readonly #replacing = new Map<string, Promise<void>>()
  /** Applications that are held for callers who have not held them yet. */
  #handedOver = 0
  #isStopping = false
  #isClosed = false
  #idleTimer: Timer | undefined

  constructor(settings: ApplicationsSettings) {
    this.#settings = settings
    this.#hostSuffix = settings.baseDomain && suffixOf(settings.baseDomain)
  }

  /** Open applications. */
  get open(): readonly Application[] {
    return [...this.#tenants.values()].filter(({ closing }) => closing === undefined)
  }

  /**
   * Opens an application until this process ends.
   * @returns a promise when the application opens asynchronously
   * @throws when there is no such application, or it cannot be opened
   */
  keep(id: string): Awaitable<void> {
    const found = this.#settings.find(id)
    return found instanceof Promise ? found.then((open) => this.#keepOpen(id, open)) : this.#keepOpen(id, found)
  }

  #keepOpen(id: string, open: (() => Awaitable<ApplicationParts>) | undefined): Awaitable<void> {
    if (open === undefined) throw new DholeError('app-unknown')
    const parts = open()
    this.#kept.add(id)
    if (parts instanceof Promise) return this.#addLater(id, parts).then(() => {})
    this.#add(id, parts)
  }

  /**
   * The application of a request: a promise when it opens asynchronously, or an application must be closed first.
   * @param name in the request, if any
   * @param host of the request as sent, with or without a port
   * @param otherwise name that counts where neither names one
   * @throws `app-not-named`, `app-unknown`; `unavailable` when it cannot be opened, or when too many others are busy
   */
  choose(name: string | undefined, host: string, otherwise?: string): Awaitable<Application> {
    if (this.#settings.isSilent?.() === true) throw new DholeError('unavailable')
    const id = name ?? (this.#hostSuffix && labelOf(host, this.#hostSuffix)) ?? this.#settings.defaultId ?? otherwise
    if (id === undefined) throw new DholeError('app-not-named')
    return this.#opened(id) ?? this.#bring(id)
  }

  /** Host of an application below the base domain. @throws `app-not-named` without such a domain, or for what is no id */
  hostOf(id: string): string {
    if (this.#hostSuffix === undefined || !isApplicationId(id)) throw new DholeError('app-not-named')
    return id + this.#hostSuffix
  }

  /** Replaces the secret of an application, and ends the streams that the old secret authorized. */
  rotate(id: string, secret: string): void {
    const tenant = this.#tenants.get(id)
    if (tenant !== undefined) replaceSecret(tenant, secret)
  }

  /** Closes an application that was removed, or has to be opened anew. Resolves when its file is free. */
  async remove(id: string): Promise<void> {
    // One that is being opened was found before. An open one is closed at once, so that no more requests find it.
    const opening = this.#opening.get(id)
    if (opening !== undefined) await opening.catch(() => {})
    const tenant = this.#tenants.get(id)
    if (tenant !== undefined) await this.#close(tenant)
  }

  /**
   * Closes an application, runs an action on its files, and allows it to be opened again. Requests wait for that, streams
   * end. An application that is not open is not opened meanwhile.
   * @throws what the action throws; the files are opened again as they are
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
      // An application that stays open does not wait for a request.
      if (this.#kept.has(id) && !this.#isClosed) this.#reopen(id)
      done.resolve()
    }
  }

  /** Whether the applications that stay open can be read and written now. Resolves within a few seconds. */
  async readiness(): Promise<Readiness> {
    if (this.#isStopping || this.#isClosed) return 'stopping'
    if (this.#settings.isSilent?.() === true) return 'storage'
    return await storageReadiness([...this.#kept].map((id) => this.#tenants.get(id)?.database))
  }

  /** Begins to stop: ends every stream; `readiness` is `stopping` from now on. */
  stop(): void {
    this.#isStopping = true
    this.endStreams()
  }

  /** Ends every stream; clients connect again. */
  endStreams(): void {
    for (const { database } of this.open) database.endStreams()
  }

  /** Closes all applications; none is opened any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#idleTimer)
    const closeAll = () => Promise.all([...this.#tenants.values()].map((tenant) => this.#close(tenant)))
    await closeAll()
    await Promise.allSettled(this.#opening.values())
    await closeAll()
    await this.#settings.onClosed?.()
  }

  #opened(id: string): Tenant | undefined {
    const tenant = this.#tenants.get(id)
    if (tenant === undefined || tenant.closing !== undefined) return undefined
    if (!tenant.isKept) tenant.usedAt = performance.now()
    return tenant
  }

  #bring(id: string): Awaitable<Tenant> {
    const found = this.#find(id)
    const obstacle = found instanceof Promise ? found : this.#obstacle(id)
    if (found instanceof Promise || obstacle !== undefined) return this.#wait(id, obstacle)
    const tenant = this.#begin(id, found)
    return tenant instanceof Promise ? this.#wait(id, tenant) : tenant
  }

  /** Other requests wait as well, and one of them may open the application first. */
  async #wait(id: string, first: Promise<unknown> | undefined): Promise<Tenant> {
    for (let obstacle = first; obstacle !== undefined; obstacle = this.#obstacle(id)) {
      // Its failure is reported where it was started.
      await obstacle.catch(() => {})
      if (this.#opened(id) !== undefined) break
    }
    const tenant = this.#opened(id) ?? (await this.#beginFound(id))
    this.#handOver(tenant)
    return tenant
  }

  /** Holds an application until its caller can: the caller continues later in this turn, and must find it open. */
  #handOver(tenant: Tenant): void {
    const release = tenant.hold()
    this.#handedOver++
    setImmediate(() => {
      this.#handedOver--
      release()
    })
  }

  async #beginFound(id: string): Promise<Tenant> {
    const open = this.#find(id)
    if (!(open instanceof Promise)) return await this.#begin(id, open)
    const found = await open
    // Meanwhile another request may have opened it, or taken the last place.
    const obstacle = this.#obstacle(id)
    if (this.#opened(id) !== undefined || obstacle !== undefined) return await this.#wait(id, obstacle)
    return await this.#begin(id, found)
  }

  #find(id: string): Awaitable<() => Awaitable<ApplicationParts>> {
    if (this.#isClosed) throw new DholeError('unavailable')
    const found = isApplicationId(id) ? this.#attempt(id, () => this.#settings.find(id)) : undefined
    return found instanceof Promise ? found.then(existing) : existing(found)
  }

  /** What must end before the application can be opened. @throws `unavailable` when too many others are busy */
  #obstacle(id: string): Promise<unknown> | undefined {
    const pending = this.#opening.get(id) ?? this.#replacing.get(id) ?? this.#tenants.get(id)?.closing
    if (pending !== undefined) return pending
    if (this.#kept.has(id)) return undefined
    const open = this.#tenants.size + this.#opening.size - this.#kept.size
    if (open < this.#settings.maxOpen) return undefined
    return this.#makeRoom()
  }

  /** Closes the application that is idle for the longest time. @throws `unavailable` when all are busy */
  #makeRoom(): Promise<void> {
    const tenants = [...this.#tenants.values()].filter(({ isKept }) => !isKept)
    const closing = tenants.find((tenant) => tenant.closing !== undefined)?.closing
    if (closing !== undefined) return closing
    const [idle] = tenants.filter(({ isBusy }) => !isBusy).sort((left, right) => left.usedAt - right.usedAt)
    if (idle !== undefined) return this.#retire(idle)
    // The request that an application was opened for may be answered already, and the application idle in the next turn.
    if (this.#handedOver > 0) return new Promise((resolve) => setImmediate(resolve))
    throw new DholeError('unavailable')
  }

  #begin(id: string, open: () => Awaitable<ApplicationParts>): Awaitable<Tenant> {
    const parts = this.#attempt(id, open)
    return parts instanceof Promise ? this.#addLater(id, parts) : this.#add(id, parts)
  }

  #addLater(id: string, parts: Promise<ApplicationParts>): Promise<Tenant> {
    const opening = parts.then((opened) => this.#add(id, opened)).finally(() => this.#opening.delete(id))
    this.#opening.set(id, opening)
    return opening
  }

  #add(id: string, parts: ApplicationParts): Tenant {
    const tenant = new Tenant(id, parts, this.#kept.has(id))
    this.#tenants.set(id, tenant)
    this.#idleTimer ??= this.#startIdleTimer()
    return tenant
  }

  /** When this fails, the next request tries again. */
  #reopen(id: string): void {
    // `#attempt` has reported what is wrong with the files.
    this.#beginFound(id).catch(() => {})
  }

  /** Reports an error to the operator, and hides its text from clients. */
  #attempt<T>(id: string, action: () => Awaitable<T>): Awaitable<T> {
    const failed = (cause: unknown): never => {
      this.#settings.onError(id, cause)
      throw new DholeError('unavailable', undefined, { cause })
    }
    try {
      const done = action()
      return done instanceof Promise ? done.catch(failed) : done
    } catch (cause) {
      return failed(cause)
    }
  }

  #startIdleTimer(): Timer {
    const interval = Math.min(this.#settings.idleMs / CHECKS_PER_IDLE_TIME, MAX_CHECK_INTERVAL_MS)
    return setInterval(() => this.#closeIdle(), Math.max(1, interval)).unref()
  }

  #closeIdle(): void {
    const cutoff = performance.now() - this.#settings.idleMs
    for (const tenant of this.#tenants.values()) {
      if (tenant.isKept || tenant.closing !== undefined) continue
      if (tenant.isBusy) tenant.usedAt = performance.now()
      else if (tenant.usedAt <= cutoff) void this.#retire(tenant)
    }
  }

  /** Closes an application that no request waits for. */
  #retire(tenant: Tenant): Promise<void> {
    return this.#close(tenant).catch((error) => this.#settings.onError(tenant.id, error))
  }

  #close(tenant: Tenant): Promise<void> {
    return tenant.close().finally(() => {
      if (this.#tenants.get(tenant.id) === tenant) this.#tenants.delete(tenant.id)
    })
  }
}

function existing<T>(found: T | undefined): T {
  if (found === undefined) throw new DholeError('app-unknown')
  return found
}
