import { ANONYMOUS } from '../../../auth/caller.ts'
import { DholeError } from '../../../error.ts'
import { MailboxBound, type ReserveMemory } from '../../../hub/mailbox.ts'
import type { EndReason } from '../../../hub/sink.ts'
import { joined } from '../../../tree/json/text-pieces.ts'
import type { Path } from '../../../tree/path.ts'
import { Inbox } from '../requests/inbox.ts'
import { SessionWrites } from '../requests/session-writes.ts'
import type { Carrier, EndCause, NextCarrier } from './carrier.ts'
import { HeldMemory } from './held-memory.ts'
import { type Credential, Identity } from './identity.ts'
import type { ListedListens, Listen, ListeningConnection } from './listen.ts'
import { ANSWER_TAIL, type Answer, answerHead, CREDENTIAL_ENDED, control, failure, revocation } from './messages.ts'
import { isWrite, type Message, type RequestMessage } from './parse-message.ts'
import { Requests } from './requests.ts'
import type { SessionParts } from './session-parts.ts'

const BYTES_PER_UNIT = 2
/** Length of a message beside its data. */
const ENVELOPE = 1024
/** Actions that are carried out although their client has left. */
const WRITING: ReadonlySet<string> = new Set(['p', 'm', 'o', 'om', 'oc', 'auth', 'gauth', 'unauth'])

/**
 * One session of an SDK. Requests take effect, and are answered, in the order in which they arrive. Before the answer to
 * a write, all listens of the session have sent its events.
 * @see docs/reference/sdk-protocol.md#order
 */
export class Session implements ListeningConnection {
  readonly id = crypto.randomUUID()
  readonly reserve: ReserveMemory
  readonly bound: MailboxBound
  readonly #parts: SessionParts
  readonly #maxBytes: number
  readonly #identity: Identity
  readonly #requests: Requests
  #writes: SessionWrites | undefined
  readonly #release: () => void
  readonly #detach: () => void
  readonly #inbox: Inbox
  readonly #memory: HeldMemory
  #carrier: Carrier | undefined
  /** A carrier that the client has chosen, until it has sent everything by the old one. */
  #next: NextCarrier | undefined
  #isOver = false
  readonly #ended = Promise.withResolvers<void>()

