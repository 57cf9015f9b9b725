import type { HttpsClient } from '../../../support/https-server.ts'
import { RawSocket } from '../../../support/raw-socket.ts'
import type { EnginePollStep, PollStep, SocketStep } from './steps.ts'

/** Statuses of answers; `error` is one that should not be. */
const STATUSES = new Set([
  ...['ok', 'permission_denied', 'datastale', 'invalid_token', 'expired_token'],
  ...['too_big', 'unavailable', 'invalid_path', 'invalid_data'],
])
const CLOSED = new Set([1000, 1001, 1002, 1005, 1006, 1007, 1008, 1009])
const FIRST_FAILURE = 500
const UNAVAILABLE = 503
/** Longest message of long polling that is tried, so that it fits into a URL. */
const LONGEST_POLLED = 3000

/** A hostile client. */
export interface Actor {
  /** Does its steps. What it is told is not waited for. */
  play(): Promise<void>
  /** Leaves. @returns what was wrong with what it was told */
  end(): Promise<readonly string[]>
}

/** What is wrong with a message of the server. */
function messageProblems(text: string): readonly string[] {
  try {
    const { t, d } = JSON.parse(text)
    const isAnswer = t === 'd' && d.r !== undefined
    return !isAnswer || STATUSES.has(d.b.s) ? [] : [`an answer has the status ${d.b.s}`]
  } catch {
    return [`a message is no JSON: ${text.slice(0, 200)}`]
  }
}

/** Whole messages of frames; the last one may be cut off. */
function* messagesOf(frames: readonly string[]): Generator<string> {
  for (let at = 0; at < frames.length; at++) {
    const frame = frames[at] ?? ''
    if (!/^\d{1,6}$/.test(frame)) yield frame
    else {
      const end = at + 1 + Number(frame)
      if (end > frames.length) return
      yield frames.slice(at + 1, end).join('')
      at = end - 1
    }
  }
}

function* messagesOfPackets(frames: readonly string[]): Generator<string> {
  for (const frame of frames) if (frame.startsWith('42["wd",')) yield frame.slice('42["wd",'.length, -1)
}

/** A client that comes by WebSocket. */
export class SocketActor implements Actor {
  readonly #server: HttpsClient
  readonly #steps: readonly SocketStep[]
  readonly #kind: 'socket' | 'engine'
  readonly #sockets: RawSocket[] = []

  constructor(server: HttpsClient, kind: 'socket' | 'engine', steps: readonly SocketStep[]) {
    this.#server = server
    this.#kind = kind
    this.#steps = steps
  }

  async play(): Promise<void> {
    let socket = await this.#open('')
    for (const step of this.#steps) {
      if (step.does === 'send') socket.write(step.bytes)
      else if (step.does === 'cut') socket.cut()
      else socket = await this.#open(step.isSame ? sessionIn(socket.texts) : '')
    }
  }

  async end(): Promise<readonly string[]> {
    const problems: string[] = []
    for (const socket of this.#sockets) {
      socket.cut()
      await socket.gone.promise
      const { code } = await socket.closed.promise
      if (!CLOSED.has(code)) problems.push(`closed with ${code}`)
      const messages = this.#kind === 'socket' ? messagesOf(socket.texts) : messagesOfPackets(socket.texts)
      for (const message of messages) problems.push(...messageProblems(message))
    }
    return problems
  }

  async #open(session: string): Promise<RawSocket> {
    const path =
      this.#kind === 'socket'
        ? `/.ws?v=5&ns=app${session === '' ? '' : `&ls=${session}`}`
        : `/.ws/?v=1.0&EIO=3&transport=websocket${session === '' ? '' : `&s=${session}`}`
    const socket = new RawSocket(this.#server, { path })
    this.#sockets.push(socket)
    await socket.until(() => socket.texts.some((text) => text.includes('"t":"h"')))
    return socket
  }
}

function sessionIn(texts: readonly string[]): string {
  return /"s":"([\w-]+)"\}/.exec(texts.find((text) => text.includes('"t":"h"')) ?? '')?.[1] ?? ''
}

/** A client that comes by requests. Those that are held are answered when it leaves. */
abstract class AskingActor {
  readonly #server: HttpsClient
  readonly #asked: Promise<readonly string[]>[] = []

  constructor(server: HttpsClient) {
    this.#server = server
  }

  protected ask(method: string, target: string, body?: string): void {
    const asked = this.#server.call(method, target, { body }).then(({ status, text }) => {
      if (status >= FIRST_FAILURE && status !== UNAVAILABLE) return [`${method} ${target.slice(0, 100)} is ${status}`]
      return /"r":\d+,"b":\{"s":"error"/.test(text) ? ['an answer has the status error'] : []
    })
    this.#asked.push(asked)
  }

  protected async begin(target: string): Promise<string> {
    return (await this.#server.call('GET', target)).text
  }

  protected async answered(): Promise<readonly string[]> {
    return (await Promise.all(this.#asked)).flat()
  }
}

/** A browser that polls. */
export class PollActor extends AskingActor implements Actor {
  readonly #steps: readonly PollStep[]
  #id = ''
  #password = ''
  #segment = 0

  constructor(server: HttpsClient, steps: readonly PollStep[]) {
    super(server)
    this.#steps = steps
  }

  async play(): Promise<void> {
    const text = await this.begin('/.lp?start=t&ser=1&cb=1&v=5&ns=app')
    const [, id = '', password = ''] = /\("start","([^"]+)","([^"]+)"\)/.exec(text) ?? []
    this.#id = id
    this.#password = password
    for (const step of this.#steps) this.#take(step)
  }

  end(): Promise<readonly string[]> {
    this.ask('GET', `/.lp?id=${this.#id}&pw=${this.#password}&ns=app&disconn=t`)
    return this.answered()
  }

  #take({ message, lie, isHeld }: PollStep): void {
    const place = `id=${lie === 'id' ? 'x' : this.#id}&pw=${lie === 'password' ? 'x' : this.#password}&ns=app`
    const data = lie === 'base64' ? '%00*' : Buffer.from(message.slice(0, LONGEST_POLLED)).toString('base64url')
    const number = lie === 'number' ? this.#segment + 7 : this.#segment
    const count = lie === 'count' ? 3 : 1
    if (lie === undefined || lie === 'count' || lie === 'twice') this.#segment++
    const segment = `seg0=${number}&ts0=${count}&d0=${data}`
    const again = lie === 'twice' ? `&seg1=${number}&ts1=1&d1=${data}` : ''
    this.ask('GET', `/.lp?${place}&${segment}${again}`)
    if (isHeld) this.ask('GET', `/.lp?${place}`)
  }
}

/** A client of Wilddog's protocol that polls. */
export class EnginePollActor extends AskingActor implements Actor {
  readonly #steps: readonly EnginePollStep[]
  #id = ''

  constructor(server: HttpsClient, steps: readonly EnginePollStep[]) {
    super(server)
    this.#steps = steps
  }

  async play(): Promise<void> {
    const text = await this.begin('/.ws/?v=1.0&EIO=3&transport=polling&b64=1')
    this.#id = /"sid":"([\w-]+)"/.exec(text)?.[1] ?? ''
    for (const { body, isForeign, isHeld } of this.#steps) {
      const target = `/.ws/?EIO=3&transport=polling&b64=1&sid=${isForeign ? 'none' : this.#id}`
      this.ask('POST', target, body)
      if (isHeld) this.ask('GET', target)
    }
  }

  end(): Promise<readonly string[]> {
    this.ask('POST', `/.ws/?EIO=3&transport=polling&sid=${this.#id}`, '1:1')
    return this.answered()
  }
}
