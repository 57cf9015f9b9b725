import { expect, test } from 'bun:test'
import type { Observer } from '../../../src/observer.ts'
import { type HttpsServer, startInProcess } from '../../support/https-server.ts'
import { frameOf, RawSocket, TEXT } from '../../support/raw-socket.ts'
import { withServer } from '../../support/with-server.ts'
import { EnginePollingClient, payload } from './engine-polling.ts'

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

const LISTEN = JSON.stringify({ t: 'd', d: { r: 1, a: 'q', b: { p: '/a', h: '' } } })
const RUBBISH = '{'

/** Sends a listen and what is no message, both at once. */
const carriers: readonly (readonly [string, (to: HttpsServer) => Promise<unknown>])[] = [
  [
    'in frames of a WebSocket',
    async (to) => {
      const socket = await RawSocket.connect(to)
      socket.write(Buffer.concat([frameOf(TEXT, LISTEN), frameOf(TEXT, RUBBISH)]))
      await socket.gone.promise
    },
  ],
  [
    'in segments of long polling',
    async (to) => {
      const { text } = await to.call('GET', '/.lp?start=t&ser=1&cb=1&v=5&ns=app')
      const [, id = '', pw = ''] = /\("start","([^"]+)","([^"]+)"\)/.exec(text) ?? []
      const parameters = [LISTEN, RUBBISH].map((message, at) => {
        return `seg${at}=${at}&ts${at}=1&d${at}=${Buffer.from(message).toString('base64url')}.`
      })
      await to.call('GET', `/.lp?id=${id}&pw=${pw}&ser=2&ns=app&${parameters.join('&')}`)
    },
  ],
  [
    'in packets of one body',
    async (to) => {
      const client = await EnginePollingClient.open(to)
      await client.post(payload(`42["wd",${LISTEN}]`) + payload('42[]'))
    },
  ],
]

test.each(carriers)('a listen in front of what is no message leaves nothing behind: %s', async (_, send) => {
  ended = Promise.withResolvers()
  await send(server)
  await ended.promise
  // Whatever is still opened then is opened while a client is answered.
  for (let count = 0; count < 3; count++) expect((await server.call('PUT', '/a.json', { body: '1' })).status).toBe(200)
  expect(listens).toBe(0)
})
