import { mobiles, type Pushed, pushed, SmsClient, type Status } from '../../protocol/sms/calls.ts'
import { SMS_KEY } from '../../protocol/sms/service.ts'
import type { Random } from './random.ts'
import { expectStatus, type OnAcknowledged, type Server, type Witness } from './witness.ts'

/** Batches that are looked at after a crash; of older ones all has been told. */
const WATCHED_BATCHES = 20
const MOST_MESSAGES = 6
const DELIVERED = 2

/** One message, as far as its client knows. */
interface Message {
  /** Whether its end was reported, and that acknowledged. */
  isFinal: boolean
  /** Whether somebody was told of its end. */
  isTold: boolean
  /** Whether the process was killed before there was a sign that it had kept that. */
  mayRepeat: boolean
}

/** What was sent last and not answered yet. */
type UnderWay =
  | { readonly kind: 'record'; readonly rrid: string; readonly numbers: readonly string[] }
  | { readonly kind: 'report'; readonly rrid: string; readonly numbers: readonly string[] }

/** Records messages, reports what became of them and asks for the news. */
export class MessageClient implements Witness {
  readonly name: string
  /** What acknowledged reports said, in order, if that is kept. */
  readonly reported: { readonly rrid: string; readonly numbers: readonly string[] }[] = []
  readonly #app: string
  readonly #random: Random
  readonly #onAcknowledged: OnAcknowledged
  readonly #keepsAll: boolean
  readonly #batches = new Map<string, Map<string, Message>>()
  #number = 0
  #underWay: UnderWay | undefined
  /** Told, with no sign yet that the server has written that down. */
  #unsigned = new Set<Message>()

  constructor(app: string, random: Random, onAcknowledged: OnAcknowledged, keepsAll: boolean) {
    this.#keepsAll = keepsAll
    this.name = `${app} messages`
    this.#app = app
    this.#random = random
    this.#onAcknowledged = onAcknowledged
  }

  async act(server: Server): Promise<void> {
    const client = this.#clientOf(server)
    const rrid = `${this.#app}-${++this.#number}`
    const numbers = mobiles(1 + this.#random.below(MOST_MESSAGES), this.#number * MOST_MESSAGES)
    await this.#record(client, rrid, numbers)
    await this.#report(client, rrid, numbers.slice(0, 1 + this.#random.below(numbers.length)))
    if (this.#random.happens(0.3)) await this.#fetchNews(client)
  }

  async settle(server: Server): Promise<readonly string[]> {
    const client = this.#clientOf(server)
    const problems: string[] = []
    await this.#settleUnderWay(client, problems)
    for (const [rrid, messages] of [...this.#batches].slice(-WATCHED_BATCHES)) {
      const statuses = statusesByMobile(await this.#statuses(client, rrid))
      for (const [mobile, { isFinal }] of messages) {
        const status = statuses.get(mobile)
        if (status === undefined) problems.push(`${rrid} ${mobile}: recorded, and not there`)
        else if ((status.status === DELIVERED) !== isFinal) {
          problems.push(`${rrid} ${mobile}: in state ${status.status}, ${isFinal ? '' : 'not '}reported as delivered`)
        }
      }
    }
    for (const message of this.#unsigned) message.mayRepeat = true
    this.#unsigned.clear()
    while ((await this.#fetchNews(client, problems)) > 0);
    for (const [rrid, messages] of this.#batches) {
      for (const [mobile, { isFinal, isTold }] of messages) {
        if (isFinal && !isTold) problems.push(`${rrid} ${mobile}: delivered, and nobody was told`)
      }
    }
    for (const rrid of [...this.#batches.keys()].slice(0, -WATCHED_BATCHES)) this.#batches.delete(rrid)
    return problems.map((problem) => `${this.name}: ${problem}`)
  }

  #clientOf(server: Server): SmsClient {
    return new SmsClient(server.call, this.#app, SMS_KEY)
  }

  async #record(client: SmsClient, rrid: string, numbers: readonly string[]): Promise<void> {
    this.#underWay = { kind: 'record', rrid, numbers }
    expectStatus(`${this.name}: record`, await client.batch({ mobiles: JSON.stringify(numbers), rrid }), 200)
    this.#noteRecord(rrid, numbers)
    this.#sign()
  }

  async #report(client: SmsClient, rrid: string, numbers: readonly string[]): Promise<void> {
    this.#underWay = { kind: 'report', rrid, numbers }
    const data = numbers.map((mobile): Pushed => pushed(rrid, mobile))
    expectStatus(`${this.name}: report`, await client.push(JSON.stringify({ type: 1, data })), 200)
    this.#noteReport(rrid, numbers)
    this.#sign()
  }

  #noteRecord(rrid: string, numbers: readonly string[]): void {
    this.#batches.set(
      rrid,
      new Map(numbers.map((mobile) => [mobile, { isFinal: false, isTold: false, mayRepeat: false }])),
    )
  }

  #noteReport(rrid: string, numbers: readonly string[]): void {
    this.#onAcknowledged(this.name)
    if (this.#keepsAll) this.reported.push({ rrid, numbers })
    for (const mobile of numbers) {
      const message = this.#batches.get(rrid)?.get(mobile)
      if (message !== undefined) message.isFinal = true
    }
  }

  /** A write was acknowledged: all that the server wrote down before it is durable too. */
  #sign(): void {
    this.#underWay = undefined
    this.#unsigned.clear()
  }

  /** All of it is there or nothing is. */
  async #settleUnderWay(client: SmsClient, problems: string[]): Promise<void> {
    const call = this.#underWay
    this.#underWay = undefined
    if (call === undefined) return
    const { rrid, numbers } = call
    const statuses = statusesByMobile(await this.#statuses(client, rrid))
    const isThere = (mobile: string) =>
      call.kind === 'record' ? statuses.has(mobile) : statuses.get(mobile)?.status === DELIVERED
    const there = numbers.filter(isThere)
    if (there.length > 0 && there.length < numbers.length) problems.push(`${rrid}: half of a ${call.kind}`)
    if (there.length === 0) return
    if (call.kind === 'record') this.#noteRecord(rrid, numbers)
    else this.#noteReport(rrid, numbers)
  }

  async #statuses(client: SmsClient, rrid: string): Promise<readonly Status[]> {
    const answer = await client.sendSigned('GET', 'v1/status', { rrid })
    expectStatus(`${this.name}: status`, answer, 200)
    return (JSON.parse(answer.text) as { data: readonly Status[] }).data
  }

  /** @returns how many were told */
  async #fetchNews(client: SmsClient, problems: string[] = []): Promise<number> {
    const answer = await client.news()
    expectStatus(`${this.name}: news`, answer, 200)
    const { data } = JSON.parse(answer.text) as { data: readonly Status[] }
    for (const { rrid, mobile } of data) {
      const message = this.#batches.get(rrid)?.get(mobile)
      if (message === undefined) problems.push(`${rrid} ${mobile}: told of what was not recorded, or long ago`)
      else if (!message.isFinal) problems.push(`${rrid} ${mobile}: told before it was reported`)
      else if (message.isTold && !message.mayRepeat) problems.push(`${rrid} ${mobile}: told again`)
      if (message === undefined) continue
      message.isTold = true
      message.mayRepeat = false
      this.#unsigned.add(message)
    }
    return data.length
  }
}

function statusesByMobile(statuses: readonly Status[]): Map<string, Status> {
  return new Map(statuses.map((status) => [status.mobile, status]))
}
