import { expect } from 'bun:test'
import { SdkClient } from '../../../support/sdk-client.ts'

/** Rules of the server: hostile clients may do what they like below `open`, and nothing below `honest`. */
export const RULES = {
  rules: {
    open: { '.read': true, '.write': true, '.indexOn': ['a'] },
    honest: { '.read': "auth.uid === 'honest'", '.write': "auth.uid === 'honest'" },
  },
}

/** A well-behaved client beside hostile ones, which knows what it must be told. */
export class HonestClient {
  readonly #client: SdkClient
  #rounds = 0

  private constructor(client: SdkClient) {
    this.#client = client
  }

  /** @param token of the user `honest` */
  static async connect(server: ConstructorParameters<typeof SdkClient>[0], token: string): Promise<HonestClient> {
    const client = await SdkClient.connect(server)
    expect((await client.request('auth', { cred: token })).status).toBe('ok')
    expect((await client.request('p', { p: '/honest', d: null })).status).toBe('ok')
    expect((await client.request('q', { p: '/honest', h: '' })).status).toBe('ok')
    return new HonestClient(client)
  }

  /** Writes, reads, loses a transaction, and expects every answer and every push. */
  async round(): Promise<void> {
    const client = this.#client
    const n = ++this.#rounds
    client.take()
    const answers = await Promise.all([
      client.request('p', { p: '/honest/n', d: n }),
      client.request('m', { p: '/honest', d: { 'a/b': n, c: `x${n}` } }),
      client.request('g', { p: '/honest', q: {} }),
      client.request('p', { p: '/honest/n', d: 0, h: '' }),
      client.request('o', { p: '/honest/left', d: n }),
      client.request('oc', { p: '/honest/left', d: null }),
    ])
    expect(answers.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'datastale', 'ok', 'ok'])
    expect(answers[2]?.data).toEqual({ n, a: { b: n }, c: `x${n}` })
    const pushes = client.take().filter((message) => !message.startsWith('answer'))
    expect(pushes).toEqual([`d /honest/n ${n}`, `m /honest {"a/b":${n},"c":"x${n}"}`])
  }

  /** What is below `open` now. */
  async open(): Promise<unknown> {
    return (await this.#client.request('g', { p: '/open', q: {} })).data
  }

  async leave(): Promise<void> {
    await this.#client[Symbol.asyncDispose]()
  }
}
