import type { KeyObject } from 'node:crypto'
import { DholeError } from '../error.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import { ADMIN, ANONYMOUS, type Caller } from './caller.ts'
import { customCaller, idCaller, unsignedCaller } from './claims.ts'
import type { FailedAttempts } from './failed-attempts.ts'
import { type IdToken, issueIdToken } from './id-token.ts'
import { Keyring } from './keyring.ts'
import { mintWith, type TokenOptions } from './mint.ts'
import type { PositionCipher } from './position-cipher.ts'
import {
  issueSession,
  issueSignInToken,
  type SessionTokens,
  type SignedInUser,
  signedInOf,
  signedInUserOf,
  verifyRefreshToken,
} from './sign-in/session-tokens.ts'
import type { SignedIn } from './sign-in/signed-in.ts'
import { signInOf, verifyTicket } from './sign-in/ticket.ts'
import { algorithmOf, MAX_TOKEN_LENGTH, unsignedPayload } from './signature.ts'
import { SuperSecret } from './super-secret.ts'
import type { VerifiedToken } from './token-cache.ts'
import { decodedPart, reasonOf } from './token-parts.ts'

/** Bearer token of an admin in development, as with Firebase's emulator. */
const DEVELOPMENT_TOKEN = 'owner'

export interface AuthenticatorOptions {
  /** Name of the application; the audience of its ID tokens. */
  readonly application: string
  /** Super secret of the application; not empty. */
  readonly secret: string
  /** Counts wrong credentials. Several authenticators may share it. */
  readonly failedAttempts: FailedAttempts
  /** Public keys whose custom tokens sign users in. Default none. */
  readonly serviceKeys?: readonly KeyObject[]
  /** Whether `Bearer owner` from this machine is an admin, and unsigned tokens from it are accepted. Default false. */
  readonly development?: boolean
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
}

/** The content of a token, and whether it is accepted. */
export interface InspectedToken {
  /** Decoded JSON, whatever it is; `null` where there is none. */
  readonly header: unknown
  readonly payload: unknown
  readonly verdict: 'valid' | 'refused'
  /** Why it is refused. */
  readonly reason?: string
}

/** How a credential was received. */
export interface CredentialOrigin {
  /**
   * Address of the client, for the count of failures; `undefined` counts nothing. Read only when a credential has to be
   * verified.
   */
  readonly address: string | undefined
  /** Whether it came as `Authorization: Bearer`. */
  readonly isBearer: boolean
  /** Whether the peer is on this machine. Default false. */
  readonly isLoopback?: boolean
}

/** Authenticates the requests to one application by their credentials. @see docs/reference/protocol.md#credentials */
export class Authenticator {
  readonly #options: AuthenticatorOptions
  #keyring: Keyring
  #latest = Number.NEGATIVE_INFINITY

  constructor(options: AuthenticatorOptions) {
    this.#options = options
    this.#keyring = new Keyring(new SuperSecret(options.secret))
  }

