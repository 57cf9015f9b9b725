import { describe, expect, test } from 'bun:test'
import { Pulse } from '../../../src/http/sdk/socket/silent-sockets.ts'
import { type EndedConnection, silentObserver } from '../../../src/observer.ts'
import { type HttpsClient, startInProcess } from '../../support/https-server.ts'
import { longTest } from '../../support/lane.ts'
import { RawSocket } from '../../support/raw-socket.ts'
import { SdkClient } from '../../support/sdk-client.ts'

/** A server that waits a second for a sign of life. */
async function serving() {
  const ended: EndedConnection[] = []
  const endedFirst = Promise.withResolvers<void>()
  const connectionEnded = (connection: EndedConnection) => {
    ended.push(connection)
    endedFirst.resolve()
  }
  const server = await startInProcess({
    clients: { socketSeconds: 1 },
    observer: { ...silentObserver, connectionEnded },
  })
  return { ...server, ended, endedFirst: endedFirst.promise }
}

function send(socket: RawSocket, number: number, action: string, body: unknown): void {
  socket.text(JSON.stringify({ t: 'd', d: { r: number, a: action, b: body } }))
}

/** A client that answers no pings, listens to `/busy`, and wants something written when it has gone. */
async function silentClient(server: HttpsClient): Promise<RawSocket> {
  const socket = await RawSocket.connect(server, { isPolite: false })
  send(socket, 1, 'q', { p: '/busy', h: '' })
  send(socket, 2, 'o', { p: '/left', d: 'gone' })
  await socket.until(() => socket.texts.at(-1)?.includes('"r":2') === true)
  return socket
}

describe('a client within the time of silence', () => {
  test('that neither reads nor answers pings is cut off, and what it leaves is written', async () => {
    await using server = await serving()
    await using socket = await silentClient(server)
    socket.pause()
    await server.endedFirst
    expect(server.ended).toMatchObject([{ cause: 'lost', carrier: 'websocket' }])
    expect((await server.call('GET', '/left.json')).text).toBe('"gone"')
  })

  longTest('that reads what others write, but answers no pings, is cut off too', async () => {
    await using server = await serving()
    await using socket = await silentClient(server)
    await using other = await SdkClient.connect(server)
    let writes = 0
    while (server.ended.length === 0) await other.request('p', { p: '/busy', d: ++writes })
    expect(server.ended).toMatchObject([{ cause: 'lost' }])
    await socket.gone.promise
    expect(socket.pings).toBeGreaterThan(0)
    expect((await server.call('GET', '/left.json')).text).toBe('"gone"')
  })

  longTest('that answers pings is kept', async () => {
    await using server = await serving()
    await using socket = await RawSocket.connect(server)
    // Each ping comes when half of the time has passed in silence.
    await socket.until(() => socket.pings >= 4)
    send(socket, 1, 's', {})
    await socket.until(() => socket.texts.length > 1)
    expect(socket.texts[1]).toContain('"s":"ok"')
    expect(server.ended).toEqual([])
  })

  test('that sends something, but answers no pings, is kept', async () => {
    await using server = await serving()
    await using talking = await RawSocket.connect(server, { isPolite: false })
    await using silent = await RawSocket.connect(server, { isPolite: false })
    for (let number = 1; server.ended.length === 0; number++) {
      send(talking, number, 's', {})
      await talking.until(() => talking.texts.length > number)
    }
    await silent.gone.promise
    expect(server.ended).toHaveLength(1)
  })
})

test('a client that is allowed more time is asked, and cut off, later', () => {
  const seen: string[] = []
  const pulse = new Pulse({ ping: () => seen.push('ping'), terminate: () => seen.push('cut off') }, 11)
  const look = (times: number) => Array.from({ length: times }, () => pulse.look())
  look(10)
  expect(seen).toEqual(['ping'])
  pulse.heard()
  look(11)
  expect(seen).toEqual(['ping', 'ping', 'cut off'])
})
