import type { Status } from '../../protocol/sms/calls.ts'
import { CODES } from './plan.ts'

/** Which message: by its place, or by what the gateway calls it. */
export type Name = { readonly rrid: string; readonly mobile: string } | { readonly messageId: string }

/** What a call says of one message. */
export interface Said {
  readonly name: Name
  readonly code: string
  readonly isSuccess: boolean
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A call that may change something, as the rules have it. */
export type Write =
  | {
      readonly kind: 'record'
      readonly rrid: string
      readonly mobiles: readonly string[]
      readonly ids: readonly string[]
    }
  | { readonly kind: 'report'; readonly said: readonly Said[]; readonly isSpoiled: boolean }

/** What a call is answered, and which messages it has brought to their end, in order. */
export interface Outcome {
  readonly answer: string
  readonly finals: readonly string[]
}

/** Answer to a call that changes nothing because something is wrong with it. */
const REFUSED = '70002'

interface Message {
  readonly rrid: string
  readonly mobile: string
  status: 0 | 1 | 2 | 3
  code: string
  at: number | undefined
}

/** All there is to know of a message. */
export interface Known extends Readonly<Message> {
  readonly record: Status
}

const OFFSET_MS = 8 * 60 * 60 * 1000

/** A moment as records tell it, in the default zone. */
export function receiveTime(at: number): string {
  return new Date(at + OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')
}

/** Name of a message among all. */
export function keyOf({ rrid, mobile }: Pick<Status, 'rrid' | 'mobile'>): string {
  return `${rrid}/${mobile}`
}

/** The rules once more, in memory: what messages there are and what has been said of them. Changes can be taken back. */
export class Ledger {
  readonly #batches = new Map<string, readonly Message[]>()
  readonly #messages = new Map<string, Message>()
  /** The newest message of each id. */
  readonly #ids = new Map<string, Message>()
  readonly #undo: (() => void)[] = []

  /** Names of all batches. */
  get rrids(): readonly string[] {
    return [...this.#batches.keys()]
  }

  /** Names of all messages. */
  get keys(): readonly string[] {
    return [...this.#messages.keys()]
  }

  /** The message of a name. */
  message(key: string): Known | undefined {
    const message = this.#messages.get(key)
    return message && { ...message, record: recordOf(message) }
  }

  /** A batch as the query by rrid answers. */
  batch(rrid: string): readonly Status[] {
    return (this.#batches.get(rrid) ?? []).map(recordOf)
  }

  /** A point to which one can go back. */
  get mark(): number {
    return this.#undo.length
  }

  goBack(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.()
  }

  apply(write: Write): Outcome {
    if (write.kind === 'record') return { answer: this.#record(write), finals: [] }
    if (write.isSpoiled) return { answer: REFUSED, finals: [] }
    const finals: string[] = []
    let accepted = 0
    for (const said of write.said) {
      const before = this.#find(said.name)
      if (before !== undefined && this.#say(before, said, finals)) accepted++
    }
    return { answer: JSON.stringify({ accepted, ignored: write.said.length - accepted }), finals }
  }

  #record({ rrid, mobiles, ids }: Write & { kind: 'record' }): string {
    const known = this.#batches.get(rrid)
    const answer = JSON.stringify({ rrid })
    if (known !== undefined) return known.map(({ mobile }) => mobile).join() === mobiles.join() ? answer : REFUSED
    const batch = mobiles.map((mobile): Message => ({ rrid, mobile, status: 0, code: '', at: undefined }))
    this.#put(this.#batches, rrid, batch)
    for (const message of batch) this.#put(this.#messages, keyOf(message), message)
    for (const [position, id] of ids.entries()) {
      const message = batch[position]
      if (message !== undefined) this.#put(this.#ids, id, message)
    }
    return answer
  }

  #find(name: Name): Message | undefined {
    return 'messageId' in name ? this.#ids.get(name.messageId) : this.#messages.get(keyOf(name))
  }

  /** @returns whether it is accepted */
  #say(message: Message, { code, isSuccess, at }: Said, finals: string[]): boolean {
    const status = CODES.get(code) ?? (isSuccess ? 2 : 3)
    if (message.status === status && message.code === code) return true
    if (message.status > 1) return false
    const before = { ...message }
    this.#undo.push(() => Object.assign(message, before))
    Object.assign(message, { status, code, at })
    if (status > 1) finals.push(keyOf(message))
    return true
  }

  #put<T>(map: Map<string, T>, key: string, value: T): void {
    const before = map.get(key)
    this.#undo.push(() => {
      if (before === undefined) map.delete(key)
      else map.set(key, before)
    })
    map.set(key, value)
  }
}

function recordOf({ rrid, mobile, status, code, at }: Message): Status {
  const time = status > 1 && at !== undefined ? receiveTime(at) : ''
  return { status, mobile, receiveTime: time, rrid, deliveryStatus: code }
}
