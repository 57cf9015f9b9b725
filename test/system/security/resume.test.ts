import { expect, test } from 'bun:test'
import { createCipheriv } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { missedChanges } from '../../../src/database/streams/replay.ts'
import type { LogRange, Position, TreeStore } from '../../../src/store/store.ts'
import { readEventId } from '../../support/event-id.ts'
import { EventSource, openSource } from '../../support/event-source.ts'
import { SECRET } from '../../support/https-server.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { withServer } from '../../support/with-server.ts'

const admin = `auth=${encodeURIComponent(SECRET)}`

const server = withServer()

async function send(method: string, target: string, body?: unknown): Promise<void> {
  const options = body === undefined ? {} : { body: JSON.stringify(body) }
  const { status, text } = await server.call(method, `${target}?${admin}`, options)
  if (status !== 200) throw new Error(`${method} ${target}: ${status} ${text}`)
}

/** Number of the last commit, as anybody is told who may read any node at all. */
async function lastId(): Promise<string> {
  await using source = await openSource(server, '/hall.json?resume=true')
  return (await source.nextMessage())?.id ?? ''
}

/** What a client without the key can do best: a block that says what it knows, sealed with a key of its own. */
function sealed(tree: string, seq: number): string {
  const block = Buffer.alloc(16)
  block.write(tree, 'hex')
  block.writeBigUInt64BE(BigInt(seq), 8)
  const cipher = createCipheriv('aes-128-ecb', Buffer.alloc(16), null).setAutoPadding(false)
  return cipher.update(block).toString('base64url')
}

/** All that a stream of the room tells up to a mark that is written last. */
async function toldSince(id: string): Promise<string> {
  await using source = await EventSource.open(server, '/room.json', { headers: { 'Last-Event-ID': id } })
  const told: string[] = []
  for (let message = await source.nextMessage(); message !== undefined; message = await source.nextMessage()) {
    told.push(message.raw)
    if (message.raw.includes('the mark')) break
  }
  return told.join('')
}

test('a resumed stream tells nothing that was written and deleted while nobody could read it', async () => {
  await send('PUT', '/.settings/rules.json', { rules: { hall: { '.read': true } } })
  const before = await lastId()
  await send('PUT', '/room/password.json', 'sesame')
  await send('DELETE', '/room/password.json')
  await send('PUT', '/.settings/rules.json', { rules: { hall: { '.read': true }, room: { '.read': true } } })
  await send('PUT', '/room/note.json', 'the mark')
  expect(await toldSince(before)).not.toContain('sesame')
})

test('an id that was not given out begins anew', async () => {
  await send('PUT', '/.settings/rules.json', { rules: { '.read': true } })
  await send('PUT', '/room/password.json', 'sesame')
  await send('DELETE', '/room/password.json')
  await send('PUT', '/room/note.json', 'the mark')
  const { tree } = readEventId(await lastId())
  for (const made of [`${tree}:0`, sealed(tree, 0)]) expect(await toldSince(made)).not.toContain('sesame')
})

test('an id tells nothing of how many commits there were elsewhere', async () => {
  await send('PUT', '/.settings/rules.json', { rules: { hall: { '.read': true } } })
  const ids: string[] = []
  for (let count = 0; count < 20; count++) {
    await send('PUT', '/elsewhere.json', count)
    ids.push(await lastId())
  }
  expect(new Set(ids).size).toBe(ids.length)
  // Of 16 bytes that look like chance two may agree in some places, but not in most.
  const bytes = ids.map((id) => Buffer.from(id, 'base64url'))
  for (const [index, each] of bytes.entries()) {
    const next = bytes[index + 1]
    if (next === undefined) break
    expect([...each].filter((byte, at) => byte === next[at]).length).toBeLessThan(8)
  }
  // The same commit has the same id, also after a restart and for others: clients may compare them.
  expect(await lastId()).toBe(ids.at(-1) ?? '')
})

/** Bytes that a process has read from files and sockets so far. */
function bytesRead(pid: number): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1])
}

test.skipIf(!existsSync('/proc/self/io'))('a stream that goes on reads of the log what concerns it', async () => {
  await using process = await spawnServer()
  const listening = await clientOfProcess(process)
  const put = async (target: string, body: string) => {
    expect((await listening.call('PUT', target, { body })).status).toBe(200)
  }
  await put('/mine.json', '1')
  await using source = await openSource(listening, '/mine.json?resume=true')
  const id = (await source.nextMessage())?.id ?? ''
  const body = JSON.stringify('x'.repeat(15_000))
  const writes = 400
  for (let write = 0; write < writes; write += 20) {
    await Promise.all(Array.from({ length: 20 }, (_each, more) => put(`/others/${(write + more) % 30}.json`, body)))
  }
  await put('/mine.json', '2')
  const before = bytesRead(process.pid)
  await using again = await openSource(listening, '/mine.json', { headers: { 'Last-Event-ID': id } })
  expect(await again.next()).toEqual({ kind: 'put', path: '/', data: 2 })
  expect(bytesRead(process.pid) - before).toBeLessThan((writes * body.length) / 8)
})

const ENTRIES = 10_240
const STRETCH = 64

/** A store of which nothing but its log is asked, which counts how often it is. */
function logged(entries: number, length: number) {
  let stretches = 0
  const changesNear = ({ seq }: Position): LogRange => {
    stretches++
    const last = Math.min(seq + STRETCH, entries)
    return { changes: [], seq: last, begunAt: 0, length, isLast: last === entries }
  }
  const position = () => ({ epoch: 'e', seq: entries })
  return { store: { changesNear, position } as Partial<TreeStore> as TreeStore, stretches: () => stretches }
}

const everybody = { path: ['here'], since: 0, decision: undefined }
const START = { epoch: 'e', seq: 0 }

test.each([
  ['20,000 commits', 20_000, 0, { changes: [], seq: 20_000 }, 313],
  ['more commits', 20_001, 0, undefined, 0],
  ['as much as may be read', 64 * STRETCH, 65_536, { changes: [], seq: 64 * STRETCH }, 64],
  ['more than may be read', 100 * STRETCH, 65_536, undefined, 65],
] as const)('how much of the log is read for one stream is bounded: %s', async (_, entries, length, found, read) => {
  const { store, stretches } = logged(entries, length)
  expect(await missedChanges(store, START, everybody)).toEqual(found)
  expect(stretches()).toBe(read)
})

test('others run while a long log is read for one stream', async () => {
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await missedChanges(logged(ENTRIES, 0).store, START, everybody)
  isOver = true
  expect(turns).toBeGreaterThan(5)
})
