import type { Application } from '../../applications/application.ts'
import type { Applications } from '../../applications/applications.ts'
import { DholeError } from '../../error.ts'
import type { AdminCaller, AdminService } from './admin-service.ts'
import { endedIn, newGeneration, withEnded } from './ended-sessions.ts'
import { claimedSession, csrfOf, isSignedWith, newSessionId, type Session, signed } from './session-token.ts'

const MINUTE_MS = 60 * 1000
/** Longest life of a session, and the longest time between two of its requests. */
export const SESSION_MS = 12 * 60 * MINUTE_MS
const IDLE_MS = 60 * MINUTE_MS
/** Age of a token from which a request renews it. */
const RENEWAL_MS = MINUTE_MS
/** Label of the key of sessions. It has no dot, so that it is never the signed text of a token. */
const LABEL = 'dhole console session key 1'
/** Names of the stored texts: ended sessions of an application, and those of the operator in the home application. */
const OF_APPLICATION = 'consoleSessions'
const OF_OPERATOR = 'operatorSessions'

/** A session that is valid now. */
export interface ValidSession {
  readonly caller: AdminCaller
  readonly session: Session
  /** Text that pages of the session send with each call. */
  readonly csrf: string
  /** Time at which the session ends, in milliseconds since 1970. */
  readonly expires: number
  /** The token to go on with, where the one that was sent is to be replaced. */
  readonly renewed: string | undefined
}

/** Key and store of the sessions of one kind. */
interface Scope extends Disposable {
  readonly caller: AdminCaller
  readonly key: Uint8Array
  /** Application that stores which sessions have ended. */
  readonly home: Application
  readonly setting: string
}

/**
 * Sessions of the console: tokens that every process can check, signed with a key of the secret that opened them, so that
 * they end with it. Which of them have ended before their time is stored beside a tree.
 * @see docs/how-to/console.md#sessions
 */
export class Sessions {
  readonly #applications: Applications
  readonly #service: AdminService
  #latest = 0

  constructor(applications: Applications, service: AdminService) {
    this.#applications = applications
    this.#service = service
  }

  /** Begins a session, with a new id. @returns its token too */
  async begin(caller: AdminCaller): Promise<ValidSession & { readonly renewed: string }> {
    using scope = await this.#scopeOf(caller.role === 'operator' ? undefined : caller.application)
    const { generation } = endedIn(await scope.home.database.administration.setting(scope.setting))
    const now = this.#now()
    const app = caller.role === 'operator' ? {} : { app: caller.application }
    const session: Session = { id: newSessionId(), ...app, begun: now, seen: now, generation }
    return { ...valid(session, scope), renewed: signed(session, scope.key) }
  }

  /** The session of a token; `undefined` when it is none, has ended, or its secret was replaced. @throws `unavailable` */
  async find(token: string): Promise<ValidSession | undefined> {
    const session = claimedSession(token)
    if (session === undefined || this.#isOver(session)) return undefined
    using scope = await this.#scopeOf(session.app).catch(unknownIsNone)
    if (scope === undefined || !isSignedWith(token, scope.key)) return undefined
    const { generation, ended } = endedIn(await scope.home.database.administration.setting(scope.setting))
    if (session.generation !== generation || ended.some(([id]) => id === session.id)) return undefined
    const now = this.#now()
    if (now - session.seen < RENEWAL_MS) return valid(session, scope)
    return { ...valid(session, scope), renewed: signed({ ...session, seen: now }, scope.key) }
  }

  /** Ends one session, on every process. Durable when it resolves. */
  async end({ session }: ValidSession): Promise<void> {
    const until = session.begun + SESSION_MS
    await this.#change(session, (stored) => withEnded(stored, session.id, until, this.#now()))
  }

  /** Ends all sessions of the operator, or of the application of the session. */
  async endAll({ session }: ValidSession): Promise<void> {
    const fresh = newGeneration()
    await this.#change(session, () => fresh)
  }

  async #change({ app }: Session, change: (stored: string | undefined) => string): Promise<void> {
    using scope = await this.#scopeOf(app)
    await scope.home.database.administration.changeSetting(scope.setting, change)
  }

  /** Keeps the application open until the scope is disposed. @throws `app-unknown`, `unavailable` */
  async #scopeOf(application: string | undefined): Promise<Scope> {
    const { homeApplication, operator } = this.#service
    const home = await this.#applications.choose(application ?? homeApplication, '')
    const held = { home, [Symbol.dispose]: home.hold() }
    if (application === undefined) {
      return { ...held, caller: { role: 'operator' }, key: operator.keyFor(LABEL), setting: OF_OPERATOR }
    }
    const caller = { role: 'application', application } as const
    return { ...held, caller, key: home.authenticator.keyFor(LABEL), setting: OF_APPLICATION }
  }

  #isOver({ begun, seen }: Session): boolean {
    const now = this.#now()
    return now - begun >= SESSION_MS || now - seen >= IDLE_MS
  }

  /** Never goes back: an ended session stays ended when the clock is set back. */
  #now(): number {
    this.#latest = Math.max(this.#latest, (this.#service.now ?? Date.now)())
    return this.#latest
  }
}

function valid(session: Session, { caller, key }: Scope): ValidSession {
  return { caller, session, csrf: csrfOf(session, key), expires: session.begun + SESSION_MS, renewed: undefined }
}

function unknownIsNone(thrown: unknown): undefined {
  if (thrown instanceof DholeError && thrown.code === 'app-unknown') return undefined
  throw thrown
}
