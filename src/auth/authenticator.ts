import { DholeError } from '../error.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import { ADMIN, ANONYMOUS, type Caller } from './caller.ts'
import { customCaller, idCaller } from './claims.ts'
import type { FailedAttempts } from './failed-attempts.ts'
import { type IdToken, issueIdToken } from './id-token.ts'
import { Keyring } from './keyring.ts'
import type { PositionCipher } from './position-cipher.ts'
import { MAX_TOKEN_LENGTH, type SignedToken } from './signature.ts'
import { SuperSecret } from './super-secret.ts'
import type { VerifiedToken } from './token-cache.ts'

/** What opens everything in development, as with Firebase's emulator. */
const DEVELOPMENT_TOKEN = 'owner'

export interface AuthenticatorOptions {
  /** Name of the application, which ID tokens are made for. */
  readonly application: string
  /** Its super secret; not empty. */
  readonly secret: string
  /** Counts wrong credentials. Several gates may share it. */
  readonly failedAttempts: FailedAttempts
  /** Whether `Bearer owner` from this machine is an admin. Default false. */
  readonly development?: boolean
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
}

/** Where a credential came from. */
export interface CredentialOrigin {
  /**
   * Who asks, for the count of failures; `undefined` where it is not known: then nothing is counted. Read only when a
   * credential has to be verified.
   */
  readonly address: string | undefined
  /** Whether it came as `Authorization: Bearer`. */
  readonly isBearer: boolean
  /** Whether the peer is on this machine. Default false. */
  readonly isLoopback?: boolean
}

/** Judges the credentials shown to one application. @see docs/reference/protocol.md#credentials */
export class Authenticator {
  readonly #options: AuthenticatorOptions
  #keyring: Keyring
  #latest = Number.NEGATIVE_INFINITY

  constructor(options: AuthenticatorOptions) {
    this.#options = options
    this.#keyring = new Keyring(new SuperSecret(options.secret))
  }

  /**
   * Judges a credential. At once when it is absent, the secret, or a token verified before; a promise otherwise, and for
   * every failure. A bad one is an error, never "nobody". Callers are frozen, all the way down.
   * @param credential as sent, `undefined` when none was
   * @returns rejects with `bad-token`, `token-expired`, `token-payload`, `token-refused`; with `too-many-failures` for a
   *   wrong credential of an address that has shown too many
   */
  authenticate(credential: string | undefined, origin: CredentialOrigin): Awaitable<Caller> {
    if (credential === undefined) return ANONYMOUS
    if (this.#isDevelopmentToken(credential, origin)) return ADMIN
    const known = this.#keyring.cache.get(credential, this.#now())
    if (known !== undefined) return known.caller
    if (this.#isSecret(credential)) return ADMIN
    return this.#verifyWithinLimit(credential, origin).then(({ caller }) => caller)
  }

  /**
   * Makes an ID token of a custom token. The secret and ID tokens are no custom tokens.
   * @param token member of a body, as it was parsed
   * @throws `token-missing` when it is absent or null, and the errors of {@link authenticate}
   */
  async exchange(token: unknown, origin: CredentialOrigin): Promise<IdToken> {
    if (token === undefined || token === null) throw new DholeError('token-missing')
    if (typeof token !== 'string') throw new DholeError('bad-token')
    const keyring = this.#keyring
    const known = keyring.cache.get(token, this.#now())
    const { kind, caller } = known ?? (await this.#verifyWithinLimit(token, origin))
    if (kind !== 'custom') throw new DholeError('bad-token')
    const { application } = this.#options
    const idToken = await issueIdToken(caller, { application, secret: keyring.secret, now: this.#now() })
    return keyring === this.#keyring ? idToken : this.exchange(token, origin)
  }

  /** Makes ids of the positions of events, and reads them. Other ones once the secret is replaced. */
  get positions(): PositionCipher {
    return this.#keyring.positions
  }

  /** From now on the old secret and every token under it are refused; ids of events are unknown. @param secret not empty */
  rotate(secret: string): void {
    this.#keyring = new Keyring(new SuperSecret(secret))
  }

  async #verifyWithinLimit(text: string, origin: CredentialOrigin): Promise<VerifiedToken> {
    // Nothing is no guess.
    if (text === '') throw new DholeError('bad-token')
    // Read before the wait: whoever has hung up has no address any more.
    const { address } = origin
    if (address === undefined) return this.#verify(text, address)
    return this.#options.failedAttempts.runWithinLimit(address, () => this.#verify(text, address))
  }

  async #verify(text: string, address: string | undefined): Promise<VerifiedToken> {
    const keyring = this.#keyring
    let signed: SignedToken
    try {
      signed = await keyring.verify(text)
    } catch (thrown) {
      if (keyring !== this.#keyring) return this.#verify(text, address)
      // Only a signature tells who knows the secret: whoever comes too late or claims too little has not guessed.
      const isGuess = thrown instanceof DholeError && address !== undefined
      if (isGuess && (await this.#options.failedAttempts.record(address))) throw new DholeError('too-many-failures')
      throw thrown
    }
    // What was signed with a secret that is gone meanwhile is judged by the one there is now.
    if (keyring !== this.#keyring) return this.#verify(text, address)
    const judge = signed.kind === 'id' ? idCaller : customCaller
    const verified = { kind: signed.kind, caller: judge(signed.payload, this.#options.application, this.#now()) }
    keyring.cache.set(text, verified)
    return verified
  }

  /** Who it is that asks is looked up last: that is dear. */
  #isDevelopmentToken(credential: string, origin: CredentialOrigin): boolean {
    if (this.#options.development !== true || credential !== DEVELOPMENT_TOKEN) return false
    return origin.isBearer && origin.isLoopback === true
  }

  #isSecret(credential: string): boolean {
    return credential.length <= MAX_TOKEN_LENGTH && this.#keyring.secret.matches(credential)
  }

  /** Never goes back, so that a token that has expired stays so when the clock is set back. */
  #now(): number {
    this.#latest = Math.max(this.#latest, (this.#options.now ?? Date.now)())
    return this.#latest
  }
}
