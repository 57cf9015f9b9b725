import type { Caller } from '../../../auth/caller.ts'
import type { Access } from '../../../database/access/access.ts'
import type { Database } from '../../../database/database.ts'
import { DholeError } from '../../../error.ts'
import type { Awaitable } from '../../../scheduling/awaitable.ts'
import { loopTurn } from '../../../scheduling/loop-turn.ts'
import { inTurns } from '../../../scheduling/turns.ts'
import { joined } from '../../../tree/json/text-pieces.ts'
import type { Path } from '../../../tree/path.ts'
import { OnDisconnect } from '../on-disconnect/on-disconnect.ts'
import type { Credential } from './identity.ts'
import { Listen, type ListeningConnection } from './listen.ts'
import { Listens } from './listens.ts'
import { type Answer, listText, OK, OK_OBJECT } from './messages.ts'
import { dataOf, pathOf, REFUSED, type RequestMessage } from './parse-message.ts'
import { queryOf, sentQueryOf } from './wire-query.ts'

type Body = RequestMessage['body']

/** Reads of the data of one answer while a listen goes on to send changes of it. */
const MOST_READS = 3
/** Length of a hash: SHA-1 in base64. */
const HASH_LENGTH = 28
const BYTES_PER_UNIT = 2

/** What requests need of their connection. */
interface RequestingConnection extends ListeningConnection {
  /** Id of the session. */
  readonly id: string
  /** The caller of the request. @throws when the credential is no longer valid, now or later */
  access(): Awaitable<Access>
  /** @throws when the credential is refused */
  signIn(credential: Credential): Promise<Caller>
  signOut(): Promise<void>
}

/** Carries out the requests of one connection but sets and merges. @see docs/reference/sdk-protocol.md#actions */
export class Requests {
  readonly #database: Database
  readonly #connection: RequestingConnection
  readonly #maxListens: number
  #listens = new Listens()
  #isClosed = false
  /** What the client wants written when its session has ended. */
  readonly onDisconnect: OnDisconnect

  constructor(database: Database, connection: RequestingConnection, maxListens: number) {
    this.#database = database
    this.#maxListens = maxListens
    this.#connection = connection
    this.onDisconnect = new OnDisconnect(database, connection.id)
  }

  /** Memory that the client takes here, in bytes. */
  get heldBytes(): number {
    return this.#listens.heldBytes + this.onDisconnect.length * BYTES_PER_UNIT
  }

  /** @throws what the request fails with, now or later */
  answer({ action, body }: RequestMessage): Awaitable<Answer> {
    switch (action) {
      case 'q':
      case 'l':
        return this.#listen(body)
      case 'n':
      case 'u':
        return this.#unlisten(body)
      case 'g':
        return this.#get(body)
      case 'o':
        return this.#keep(body, 'set')
      case 'om':
        return this.#keep(body, 'merge')
      case 'oc':
        return this.onDisconnect.forget(pathOf(body)).then(() => OK)
      case 'auth':
        return this.#signIn(body, false)
      case 'gauth':
        return this.#signIn(body, true)
      case 'unauth':
        return this.#connection.signOut().then(() => OK)
      case 's':
      case 'appcheck':
      case 'unappeck':
      case 'unappcheck':
        return OK
      case REFUSED:
        throw body['error'] instanceof DholeError ? body['error'] : new DholeError('write-too-big')
      default:
        throw new DholeError('bad-parameter', `There is no action ${JSON.stringify(action)}`)
    }
  }

  remove(listen: Listen): void {
    this.#listens.remove(listen)
  }

  /** Listens send no more events. Where they are many, their streams are closed in several turns of the event loop. */
  closeListens(): void {
    const listens = this.#listens.all()
    this.#listens = new Listens()
    for (const listen of listens) listen.stop()
    void closeAll(listens)
  }

  /** The session is over: no listen is open, and none is opened any more. */
  close(): void {
    this.#isClosed = true
    this.closeListens()
  }

