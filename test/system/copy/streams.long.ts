import '../../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import type { DatabaseServer, DholeOptions } from '../../../src/options.ts'
import { runDhole } from '../../support/dhole-command.ts'
import { openSource, type ReceivedEvent } from '../../support/event-source.ts'
import { type HttpsServer, startInProcess } from '../../support/https-server.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { spawnServer } from '../../support/server-process.ts'
import { put as putIn } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { withApplication } from './rich-tree.ts'

async function put(server: HttpsServer, target: string, json: unknown): Promise<void> {
  const { status, text } = await server.call('PUT', target, { body: JSON.stringify(json) })
  expect([status, text]).toEqual([200, JSON.stringify(json)])
}

/** The id of the first event of a stream, which is closed then. */
async function idOfNow(server: HttpsServer): Promise<string> {
  await using source = await openSource(server, '/.json?resume=true')
  let event: ReceivedEvent | undefined
  do event = await source.nextMessage()
  while (event?.name === 'keep-alive')
  return event?.id ?? ''
}

/** The events that a stream gets that resumes behind an id, up to a number of them. */
async function resumed(server: HttpsServer, id: string, number: number) {
  await using source = await openSource(server, '/.json', { headers: { 'Last-Event-ID': id } })
  return await source.take(number)
}

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'copies and servers', () => {
  test('a stream that resumes after a move, there and back, gets what it missed and nothing else', async () => {
    await using dir = await tempDir()
    const [folder, back] = [dir.file('data'), dir.file('back')]
    const other = dir.file('other')
    for (const each of [folder, other]) mkdirSync(`${each}/apps`, { recursive: true })
    const database: DatabaseServer = { url: databaseUrl() ?? '', schema: freshSchema() }
    const env = { DATABASE_SCHEMA: database.schema ?? '' }
    const missed = [
      { kind: 'put', path: '/a', data: 1 },
      { kind: 'put', path: '/long', data: 'x'.repeat(10_000) },
    ]
    const ids: string[] = []
    const served = async (options: DholeOptions, use: (server: HttpsServer) => Promise<void>) => {
      await using server = await startInProcess(options)
      await use(server)
    }
    await served({ dataDir: folder }, async (server) => {
      await put(server, '/first.json', true)
      ids.push(await idOfNow(server))
      for (const { path, data } of missed) await put(server, `${path}.json`, data)
    })
    const there = ['copy', '--from', folder, '--to', database.url, '--yes']
    expect(await runDhole(there, env)).toMatchObject({ status: 0 })
    // The stop of a server waits for the files of its folder, and one that was moved cannot be opened.
    await served({ dataDir: other, database }, async (server) => {
      await put(server, '/b.json', 'after')
      missed.push({ kind: 'put', path: '/b', data: 'after' })
      expect(await resumed(server, ids[0] ?? '', missed.length)).toEqual(missed as never)
      ids.push(await idOfNow(server))
      await put(server, '/c.json', 'last')
    })
    const home = ['copy', '--from', database.url, '--to', back, '--yes']
    expect(await runDhole(home, env)).toMatchObject({ status: 0 })
    await served({ dataDir: back }, async (server) => {
      await put(server, '/d.json', 'more')
      const last = [
        { kind: 'put' as const, path: '/c', data: 'last' },
        { kind: 'put' as const, path: '/d', data: 'more' },
      ]
      expect(await resumed(server, ids[1] ?? '', 2)).toEqual(last)
      expect(await resumed(server, ids[0] ?? '', missed.length + 2)).toEqual([...missed, ...last] as never)
    })
  })

  test('a server of a database ends the streams of what is moved, answers 503 and tells where it went, once', async () => {
    await using dir = await tempDir()
    const folder = dir.file('data')
    mkdirSync(`${folder}/apps`, { recursive: true })
    const database: DatabaseServer = { url: databaseUrl() ?? '', schema: freshSchema() }
    const troubles: string[] = []
    const told = Promise.withResolvers<void>()
    await using server = await startInProcess({
      dataDir: folder,
      database,
      observer: {
        storeFailed: () => {},
        storeTroubled: (_, error) => {
          troubles.push(String(error))
          told.resolve()
        },
        requestFailed: () => {},
      },
    })
    await put(server, '/a.json', 1)
    await using source = await openSource(server, '/.json')
    await source.next()
    const moved = await runDhole(['copy', '--from', database.url, '--to', dir.file('back'), '--yes'], {
      DATABASE_SCHEMA: database.schema ?? '',
    })
    expect(moved).toMatchObject({ status: 0, stderr: '' })
    await source.ended
    await told.promise
    for (const method of ['GET', 'PUT', 'GET']) {
      const body = method === 'PUT' ? '2' : undefined
      expect((await server.call(method, '/a.json', { body })).status).toBe(503)
    }
    expect(troubles).toEqual([
      expect.stringContaining(`Error: application "app": it was moved to ${dir.file('back')}: serve it from there`),
    ])
  })

  test('a server of a folder answers 503 for what was moved, and does not begin with it', async () => {
    await using dir = await tempDir()
    const folder = dir.file('data')
    const url = databaseUrl() ?? ''
    const env = { DATABASE_SCHEMA: freshSchema() }
    expect((await runDhole(['apps', 'add', 'shop', '--open', '--data-dir', folder])).status).toBe(0)
    await withApplication({ folder }, 'shop', ({ tree }) => putIn(tree, '/a', 1))
    const copy = ['copy', '--from', folder, '--to', url, '--yes']
    expect(await runDhole(copy, env)).toMatchObject({ status: 0 })
    const server = await spawnServer({ DATA_DIR: folder })
    try {
      const answer = await fetch(`${server.url}/a.json?app=shop`, {
        tls: { ca: await Bun.file(server.certificate).text() },
      })
      expect(answer.status).toBe(503)
      expect(server.output()).toMatch(/shop\.sqlite: it was moved to the schema test_\w+ of the database/)
    } finally {
      server.kill('SIGTERM')
      await server.exited
    }
    expect(await runDhole(copy, env)).toMatchObject({ status: 0 })
    const start = await runDhole(['serve'], { PORT: '0', DATA_DIR: folder })
    expect([start.status, start.stderr]).toEqual([2, expect.stringMatching(/app\.sqlite: it was moved to the schema/)])
  })
})
