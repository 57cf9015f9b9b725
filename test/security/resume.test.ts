import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createCipheriv } from 'node:crypto'
import { missedChanges } from '../../src/service/missed-changes.ts'
import type { LoggedChange, Position, TreeStore } from '../../src/store/store.ts'
import { readEventId } from '../support/event-id.ts'
import { EventSource, openSource } from '../support/event-source.ts'
import { type HttpsServer, SECRET, startServer } from '../support/https-server.ts'

const admin = `auth=${encodeURIComponent(SECRET)}`

let server: HttpsServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(() => server.stop())

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

const ENTRIES = 10_240

/** A store of which nothing but its log is asked, all of it at once. */
function logged(): TreeStore {
  const data = JSON.stringify('x'.repeat(1000))
  const changesAfter = ({ seq }: Position, limit: number): LoggedChange[] =>
    Array.from({ length: Math.min(limit, ENTRIES - seq) }, (_, index) => ({
      seq: seq + index + 1,
      at: 0,
      kind: 'put',
      path: ['elsewhere', String(index)],
      data,
    }))
  return { changesAfter } as Partial<TreeStore> as TreeStore
}

test('others run while a long log is read for one stream', async () => {
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await missedChanges(logged(), { epoch: 'e', seq: 0 }, { path: ['here'], since: undefined, judge: undefined })
  isOver = true
  expect(turns).toBeGreaterThan(5)
})