  constructor(parts: SessionParts) {
    const { application, place, reserve, maxWaiting } = parts
    const { authenticator, database } = application
    this.reserve = reserve
    this.#memory = new HeldMemory(reserve, () => this.abort())
    this.bound = new MailboxBound(maxWaiting)
    this.#inbox = new Inbox(this, parts.pace, {
      message: database.limits.maxWriteBytes,
      waiting: parts.maxWaitingBytes,
    })
    this.#parts = parts
    this.#maxBytes = database.limits.maxWriteBytes
    this.#identity = new Identity(authenticator, place, () => this.#credentialEnded())
    this.#requests = new Requests(database, this, parts.maxListens)
    this.#release = application.hold()
    this.#detach = database.sessions.add(this)
  }

  get streams(): ListedListens {
    return this.#parts.streams
  }

  get applicationId(): string {
    return this.#parts.application.id
  }

  get address(): string | undefined {
    return this.#parts.place.address
  }

  get uid(): string | undefined {
    const uid = this.#identity.known.auth?.['uid']
    return typeof uid === 'string' ? uid : undefined
  }

  /** Longest message of a client, in UTF-16 code units. */
  get maxLength(): number {
    return this.#maxBytes + ENVELOPE
  }

  /** Whether something is stored for its end. */
  get isStored(): boolean {
    return this.#requests.onDisconnect.isStored
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Resolves when the session has ended and what its client wanted written then is written. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Says hello. */
  begin(carrier: Carrier): void {
    this.#carrier = carrier
    if (this.#isOver) carrier.end('away', '')
    else {
      const { host, dialect } = this.#parts
      this.#send(control('h', { ts: Date.now(), v: dialect.version, h: host, s: this.id }))
    }
  }

  /** The client goes on with another carrier once it has said so on the old one. */
  upgrade(next: NextCarrier): void {
    this.#next = next
  }

  /** A carrier has been lost. The session ends with the one that it speaks on. */
  carrierLost(carrier: Carrier): void {
    if (this.#next === carrier) this.#next = undefined
    else if (this.#carrier === carrier || this.#carrier === undefined) this.close()
  }

  /** Takes a message of the client. */
  receive(text: string): void {
    if (this.#isOver) return
    this.#inbox.add(text)
  }

  /** The client has left. What it has sent before is carried out. */
  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#inbox.hurry()
    this.#requests.close()
    this.#writes?.close()
    this.#detach()
    void this.#finish()
  }

  /** Ends the session because of what the client has sent. */
  refuse(reason: string, cause: EndCause = 'not-understood'): void {
    this.#end(cause, reason)
  }

  /** The tree is closed, or the client has begun another session, perhaps on another process. */
  end(): void {
    this.#end('away', '')
  }

  /** The secret was replaced. */
  revoke(): void {
    if (this.#isOver) return
    void this.#requests.onDisconnect.changeCaller(ANONYMOUS).catch((error) => this.#parts.onFailed(error))
    this.#credentialEnded()
  }

  push(text: string): Promise<void> | undefined {
    return this.#carrier?.send(text)
  }

  lost(listen: Listen, reason: EndReason | undefined): void {
    this.#requests.remove(listen)
    if (this.#isOver) return
    if (reason === undefined) this.end()
    else if (reason.kind === 'auth_revoked') this.#identity.hasExpired ? this.#credentialEnded() : this.revoke()
    else this.#send(revocation(listen.listened.path, listen.listened.sentQuery))
  }

  abort(): void {
    this.#end('too-slow', '')
  }

  access() {
    return this.#identity.current()
  }

  async signIn(credential: Credential) {
    try {
      return await this.#identity.signIn(credential)
    } finally {
      await this.#requests.changeCaller(this.#identity.known)
    }
  }

  async signOut(): Promise<void> {
    this.#identity.signOut()
    await this.#requests.changeCaller(this.#identity.known)
  }

  /** What the client wanted written at its end is still written for its user, unless the credential was revoked. */
  #credentialEnded(): void {
    if (this.#isOver || !this.#identity.hasCredential) return
    this.#identity.invalidate()
    this.#requests.closeListens()
    this.#send(CREDENTIAL_ENDED)
    if (this.#parts.dialect.endsWithCredential === true) this.end()
  }

  reported(path: Path): Promise<unknown> | undefined {
    return this.#requests.reported(path)
  }

  answer(request: number, answer: Answer): void {
    this.#parts.onAnswered(answer.status)
    this.#send(answerHead(request, answer) + joined(answer.data) + ANSWER_TAIL)
    answer.onSent?.()
    this.count()
  }

  together(work: () => void): void {
    const carrier = this.#carrier
    if (carrier?.together === undefined) work()
    else carrier.together(work)
  }

  failed(error: unknown): Answer {
    if (!(error instanceof DholeError) || error.code === 'internal') this.#parts.onFailed(error)
    return failure(error, this.#parts.dialect)
  }

  /** Counts what waits to be carried out, what is under way, and what the client keeps here. */
  count(): void {
    const length = this.#inbox.length + (this.#writes?.length ?? 0)
    this.#memory.resize(length * BYTES_PER_UNIT + this.#requests.heldBytes)
  }

  carryOut(message: Message, length: number): Promise<void> | undefined {
    if ('control' in message) this.#takeControl(message.control)
    else if (!this.#isOver || WRITING.has(message.action)) {
      const going = isWrite(message) ? this.#write(message, length) : this.#request(message)
      if (going !== undefined) return going.then(() => this.#carrier?.room)
    }
    // The requests of a client that does not read its answers must wait.
    return this.#carrier?.room
  }

  #write(message: RequestMessage, length: number): Promise<void> | undefined {
    this.#writes ??= new SessionWrites(this.#parts.application.database, this)
    return this.#writes.take(message, length)
  }

  #request(message: RequestMessage): Promise<void> | undefined {
    const writing = this.#writes?.ended
    if (writing !== undefined) return writing.then(() => this.carryOut(message, 0))
    try {
      const answer = this.#requests.answer(message)
      if (!(answer instanceof Promise)) this.answer(message.number, answer)
      else {
        return answer.then(
          (known) => this.answer(message.number, known),
          (error: unknown) => this.answer(message.number, this.failed(error)),
        )
      }
    } catch (error) {
      this.answer(message.number, this.failed(error))
    }
    return undefined
  }

  #takeControl(type: unknown): void {
    if (type === 'p') this.#send(control('o', {}))
    // The client has sent everything that it sends by the old carrier.
    else if (type === 'n' && this.#next !== undefined) this.#switch(this.#next)
  }

  #switch(next: NextCarrier): void {
    this.#next = undefined
    this.#send(control('n', {}))
    this.#carrier = next
    next.takeOver()
  }

  #send(text: string): void {
    void this.push(text)
  }

  #end(...why: Parameters<Carrier['end']>): void {
    if (this.#isOver) return
    this.#inbox.empty()
    this.close()
    this.#carrier?.end(...why)
    this.#next?.end(...why)
  }

  async #finish(): Promise<void> {
    try {
      await this.#inbox.running
      await this.#writes?.ended
      await this.#requests.onDisconnect.end()
    } catch (error) {
      this.#parts.onFailed(error)
    } finally {
      this.#memory.release()
      this.#identity.signOut()
      this.#release()
      this.#parts.onEnded()
      this.#ended.resolve()
    }
  }
}
