import type { Application } from '../../applications/application.ts'
import { ANONYMOUS, type Caller, hasCredential } from '../../auth/caller.ts'
import { DholeError } from '../../error.ts'
import { MailboxBound, type Reservation, type ReserveMemory } from '../../hub/mailbox.ts'
import type { EndReason } from '../../hub/sink.ts'
import { piecesOf } from '../../tree/json/text-pieces.ts'
import { BadFrame, FrameReader } from './frames.ts'
import type { Listen, ListeningConnection } from './listen.ts'
import {
  ANSWER_TAIL,
  type Answer,
  answerHead,
  CREDENTIAL_ENDED,
  control,
  failure,
  revocation,
  VERSION,
} from './messages.ts'
import { type FrameSocket, Outbox } from './outbox.ts'
import { parseMessage, type RequestMessage } from './parse-message.ts'
import { Requests } from './requests.ts'

/** Codes of a close. */
const GOING_AWAY = 1001
const NOT_UNDERSTOOD = 1002
const TRY_AGAIN = 1013

/** A WebSocket of the runtime. */
export interface Socket extends FrameSocket {
  close(code: number, reason: string): void
  terminate(): void
}

/** Connection of one client. */
export interface ConnectionParts {
  readonly application: Application
  /** Host with its port, as the client has sent it: it connects there again. */
  readonly host: string
  readonly address: string | undefined
  /** Whether the client is on this machine, and no page of another site. */
  readonly isLocal: () => boolean
  /** Refuses a client without a credential where only this machine is served. @throws `permission-denied` */
  readonly checkAnonymous: () => void
  readonly reserve: ReserveMemory
  /** Maximum waiting events of all listens, in UTF-16 code units. */
  readonly maxWaiting: number
  readonly onSent: (bytes: number) => void
  readonly onFailed: (error: unknown) => void
  /** Called once, when the connection has ended. */
  readonly onEnded: () => void
}

/** A credential that the client has sent. */
interface Credential {
  readonly text: string
  readonly isBearer: boolean
  /** Replaces the caller of an admin credential. */
  readonly override: Caller | undefined
}

/**
 * One connection of an SDK. Requests take effect, and are answered, in the order in which they arrive. Before the answer
 * to a write, all listens of the connection have told it.
 * @see docs/reference/websocket.md#order
 */
export class Connection implements ListeningConnection {
  readonly id = crypto.randomUUID()
  readonly application: Application
  readonly reserve: ReserveMemory
  readonly bound: MailboxBound
  readonly #parts: ConnectionParts
  readonly #reader: FrameReader
  readonly #requests: Requests
  readonly #release: () => void
  readonly #detach: () => void
  #socket: Socket | undefined
  #outbox: Outbox | undefined
  #credential: Credential | undefined
  /** The caller whose listens are open. */
  #caller: Caller = ANONYMOUS
  #expiry: Timer | undefined
  readonly #waiting: string[] = []
  #waitingLength = 0
  #reservation: Reservation | undefined
  #isRunning = false
  #isOver = false
  readonly #ended = Promise.withResolvers<void>()

  /** @param release ends the hold of the application */
  constructor(parts: ConnectionParts) {
    const { application, reserve, maxWaiting } = parts
    this.application = application
    this.reserve = reserve
    this.bound = new MailboxBound(maxWaiting)
    this.#parts = parts
    this.#reader = new FrameReader(application.database.limits.maxWriteBytes + 1024)
    this.#requests = new Requests(application.database, this)
    this.#release = application.hold()
    this.#detach = application.database.attach(this)
  }

  /** Resolves when the connection has ended and what the client wanted written then is written. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  // Called by the runtime.

  open(socket: Socket): void {
    this.#socket = socket
    this.#outbox = new Outbox(socket, this.reserve, () => this.#close(TRY_AGAIN, 'too slow'), this.#parts.onSent)
    if (this.#isOver) socket.close(GOING_AWAY, '')
    else this.#send(control('h', { ts: Date.now(), v: VERSION, h: this.#parts.host, s: this.id }))
  }

  message(_: Socket, frame: string | Uint8Array): void {
    if (this.#isOver) return
    try {
      if (typeof frame !== 'string') throw new BadFrame('frames are text')
      const text = this.#reader.take(frame)
      if (text === undefined) this.#count()
      else this.#enqueue(text)
    } catch (error) {
      this.#close(NOT_UNDERSTOOD, error instanceof BadFrame ? error.message : 'not understood')
    }
  }

  drain(): void {
    this.#outbox?.drained()
  }

  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#expiry)
    this.#outbox?.end()
    this.#waiting.length = 0
    this.#waitingLength = 0
    this.#reservation?.release()
    this.#reservation = undefined
    this.#requests.closeListens()
    this.#detach()
    void this.#finish()
  }

  // Called by the tree.

  /** The tree is closed: the client connects again. */
  end(): void {
    this.#close(GOING_AWAY, '')
  }