  /**
   * Authenticates a credential. The result is synchronous for no credential, the secret and a cached token; a promise
   * otherwise, and for every failure. A bad credential is an error, never an anonymous caller. Callers are deeply frozen.
   * @param credential as sent, `undefined` for none
   * @returns rejects with `bad-token`, `token-expired`, `token-payload`, `token-refused`; and `too-many-failures` for a
   *   wrong credential of an address that has sent too many
   */
  authenticate(credential: string | undefined, origin: CredentialOrigin): Awaitable<Caller> {
    if (credential === undefined) return ANONYMOUS
    if (this.#isDevelopmentToken(credential, origin)) return ADMIN
    const known = this.#keyring.cache.get(credential, this.#now())
    if (known !== undefined) return known.caller
    if (this.#isSecret(credential)) return ADMIN
    if (this.#isDevelopmentUser(credential, origin)) return callerOfUnsigned(credential)
    return this.#verifyWithinLimit(credential, origin).then(({ caller }) => caller)
  }

  /**
   * Exchanges a custom token for an ID token. The secret and ID tokens cannot be exchanged.
   * @param token parsed member of a request body
   * @throws `token-missing` when it is absent or null, and the errors of {@link authenticate}
   */
  async exchange(token: unknown, origin: CredentialOrigin): Promise<IdToken> {
    const text = textOf(token)
    const keyring = this.#keyring
    const known = keyring.cache.get(text, this.#now())
    const { kind, caller } = known ?? (await this.#verifyWithinLimit(text, origin))
    if (kind !== 'custom') throw new DholeError('bad-token')
    const { application } = this.#options
    const idToken = await issueIdToken(caller, { application, secret: keyring.secret, now: this.#now() })
    return keyring === this.#keyring ? idToken : this.exchange(text, origin)
  }

  /**
   * Signs a user in with a custom token.
   * @param token parsed member of a request body
   * @throws as {@link exchange}; `token-payload` also for a token without a user and claims of reserved names
   * @see docs/reference/protocol.md#sign-in
   */
  async signIn(token: unknown, origin: CredentialOrigin): Promise<SessionTokens> {
    const text = textOf(token)
    const { application, serviceKeys = [], development = false } = this.#options
    const keys = {
      service: serviceKeys,
      acceptsUnsigned: development && algorithmOf(text) === 'none' && origin.isLoopback === true,
    }
    return this.#issued(async () => {
      const ticket = await this.#withinLimit(text, origin, (keyring) => verifyTicket(text, keyring, keys))
      return signInOf(ticket, application, this.#now())
    }, issueSession)
  }

  /**
   * Makes a new ID token for a refresh token. @param token parsed member of a request body
   * @throws `token-missing`, `bad-token`, `token-expired`, `token-payload`, `token-refused`, `too-many-failures`
   */
  async refresh(token: unknown, origin: CredentialOrigin): Promise<SessionTokens> {
    const text = textOf(token)
    return this.#issued(
      async () => {
        const verify = ({ secret }: Keyring) => verifyRefreshToken(text, secret)
        return signedInOf(await this.#withinLimit(text, origin, verify), this.#options.application, this.#now())
      },
      async (user, options) => ({
        uid: user.uid,
        idToken: await issueSignInToken(user, options),
        refreshToken: text,
      }),
    )
  }

  /**
   * The user of the ID token of a sign-in. @param token parsed member of a request body
   * @throws as {@link refresh}
   */
  async account(token: unknown, origin: CredentialOrigin): Promise<SignedInUser> {
    const text = textOf(token)
    const known = this.#keyring.cache.get(text, this.#now())
    const { kind, caller } = known ?? (await this.#verifyWithinLimit(text, origin))
    const user = kind === 'id' ? signedInUserOf(caller) : undefined
    if (user === undefined) throw new DholeError('bad-token')
    return user
  }

  /** Makes a custom token. @throws as `mintToken` */
  mint(options: TokenOptions): Promise<string> {
    return mintWith(this.#keyring.secret, options)
  }

  /** Whether a text is the super secret. Takes the same time for all texts of one length. */
  isSuperSecret(text: string): boolean {
    return this.#isSecret(text)
  }

  /** A key of the super secret for one purpose; another one once the secret is replaced. @see SuperSecret.keyFor */
  keyFor(label: string): Uint8Array {
    return this.#keyring.secret.keyFor(label)
  }

  /** What a token holds, and whether it is accepted now. A wrong one does not count as an attempt. */
  async inspect(text: string): Promise<InspectedToken> {
    const [header, payload] = [decodedPart(text, 0), decodedPart(text, 1)]
    try {
      const signed = await this.#keyring.verify(text)
      const callerOf = signed.kind === 'id' ? idCaller : customCaller
      callerOf(signed.payload, this.#options.application, this.#now())
      return { header, payload, verdict: 'valid' }
    } catch (thrown) {
      if (!(thrown instanceof DholeError)) throw thrown
      return { header, payload, verdict: 'refused', reason: reasonOf(thrown.code) }
    }
  }

  /** Encrypts and decrypts event ids. Replaced together with the secret. */
  get positions(): PositionCipher {
    return this.#keyring.positions
  }

  /** The keys that callers are identified by now. */
  get keys(): { readonly isReplaced: boolean } {
    return this.#keyring
  }

  /** Replaces the secret. The old secret, its tokens and its event ids become invalid. @param secret not empty */
  rotate(secret: string): void {
    this.#keyring.isReplaced = true
    this.#keyring = new Keyring(new SuperSecret(secret))
  }

  /** Issues what `user` may have, with the keys that are in force at the end. */
  async #issued<T>(
    user: () => Promise<SignedIn>,
    issue: (user: SignedIn, options: { application: string; secret: SuperSecret; now: number }) => Promise<T>,
  ): Promise<T> {
    const keyring = this.#keyring
    const { application } = this.#options
    const issued = await issue(await user(), { application, secret: keyring.secret, now: this.#now() })
    return keyring === this.#keyring ? issued : this.#issued(user, issue)
  }

  async #verifyWithinLimit(text: string, origin: CredentialOrigin): Promise<VerifiedToken> {
    const verify = async (keyring: Keyring) => ({ keyring, signed: await keyring.verify(text) })
    const { keyring, signed } = await this.#withinLimit(text, origin, verify)
    if (keyring !== this.#keyring) return this.#verifyWithinLimit(text, origin)
    const callerOf = signed.kind === 'id' ? idCaller : customCaller
    const verified = { kind: signed.kind, caller: callerOf(signed.payload, this.#options.application, this.#now()) }
    keyring.cache.set(text, verified)
    return verified
  }

  /** Verifies a signature with the keys that are in force at the end; few of one network at the same time. */
  async #withinLimit<T>(text: string, origin: CredentialOrigin, verify: (keyring: Keyring) => Promise<T>): Promise<T> {
    // An empty credential counts as no attempt.
    if (text === '') throw new DholeError('bad-token')
    // Read before the wait: a closed connection has no address.
    const { address } = origin
    if (address === undefined) return this.#verify(address, verify)
    return this.#options.failedAttempts.runWithinLimit(address, () => this.#verify(address, verify))
  }

  async #verify<T>(address: string | undefined, verify: (keyring: Keyring) => Promise<T>): Promise<T> {
    const keyring = this.#keyring
    let signed: T
    try {
      signed = await verify(keyring)
    } catch (thrown) {
      if (keyring !== this.#keyring) return this.#verify(address, verify)
      // Only a wrong signature counts as an attempt: expired or incomplete tokens are no guesses of the secret.
      const isGuess = thrown instanceof DholeError && address !== undefined
      if (isGuess && (await this.#options.failedAttempts.record(address))) throw new DholeError('too-many-failures')
      throw thrown
    }
    // The secret was replaced meanwhile: verify with the new one.
    return keyring === this.#keyring ? signed : this.#verify(address, verify)
  }

  /** Reads `isLoopback` last; it costs a system call. */
  #isDevelopmentToken(credential: string, origin: CredentialOrigin): boolean {
    if (this.#options.development !== true || credential !== DEVELOPMENT_TOKEN) return false
    return origin.isBearer && origin.isLoopback === true
  }

  /** Whether it is to be taken for a token without a signature. */
  #isDevelopmentUser(credential: string, origin: CredentialOrigin): boolean {
    return this.#options.development === true && credential.endsWith('.') && origin.isLoopback === true
  }

  #isSecret(credential: string): boolean {
    return credential.length <= MAX_TOKEN_LENGTH && this.#keyring.secret.matches(credential)
  }

  /** Never goes back: an expired token stays expired when the clock is set back. */
  #now(): number {
    this.#latest = Math.max(this.#latest, (this.#options.now ?? Date.now)())
    return this.#latest
  }
}

/** @throws as `unsignedPayload` and `unsignedCaller`, later */
async function callerOfUnsigned(text: string): Promise<Caller> {
  return unsignedCaller(unsignedPayload(text))
}

/** @param token parsed member of a request body @throws `token-missing`, `bad-token` */
function textOf(token: unknown): string {
  if (token === undefined || token === null) throw new DholeError('token-missing')
  if (typeof token !== 'string') throw new DholeError('bad-token')
  return token
}
