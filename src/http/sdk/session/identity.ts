import type { Authenticator } from '../../../auth/authenticator.ts'
import { ANONYMOUS, type Caller, hasCredential } from '../../../auth/caller.ts'
import type { Access } from '../../../database/access/access.ts'
import { DholeError } from '../../../error.ts'
import type { Awaitable } from '../../../scheduling/awaitable.ts'

/** Longest timeout of a timer, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** A credential that a client has sent. */
export interface Credential {
  readonly text: string
  readonly isBearer: boolean
  /** Replaces the caller of an admin credential. */
  readonly override: Caller | undefined
}

/** Where a client is, as far as credentials depend on it. */
export interface ClientPlace {
  readonly address: string | undefined
  /** Whether it is on this machine, and no page of another site. */
  readonly isLocal: boolean
  /** Refuses a client without a credential where only this machine is served. @throws `permission-denied` */
  readonly checkAnonymous: () => void
}

const NOBODY: Access = { as: ANONYMOUS }

/** Who the client of one session is. */
export class Identity {
  readonly #authenticator: Authenticator
  readonly #place: ClientPlace
  readonly #onEnded: () => void
  #credential: Credential | undefined
  #caller: Caller = ANONYMOUS
  #expiry: Timer | undefined

  /** @param onEnded called when the credential in force has expired */
  constructor(authenticator: Authenticator, place: ClientPlace, onEnded: () => void) {
    this.#authenticator = authenticator
    this.#place = place
    this.#onEnded = onEnded
  }

  /** The caller as of the last credential. */
  get known(): Caller {
    return this.#caller
  }

  get hasCredential(): boolean {
    return hasCredential(this.#caller)
  }

  /** Whether the time of the credential is over. */
  get hasExpired(): boolean {
    return (this.#caller.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now()
  }

  /** The caller of a request that is carried out now. @throws when the credential is no longer valid, now or later */
  current(): Awaitable<Access> {
    const credential = this.#credential
    if (credential === undefined) {
      this.#place.checkAnonymous()
      return NOBODY
    }
    const { keys } = this.#authenticator
    const caller = this.#authenticate(credential, undefined)
    return caller instanceof Promise ? caller.then((as) => ({ as, keys })) : { as: caller, keys }
  }

  /** Puts a credential in force. @throws as `Authenticator.authenticate`; then no user is signed in */
  async signIn(credential: Credential): Promise<Caller> {
    this.signOut()
    const caller = await this.#authenticate(credential, this.#place.address)
    this.#credential = credential
    this.#caller = caller
    this.#awaitExpiry(caller)
    return caller
  }

  signOut(): void {
    this.#credential = undefined
    this.#caller = ANONYMOUS
    clearTimeout(this.#expiry)
  }

  /** The credential is no longer valid: requests fail until there is another one. */
  invalidate(): void {
    this.#caller = ANONYMOUS
    clearTimeout(this.#expiry)
  }

  #authenticate({ text, isBearer, override }: Credential, address: string | undefined): Awaitable<Caller> {
    const { isLocal: isLoopback } = this.#place
    const caller = this.#authenticator.authenticate(text, { address, isBearer, isLoopback })
    if (override === undefined) return caller
    return caller instanceof Promise
      ? caller.then((known) => overridden(known, override))
      : overridden(caller, override)
  }

  #awaitExpiry({ expiresAt }: Caller): void {
    clearTimeout(this.#expiry)
    if (expiresAt === undefined) return
    const expired = () =>
      expiresAt <= Date.now() ? this.#onEnded() : this.#awaitExpiry({ ...this.#caller, expiresAt })
    this.#expiry = setTimeout(expired, Math.min(Math.max(expiresAt - Date.now(), 0), LONGEST_TIMER_MS))
    this.#expiry.unref()
  }
}

/** The caller that an admin acts as. */
function overridden(caller: Caller, override: Caller): Caller {
  if (caller.kind !== 'admin') throw new DholeError('permission-denied')
  return { ...override, expiresAt: caller.expiresAt }
}
