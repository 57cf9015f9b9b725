/** Requests over sockets, and what they are held against: one process that bills servers in turns. */
import { answer, requestOf } from '../harness/child.ts'
import { KeepAliveClient, putRequest } from '../load/keep-alive-client.ts'
import { type Answers, type Generator, type LoadRequest, type Prepared, takeTurns } from '../load/load.ts'
import { Control } from '../load/stream-publisher.ts'
import { PLACES, placePath } from '../targets/dhole-sockets.ts'
import { requestFrame, WireClient } from './wire-client.ts'

export interface SocketLoad {
  readonly url: string
  /** The server's process. */
  readonly pid: number
  readonly control: number
  /**
   * `stats`: requests with counters of clients, which the server only answers. `put`: writes of 60 bytes to all places of a
   * list in turns. `embedded`: the same writes, made by the server's own process, as many at once as there are connections.
   * `burst`: so many of them sent in one packet, and the next when all are answered. `rest`: the same writes over HTTPS, one
   * under way on each connection.
   */
  readonly kind: 'stats' | 'put' | 'embedded' | 'burst' | 'rest'
  readonly connections: number
  /** Requests under way on each connection; of a burst, writes that are sent at once. */
  readonly depth: number
}

export interface SocketLoadRequest extends Omit<LoadRequest, 'loads'> {
  readonly loads: readonly SocketLoad[]
}

const STATS = requestFrame('s', { c: { 'sdk.js.12-19-0': 1 } })
const TEXT_LENGTH = 60
/** Of all places: each is written one text and another in turns. */
const WRITES = 2 * PLACES

function putOf(index: number) {
  const path = placePath(index)
  const text = `text ${Math.floor(index / PLACES) % 2} of ${path.join(' ')} `.padEnd(TEXT_LENGTH, '.')
  return { path, text }
}

function putFrame(index: number): Buffer {
  const { path, text } = putOf(index)
  return requestFrame('p', { p: `/${path.join('/')}`, d: text })
}

/** The writes of one connection, one after the other and over again: no other writes to its places. */
function putFrames(connection: number, connections: number): Buffer[] {
  const frames: Buffer[] = []
  for (let index = connection; index < WRITES; index += connections) frames.push(putFrame(index))
  return frames
}

async function prepare(load: SocketLoad): Promise<Prepared> {
  return { title: load.kind, pid: load.pid, generate: await generatorOf(load), refused: false }
}

async function generatorOf(load: SocketLoad): Promise<Generator> {
  switch (load.kind) {
    case 'embedded':
      return embedded(load)
    case 'burst':
      return burst(load)
    case 'rest':
      return rest(load)
    default:
      return overSockets(load)
  }
}

/** Keeps so many requests under way on each connection until the time is up. */
async function overSockets({ url, kind, connections, depth }: SocketLoad): Promise<Generator> {
  const clients = await connectAll(url, connections)
  const frames = clients.map((_, connection) => (kind === 'stats' ? [STATS] : putFrames(connection, connections)))
  return timed(async (end) => {
    let answered = 0
    let underWay = 0
    const idle = Promise.withResolvers<void>()
    for (const [connection, client] of clients.entries()) {
      const own = frames[connection] ?? []
      let index = 0
      const next = () => {
        underWay++
        client.send(own[index++ % own.length] ?? STATS)
      }
      client.onAnswer = () => {
        answered++
        underWay--
        if (performance.now() < end) next()
        else if (underWay === 0) idle.resolve()
      }
      for (let each = 0; each < depth; each++) next()
    }
    await idle.promise
    return answered
  })
}

async function embedded({ control: port, connections }: SocketLoad): Promise<Generator> {
  const control = await Control.connect(port)
  return timed(async (end) => {
    let answered = 0
    for (; performance.now() < end; answered += connections) await control.publish(connections)
    return answered
  })
}

/** Sends all writes at once over one connection, and the next when all are answered. */
async function burst({ url, depth }: SocketLoad): Promise<Generator> {
  const [client] = await connectAll(url, 1)
  if (client === undefined) throw new Error('There is no connection')
  const nextPacket = packetsOf(putFrames(0, 1), depth)
  return timed(async (end) => {
    let answered = 0
    while (performance.now() < end) {
      const { promise, resolve } = Promise.withResolvers<void>()
      let missing = depth
      client.onAnswer = () => --missing === 0 && resolve()
      client.send(nextPacket())
      await promise
      answered += depth
    }
    return answered
  })
}

/** @param count at most all of them @returns makes packets of so many frames, one after the other and over again */
function packetsOf(frames: readonly Buffer[], count: number): () => Buffer {
  const twice = [...frames, ...frames]
  const bytes = Buffer.concat(twice)
  const starts = [0]
  for (const { length } of twice) starts.push((starts.at(-1) ?? 0) + length)
  let next = 0
  return () => {
    const first = next
    next = (first + count) % frames.length
    return bytes.subarray(starts[first], starts[first + count])
  }
}

/** The same writes in as many requests, shared by the connections. */
async function rest({ url, connections, depth }: SocketLoad): Promise<Generator> {
  const clients = await Promise.all(Array.from({ length: connections }, () => KeepAliveClient.connect(url)))
  const requests = Array.from({ length: depth }, (_, index) => {
    const { path, text } = putOf(index)
    return putRequest(path, text)
  })
  return timed(async (end) => {
    let answered = 0
    while (performance.now() < end) {
      let next = 0
      const sendRest = async (client: KeepAliveClient) => {
        for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
          const status = await client.send(request)
          if (status !== 200) throw new Error(`A write was answered with ${status}`)
        }
      }
      await Promise.all(clients.map(sendRest))
      answered += depth
    }
    return answered
  })
}

/** Opens them one after the other. */
async function connectAll(url: string, count: number): Promise<WireClient[]> {
  const clients: WireClient[] = []
  for (let each = 0; each < count; each++) clients.push(await WireClient.connect(url))
  return clients
}

/** @param send sends until that time and resolves with the number of answers when all are there */
function timed(send: (end: number) => Promise<number>): Generator {
  return async (seconds): Promise<Answers> => {
    const start = performance.now()
    const succeeded = await send(start + seconds * 1000)
    return { succeeded, refused: 0, failed: 0, seconds: (performance.now() - start) / 1000 }
  }
}

if (import.meta.main) {
  const { loads, ...times } = requestOf<SocketLoadRequest>()
  answer(await takeTurns(await Promise.all(loads.map(prepare)), times))
}
