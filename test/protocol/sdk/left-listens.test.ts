import { describe, expect, test } from 'bun:test'
import type { Observer } from '../../../src/observer.ts'
import { type HttpsClient, startInProcess } from '../../support/https-server.ts'
import { frameOf, RawSocket, TEXT } from '../../support/raw-socket.ts'
import { withServer } from '../../support/with-server.ts'
import { EnginePollingClient, payload } from './engine-polling.ts'
import { beginPolling, segmentsOf } from './long-polling.ts'

let listens = 0
let ended = Promise.withResolvers<void>()

const observer: Observer = {
  storeFailed() {},
  storeTroubled() {},
  requestFailed() {},
  listenOpened: () => void listens++,
  listenClosed: () => void listens--,
  connectionEnded: () => ended.resolve(),
}

const server = withServer(() => startInProcess({ observer }))

const PUT = JSON.stringify({ t: 'd', d: { r: 1, a: 'p', b: { p: '/b', d: 1 } } })
const LISTEN = JSON.stringify({ t: 'd', d: { r: 2, a: 'q', b: { p: '/a', h: '' } } })
const RUBBISH = '{'

/** Sends requests, and then what is no message, all at once. */
type Send = (to: HttpsClient, requests: readonly string[]) => Promise<unknown>

const carriers: readonly (readonly [string, Send])[] = [
  [
    'frames of a WebSocket',
    async (to, requests) => {
      const socket = await RawSocket.connect(to)
      socket.write(Buffer.concat([...requests, RUBBISH].map((text) => frameOf(TEXT, text))))
      await socket.gone.promise
    },
  ],
  [
    'segments of long polling',
    async (to, requests) => {
      const { id, pw } = await beginPolling(to)
      await to.call('GET', `/.lp?id=${id}&pw=${pw}&ser=2&ns=app&${segmentsOf(...requests, RUBBISH)}`)
    },
  ],
  [
    'packets of one body',
    async (to, requests) => {
      const client = await EnginePollingClient.open(to)
      await client.post(requests.map((request) => payload(`42["wd",${request}]`)).join('') + payload('42[]'))
    },
  ],
]

const sent: readonly (readonly [string, readonly string[]])[] = [
  ['a listen', [LISTEN]],
  ['a listen that waits for a write', [PUT, LISTEN]],
]

describe.each(sent)('%s in front of what is no message leaves nothing behind', (_, requests) => {
  test.each(carriers)('in %s', async (_carrier, send) => {
    ended = Promise.withResolvers()
    await send(server, requests)
    await ended.promise
    // Whatever is still opened then is opened while a client is answered.
    for (let count = 0; count < 3; count++) {
      expect((await server.call('PUT', '/a.json', { body: '1' })).status).toBe(200)
    }
    expect(listens).toBe(0)
  })
})
