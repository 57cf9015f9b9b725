import type { AdminClient } from '../../../src/admin/admin-client.ts'
import { connectServer } from '../../../src/cli/connect/admin-client.ts'
import { type Http2Client, http2Client } from '../../support/http2-client.ts'
import { type Answer, type CallOptions, clientOf } from '../../support/https-server.ts'
import type { ServerProcess } from '../../support/server-process.ts'

/** Secret of the default application. */
export const SECRET = 'the secret of a long day, which is long enough'

/** Rules of the default application: users have their own places, the rest is open. */
export function rulesText(version: number): string {
  return `{
  // version ${version}
  "rules": {
    "users": { "$uid": { ".read": "auth.uid === $uid", ".write": "auth.uid === $uid" } },
    "lists": { ".read": true, ".write": true, "$list": { ".indexOn": ["declared"] } },
    "$other": { ".read": true, ".write": true }
  }
}`
}

const SESSIONS = 4
/** An HTTP/2 connection gives way to a new one after so many requests. */
const REQUESTS_OF_SESSION = 2000

interface Session {
  readonly client: Http2Client
  requests: number
}

/** A server and the ways clients speak to it; counts what is asked. */
export class Scene {
  readonly server: ServerProcess
  readonly listening: { readonly port: number; readonly ca: string }
  requests = 0
  readonly #call: ReturnType<typeof clientOf>['call']
  #sessions: Session[] = []
  #turn = 0

  /** @param ca certificate to trust, PEM */
  constructor(server: ServerProcess, ca: string) {
    this.server = server
    this.listening = { port: Number(new URL(server.url).port), ca }
    this.#call = clientOf(this.listening.port, ca).call
  }

  /** A request over HTTP/1.1 on a connection that is kept. */
  http1(method: string, target: string, options?: CallOptions): Promise<Answer> {
    this.requests++
    return this.#call(method, target, options)
  }

  /** A request over HTTP/2. */
  http2(method: string, target: string, options?: CallOptions): Promise<Answer> {
    this.requests++
    return this.#session().call(method, target, options)
  }

  /** One that has to be answered with one of these statuses. @throws Error otherwise */
  async ask(
    over: 'http1' | 'http2',
    method: string,
    target: string,
    { expect = [200], ...options }: CallOptions & { readonly expect?: readonly number[] } = {},
  ): Promise<Answer> {
    const answer = await this[over](method, target, options)
    if (!expect.includes(answer.status)) {
      throw new Error(`${method} ${target.slice(0, 80)}: ${answer.status} ${answer.text.slice(0, 200)}`)
    }
    return answer
  }

  /** Admin operations of the running server. @throws Error when it does not take commands */
  async admin(): Promise<AdminClient> {
    const server = await connectServer(this.server.dataDir)
    if (server === undefined) throw new Error('the server takes no commands')
    return server
  }

  /** Lets go of the HTTP/2 connections; the next request opens others. */
  async rest(): Promise<void> {
    const sessions = this.#sessions
    this.#sessions = []
    await Promise.all(sessions.map(({ client }) => client[Symbol.asyncDispose]()))
  }

  #session(): Http2Client {
    const at = this.#turn++ % SESSIONS
    let session = this.#sessions[at]
    if (session === undefined || session.requests >= REQUESTS_OF_SESSION) {
      // What is under way on the old one is finished before it closes.
      void session?.client[Symbol.asyncDispose]()
      session = { client: http2Client(this.server.url, this.listening.ca), requests: 0 }
      this.#sessions[at] = session
    }
    session.requests++
    return session.client
  }
}