  /** Judges all listens for another caller. */
  async changeCaller(caller: Caller): Promise<void> {
    for (const listen of this.#listens.all()) await listen.changeCaller({ as: caller })
    await this.onDisconnect.changeCaller(caller)
  }

  async #listen(body: Body): Promise<Answer> {
    const path = pathOf(body)
    const tag = tagOf(body)
    const query = queryOf(body['q'])
    const sentQuery = sentQueryOf(body['q'])
    const access = await this.#connection.access()
    // The client may have left meanwhile.
    if (this.#isClosed) throw new DholeError('unavailable')
    const former = this.#listens.get({ path, tag })
    this.#end(former)
    // The former one may have sent changes after the client has made its hash.
    const hash = former === undefined ? hashOf(body) : ''
    const listened = { path, tag, isFiltered: query !== undefined, sentQuery, hash }
    if (this.#listens.size >= this.#maxListens) throw new DholeError('quota')
    const listen = new Listen(listened, this.#connection, this.#listens)
    this.#listens.add(listen)
    try {
      listen.opened(await this.#database.sessions.listen(path, { query, export: true, ...access }, listen))
    } catch (error) {
      this.#end(listen)
      throw error
    }
    await listen.begun
    return OK_OBJECT
  }

  #unlisten(body: Body): Answer {
    this.#end(this.#listens.get({ path: pathOf(body), tag: tagOf(body) }))
    return OK
  }

  #end(listen: Listen | undefined): void {
    if (listen === undefined) return
    listen.close()
    this.#listens.remove(listen)
  }

  /**
   * Clients take the answer for the present data of their listens. So where a listen has sent something since the data was
   * read, it is read again, and in the end the listen begins anew behind the answer.
   */
  async #get(body: Body): Promise<Answer> {
    const path = pathOf(body)
    const query = queryOf(body['q'])
    const access = await this.#connection.access()
    for (let attempt = 1; ; attempt++) {
      const sent = this.#listens.sentNear(path, query !== undefined)
      const found =
        query === undefined ? await this.#database.node(path, access) : await this.#database.select(path, query, access)
      const text = found === undefined ? 'null' : await inTurns(found.inSteps('export'))
      if (sent?.hasChanged === true && attempt < MOST_READS) continue
      return { status: 'ok', data: query === undefined ? text : listText(joined(text)), onSent: sent?.beginAgain }
    }
  }

  /** @returns resolves when all listens near a path have sent what was committed there; `undefined` if they have */
  reported(path: Path): Promise<unknown> | undefined {
    if (this.#listens.size === 0) return undefined
    const { seq } = this.#database.position()
    let waiting: Promise<void>[] | undefined
    for (const listen of this.#listens.near(path)) {
      const reported = listen?.reported(seq)
      if (reported === undefined) continue
      waiting ??= []
      waiting.push(reported)
    }
    return waiting && Promise.all(waiting)
  }

  async #keep(body: Body, kind: 'set' | 'merge'): Promise<Answer> {
    const [path, data] = [pathOf(body), dataOf(body)]
    await this.onDisconnect.keep(path, data, kind, await this.#connection.access())
    return OK
  }

  async #signIn(body: Body, isBearer: boolean): Promise<Answer> {
    const text = body['cred']
    if (typeof text !== 'string') throw new DholeError('bad-token')
    const caller = await this.#connection.signIn({ text, isBearer, override: overrideOf(body) })
    const expires = caller.expiresAt === undefined ? undefined : Math.floor(caller.expiresAt / 1000)
    return { status: 'ok', data: JSON.stringify({ auth: caller.auth, expires }) }
  }
}

async function closeAll(listens: readonly Listen[]): Promise<void> {
  for (const listen of listens) {
    listen.close()
    if (loopTurn.isOver) await loopTurn.pause()
  }
}

function tagOf(body: Body): number | undefined {
  const tag = body['t']
  if (tag === undefined || tag === null) return undefined
  if (typeof tag !== 'number' || !Number.isSafeInteger(tag) || tag < 0) throw new DholeError('bad-parameter')
  return tag
}

/** Hash of what the client has; empty for what is none. */
function hashOf({ h: hash }: Body): string {
  return typeof hash === 'string' && hash.length === HASH_LENGTH ? hash : ''
}

/** The caller that an admin acts as; `undefined` for itself. */
function overrideOf(body: Body): Caller | undefined {
  if (body['noauth'] === true) return { kind: 'user', auth: null }
  const auth = body['authvar']
  if (auth === undefined || auth === null) return undefined
  if (typeof auth !== 'object' || Array.isArray(auth)) throw new DholeError('bad-parameter')
  return { kind: 'user', auth: auth as Record<string, unknown> }
}