  /** The secret was replaced. */
  revoke(): void {
    if (hasCredential(this.#caller)) this.#credentialEnded()
  }

  // Called by listens.

  push(text: string): Promise<void> | undefined {
    return this.#outbox?.send(text)
  }

  lost(listen: Listen, reason: EndReason | undefined): void {
    this.#requests.remove(listen)
    if (this.#isOver) return
    if (reason === undefined) this.#close(GOING_AWAY, '')
    else if (reason.kind === 'auth_revoked') this.#credentialEnded()
    else this.#send(revocation(listen.listened.path, listen.listened.sentQuery))
  }

  abort(): void {
    this.#close(TRY_AGAIN, 'too slow')
  }

  // Called by requests.

  /** The caller of the next request. @throws as `Authenticator.authenticate` when the credential is no longer valid */
  async caller(): Promise<Caller> {
    const credential = this.#credential
    if (credential === undefined) {
      this.#parts.checkAnonymous()
      return ANONYMOUS
    }
    const caller = await this.#authenticate(credential, undefined)
    return caller
  }

  /** Puts a credential in force. @throws as `Authenticator.authenticate`; then nobody is signed in */
  async signIn(credential: Credential): Promise<Caller> {
    try {
      const caller = await this.#authenticate(credential, this.#parts.address)
      this.#credential = credential
      await this.#become(caller)
      return caller
    } catch (error) {
      await this.signOut()
      throw error
    }
  }

  async signOut(): Promise<void> {
    this.#credential = undefined
    await this.#become(ANONYMOUS)
  }

  async #authenticate({ text, isBearer, override }: Credential, address: string | undefined): Promise<Caller> {
    const { isLocal } = this.#parts
    const caller = await this.application.authenticator.authenticate(text, {
      address,
      isBearer,
      get isLoopback() {
        return isLocal()
      },
    })
    if (override === undefined) return caller
    if (caller.kind !== 'admin') throw new DholeError('permission-denied')
    return { ...override, expiresAt: caller.expiresAt }
  }

  async #become(caller: Caller): Promise<void> {
    this.#caller = caller
    this.#awaitExpiry()
    await this.#requests.changeCaller(caller)
  }

  #awaitExpiry(): void {
    clearTimeout(this.#expiry)
    const { expiresAt } = this.#caller
    if (expiresAt === undefined || this.#isOver) return
    const left = Math.min(expiresAt - Date.now(), 2 ** 31 - 1)
    this.#expiry = setTimeout(() => (expiresAt <= Date.now() ? this.#credentialEnded() : this.#awaitExpiry()), left)
    this.#expiry.unref()
  }

  #credentialEnded(): void {
    if (this.#isOver || !hasCredential(this.#caller)) return
    this.#caller = ANONYMOUS
    clearTimeout(this.#expiry)
    this.#requests.closeListens()
    this.#send(CREDENTIAL_ENDED)
  }

  #enqueue(text: string): void {
    this.#waiting.push(text)
    this.#waitingLength += text.length
    this.#count()
    if (!this.#isRunning && !this.#isOver) void this.#run()
  }

  /** Counts what the client has sent and what is not processed yet. */
  #count(): void {
    const bytes = (this.#waitingLength + this.#reader.waitingLength) * 2
    if (bytes === 0) {
      this.#reservation?.release()
      this.#reservation = undefined
    } else if (this.#reservation !== undefined) this.#reservation.resize(bytes)
    else {
      const reservation = this.reserve(this, bytes, () => this.#close(TRY_AGAIN, 'no room'))
      if (this.#isOver) reservation.release()
      else this.#reservation = reservation
    }
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    try {
      for (let text = this.#waiting[0]; text !== undefined && !this.#isOver; text = this.#waiting[0]) {
        await this.#process(text)
        if (this.#isOver) break
        this.#waiting.shift()
        this.#waitingLength -= text.length
        this.#count()
      }
    } finally {
      this.#isRunning = false
    }
  }

  async #process(text: string): Promise<void> {
    let message: RequestMessage | 'ping' | 'other'
    try {
      message = await parseMessage(text, this.application.database.limits.maxWriteBytes)
    } catch {
      this.#close(NOT_UNDERSTOOD, 'a message is not understood')
      return
    }
    if (message === 'other') return
    if (message === 'ping') this.#send(control('o', {}))
    else this.#answer(message.number, await this.#answerTo(message))
    // A client that does not read its answers must not have more of its requests carried out.
    const room = this.#outbox?.room
    if (room !== undefined) await room
  }

  async #answerTo(message: RequestMessage): Promise<Answer> {
    try {
      return await this.#requests.answer(message)
    } catch (error) {
      if (!(error instanceof DholeError) || error.code === 'internal') this.#parts.onFailed(error)
      return failure(error)
    }
  }

  #answer(number: number, answer: Answer): void {
    this.#send(answerHead(number, answer) + piecesOf(answer.data).join('') + ANSWER_TAIL)
  }

  #send(text: string): void {
    void this.#outbox?.send(text)
  }

  #close(code: number, reason: string): void {
    if (this.#isOver) return
    const socket = this.#socket
    this.close()
    if (code === TRY_AGAIN) socket?.terminate()
    else socket?.close(code, reason)
  }

  async #finish(): Promise<void> {
    try {
      await this.#requests.writeOnDisconnect(this.#caller)
    } catch (error) {
      this.#parts.onFailed(error)
    } finally {
      this.#release()
      this.#parts.onEnded()
      this.#ended.resolve()
    }
  }
}
