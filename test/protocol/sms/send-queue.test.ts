import { describe, expect, test } from 'bun:test'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { sendQueueOf } from '../../../src/http/connection/send-queue.ts'

/** A connection of which we have both ends. The far end reads nothing until it is told to. */
interface Pair extends Disposable {
  readonly near: Socket
  readonly far: Socket
}

async function pair(host: string, to: string = host): Promise<Pair> {
  const accepted = Promise.withResolvers<Socket>()
  const server = createServer((socket) => accepted.resolve(socket))
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const far = connect((server.address() as AddressInfo).port, to).pause()
  const near = await accepted.promise
  return {
    near,
    far,
    [Symbol.dispose]: () => {
      near.destroy()
      far.destroy()
      server.close()
    },
  }
}

function queueOf({ remoteAddress = '', remotePort = 0, localPort = 0 }: Socket): Promise<number | undefined> {
  return sendQueueOf({ address: remoteAddress, port: remotePort }, localPort)
}

async function until(socket: Socket, isSo: (queued: number) => boolean): Promise<void> {
  for (;;) {
    const queued = await queueOf(socket)
    if (queued === undefined) throw new Error('there is no such connection')
    if (isSo(queued)) return
  }
}

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
const MUCH = Buffer.alloc(32 * 1024 * 1024)

describe.skipIf(process.platform !== 'linux')('the queue of a connection', () => {
  test.each([
    ['IPv4', '127.0.0.1', undefined, true],
    ['IPv6', '::1', undefined, hasIpv6],
    ['IPv4 on a socket for IPv6', '::', '127.0.0.1', hasIpv6],
  ] as const)('%s', async (_, host, to, isHere) => {
    if (!isHere) return
    using connection = await pair(host, to)
    const { near, far } = connection
    await until(near, (queued) => queued === 0)
    near.write(MUCH)
    await until(near, (queued) => queued > 0)
    far.resume()
    await new Promise<void>((resolve) => {
      let left = MUCH.length
      far.on('data', (bytes: Buffer) => {
        left -= bytes.length
        if (left === 0) resolve()
      })
    })
    await until(near, (queued) => queued === 0)
  })

  test('each address in the forms that it has', async () => {
    using connection = await pair('127.0.0.1')
    const { remotePort: port = 0, localPort } = connection.near
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '::FFFF:127.0.0.1']) {
      expect(await sendQueueOf({ address, port }, localPort)).toBe(0)
    }
    expect(await sendQueueOf({ address: '127.0.0.1', port })).toBe(0)
  })

  test('of a connection that is not there nothing is known', async () => {
    using connection = await pair('127.0.0.1')
    const { remotePort: port = 0, localPort = 0 } = connection.near
    expect(await sendQueueOf({ address: '127.0.0.1', port }, localPort === 1 ? 2 : 1)).toBeUndefined()
    for (const address of ['127.0.0.2', '::1', '2001:db8::1', 'fe80::1%eth0', 'nonsense', '']) {
      expect(await sendQueueOf({ address, port }, localPort)).toBeUndefined()
    }
  })

  test('many ask at the same time', async () => {
    using one = await pair('127.0.0.1')
    using other = await pair('127.0.0.1')
    one.near.write(MUCH)
    await until(one.near, (queued) => queued > 0)
    const asked = Array.from({ length: 100 }, (_, at) => queueOf(at % 2 === 0 ? one.near : other.near))
    const queued = await Promise.all(asked)
    expect(queued.map((bytes) => (bytes ?? -1) > 0)).toEqual(queued.map((_, at) => at % 2 === 0))
  })
})
