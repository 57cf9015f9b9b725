import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import type { EndedConnection } from '../../../src/observer.ts'
import { silentObserver } from '../../../src/observer.ts'
import { startInProcess } from '../../support/https-server.ts'
import { RawSocket } from '../../support/raw-socket.ts'
import type { Received } from '../../support/sdk-client.ts'

const MIB = 1024 * 1024
const LENGTH = MIB / 4
const WRITES = 200
const KEYS = 20
const READS = 40

/** Joins frames to messages. */
function messagesOf(frames: readonly string[]): Received[] {
  const messages: Received[] = []
  for (let at = 0; at < frames.length; at++) {
    const count = /^\d{1,6}$/.test(frames[at] ?? '') ? Number(frames[at]) : 0
    const text = count === 0 ? (frames[at] ?? '') : frames.slice(at + 1, at + 1 + count).join('')
    at += count
    messages.push(JSON.parse(text))
  }
  return messages
}

/** What a client of a default listen to `/a` shows after pushes. */
function viewOf(messages: readonly Received[]): unknown {
  let view: Record<string, unknown> = {}
  for (const { d } of messages) {
    if (d['a'] !== 'd') continue
    const { p: path, d: data } = d['b'] as { readonly p: string; readonly d: unknown }
    if (path === '/a') view = (data ?? {}) as Record<string, unknown>
    else view[path.slice('/a/'.length)] = data
  }
  return view
}

function send(socket: RawSocket, number: number, action: string, body: unknown): void {
  socket.text(JSON.stringify({ t: 'd', d: { r: number, a: action, b: body } }))
}

test('a reader that stops gets less than all, every answer, and converges', async () => {
  let resyncs = 0
  await using server = await startInProcess({ observer: { ...silentObserver, streamResynced: () => resyncs++ } })
  await using socket = await RawSocket.connect(server)
  send(socket, 1, 'q', { p: '/a', h: '' })
  await socket.until(() => socket.texts.length > 2)
  socket.pause()
  for (let number = 0; number < READS; number++) send(socket, 100 + number, 'g', { p: '/a/k0', q: {} })
  for (let at = 0; at < WRITES; at++) {
    const body = JSON.stringify(String.fromCharCode(0x61 + (at % 26)).repeat(LENGTH) + at)
    const { status } = await server.call('PUT', `/a/k${at % KEYS}.json?print=silent`, { body })
    expect(status).toBe(204)
  }
  expect(resyncs).toBeGreaterThan(0)
  socket.resume()
  const { text } = await server.call('GET', '/a.json')
  const messages = () => messagesOf(socket.texts.slice(1))
  // The new beginning may come behind an answer.
  for (let number = 1000; ; number++) {
    send(socket, number, 's', {})
    await socket.until(() => socket.texts.at(-1)?.includes(`"r":${number},`) === true)
    if (JSON.stringify(viewOf(messages())) === text) break
  }
  const answers = messages().flatMap(({ d }) => (typeof d['r'] === 'number' && d['r'] < 1000 ? [d['r']] : []))
  expect(answers).toEqual([1, ...Array.from({ length: READS }, (_, at) => 100 + at)])
  expect(messages().filter(({ d }) => d['a'] === 'd').length).toBeLessThan(WRITES)
})

test('clients that do not read are cut off when there is no memory for more, and no other one is', async () => {
  const ends = new Set<string>()
  const cutOff = Promise.withResolvers<void>()
  const connectionEnded = ({ cause }: EndedConnection) => {
    ends.add(cause)
    cutOff.resolve()
  }
  await using server = await startInProcess({
    observer: { ...silentObserver, connectionEnded },
    clients: { maxTransferBytes: 80 * MIB },
  })
  // More than the buffers of the system take.
  for (const half of ['left', 'right']) {
    const { status } = await server.call('PUT', `/a/${half}.json?print=silent`, {
      body: JSON.stringify('x'.repeat(9 * MIB)),
    })
    expect(status).toBe(204)
  }
  await using other = await RawSocket.connect(server)
  const slow = await Promise.all(Array.from({ length: 4 }, () => RawSocket.connect(server)))
  for (const socket of slow) {
    socket.pause()
    send(socket, 1, 'g', { p: '/a', q: {} })
  }
  await cutOff.promise
  send(other, 1, 's', {})
  await other.until(() => other.texts.length > 1)
  expect(other.texts.at(-1)).toContain('"s":"ok"')
  expect([...ends]).toEqual(['too-slow'])
  for (const socket of slow) socket.cut()
})
