import { describe, expect, test } from 'bun:test'
import type { WatchedChange, WatchOptions } from '../../../src/database/read-types.ts'
import { type Database, type DatabaseOptions, DholeError } from '../../../src/embedded.ts'
import { openTestDatabase } from '../../support/engine.ts'
import { turns } from '../../support/store.ts'
import { StreamCache } from '../../support/stream-cache.ts'
import { tempDir } from '../../support/temp-dir.ts'

interface Opened extends AsyncDisposable {
  readonly database: Database
}

async function open(options: Omit<DatabaseOptions, 'file'> = {}): Promise<Opened> {
  const dir = await tempDir()
  const database = await openTestDatabase({ file: dir.file('tree.sqlite'), ...options })
  return {
    database,
    [Symbol.asyncDispose]: async () => {
      await database.close()
      await dir[Symbol.asyncDispose]()
    },
  }
}

/** `put /a {"b":1}` */
function told(change: WatchedChange | undefined): string {
  return change === undefined ? 'the end' : `${change.kind} ${change.path} ${JSON.stringify(change.data)}`
}

async function next(changes: AsyncGenerator<WatchedChange, void>): Promise<string> {
  return told((await changes.next()).value ?? undefined)
}

/** The code of the refusal, or what came instead of one. */
async function refusal(database: Database, path: string, options?: WatchOptions): Promise<unknown> {
  const changes = database.watch(path, options)
  try {
    return { resolved: await changes.next() }
  } catch (error) {
    return error instanceof DholeError ? error.code : error
  } finally {
    await changes.return()
  }
}

describe('watch', () => {
  test('all there is, then every change, in a loop that breaks', async () => {
    await using opened = await open()
    const { database } = opened
    await database.put('/rooms', { lobby: { n: 1, '.priority': 4 } })
    const seen: string[] = []
    const writing = async () => {
      await database.put('/rooms/lobby/n', 2)
      await database.put('/elsewhere', 1)
      await database.patch('/', { 'rooms/hall/n': 3, other: [1] })
      await database.delete('/rooms/lobby')
      await database.put('/rooms/last', true)
    }
    let written: Promise<void> | undefined
    for await (const change of database.watch('/rooms')) {
      written ??= writing()
      seen.push(told(change))
      if (change.path === '/last') break
    }
    await written
    expect(seen).toEqual([
      'put / {"lobby":{"n":1}}',
      'put /lobby/n 2',
      'patch / {"hall/n":3}',
      'put /lobby null',
      'put /last true',
    ])
  })

  test('the path as keys, nothing there, with priorities', async () => {
    await using opened = await open()
    const { database } = opened
    const plain = database.watch(['a b', 'c'])
    const exported = database.watch('/a b/c', { export: true })
    expect([await next(plain), await next(exported)]).toEqual(['put / null', 'put / null'])
    await database.put('/a b/c', { '.value': 1, '.priority': 2 })
    await database.put('/a b/c/.priority', 3)
    await database.put('/a b/c/0', [4])
    expect([await next(plain), await next(plain)]).toEqual(['put / 1', 'put /0 [4]'])
    expect([await next(exported), await next(exported), await next(exported)]).toEqual([
      'put / {".priority":2,".value":1}',
      'put /.priority 3',
      'put /0 {"0":4}',
    ])
    await plain.return()
    await exported.return()
  })

  test('what a query chooses', async () => {
    await using opened = await open()
    const { database } = opened
    await database.put('/s', { a: 1, b: 2, c: 3 })
    const changes = database.watch('/s', { query: { orderBy: '$value', limitToLast: 2 } })
    expect(await next(changes)).toBe('put / {"b":2,"c":3}')
    await database.put('/s/a', 0)
    await database.put('/s/d', 9)
    const { value } = await changes.next()
    expect(value).toMatchObject({ kind: 'patch', path: '/', data: { d: 9, b: null } })
    await changes.return()
  })

  test('a signal ends it: before it begins, while it waits, with events still unread', async () => {
    await using opened = await open()
    const { database } = opened
    const early = database.watch('/', { signal: AbortSignal.abort() })
    expect(await next(early)).toBe('the end')
    const controller = new AbortController()
    const { signal } = controller
    const waiting = database.watch('/', { signal })
    const unread = database.watch('/', { signal })
    expect([await next(waiting), await next(unread)]).toEqual(['put / null', 'put / null'])
    const end = next(waiting)
    await turns()
    controller.abort()
    expect(await end).toBe('the end')
    await database.put('/a', 1)
    expect(await next(unread)).toBe('the end')
    expect(await next(unread)).toBe('the end')
  })

  test('each change tells where it stands, to go on from', async () => {
    await using opened = await open()
    const { database } = opened
    await database.put('/a', { b: 1 })
    const first = database.watch('/a')
    const { value } = await first.next()
    await first.return()
    expect(value?.position).toEqual(database.position())
    await database.put('/a/b', 2)
    await database.put('/z', 2)
    await database.patch('/a', { c: 3, b: null })
    const from = value?.position
    const again = database.watch('/a', { from })
    expect([await next(again), await next(again)]).toEqual(['put /b 2', 'patch / {"c":3,"b":null}'])
    await database.put('/a', 4)
    const last = await again.next()
    expect(told(last.value ?? undefined)).toBe('put / 4')
    expect(last.value?.position).toEqual(database.position())
    await again.return()
    const another = database.watch('/a', { from: { epoch: 'another', seq: from?.seq ?? 0 } })
    expect(await next(another)).toBe('put / 4')
    await another.return()
    const window = database.watch('/', { from, query: { orderBy: '$key', limitToFirst: 1 } })
    expect(await next(window)).toBe('put / {"a":4}')
    await window.return()
  })

  test('what is wrong is thrown by the loop', async () => {
    await using opened = await open({ indexPolicy: 'require', limits: { maxReadBytes: 50 } })
    const { database } = opened
    await database.put('/big', { a: 'x'.repeat(40), b: 'y'.repeat(40) })
    expect(await refusal(database, '/a$')).toBe('bad-path')
    expect(await refusal(database, '/a/.priority')).toBe('bad-parameter')
    expect(await refusal(database, '/a', { query: { orderBy: 'n' } })).toBe('index-missing')
    expect(await refusal(database, '/a', { query: { orderBy: '$key', limitToFirst: 0 } })).toBe('bad-limit')
    expect(await refusal(database, '/big')).toBe('read-too-big')
    expect(await refusal(database, '/big', { query: { orderBy: '$key' } })).toBe('read-too-big')
    await database.close()
    expect(await refusal(database, '/a')).toBe('unavailable')
    expect(await refusal(database, '/a', { query: { orderBy: '$key' } })).toBe('unavailable')
  })

  test('each of many is told everything once and in order', async () => {
    await using opened = await open()
    const { database } = opened
    const watchers = Array.from({ length: 10 }, () => database.watch('/l'))
    for (const watcher of watchers) await next(watcher)
    await Promise.all(Array.from({ length: 300 }, (_, index) => database.put(`/l/k${index % 9}`, index)))
    const expected = Array.from({ length: 300 }, (_, index) => `put /k${index % 9} ${index}`)
    for (const watcher of watchers) {
      const seen: string[] = []
      while (seen.length < expected.length) seen.push(await next(watcher))
      expect(seen).toEqual(expected)
      await watcher.return()
    }
  })

  test('who reads too slowly is told everything anew', async () => {
    await using opened = await open({ streams: { maxWaiting: 2000 } })
    const { database } = opened
    const changes = database.watch('/l')
    const cache = new StreamCache()
    const { value: first } = await changes.next()
    if (first) cache.apply(first)
    for (let index = 0; index < 200; index++) await database.put(`/l/k${index % 50}`, `${index}`.padEnd(100, '-'))
    const kinds: string[] = []
    while (kinds.at(-1) !== '/last') {
      const { value } = await changes.next()
      if (!value) break
      cache.apply(value)
      kinds.push(value.path)
      // All is told; one more change, which comes as itself.
      if (value.path === '/') await database.put('/l/last', true)
    }
    expect(kinds.filter((path) => path === '/')).toHaveLength(1)
    expect(kinds.length).toBeLessThan(30)
    expect(cache.plain).toEqual(await database.get('/l'))
    await changes.return()
  })

  test('a loop that ends is let go of: what comes later is kept for nobody', async () => {
    await using opened = await open()
    const { database } = opened
    for (let round = 0; round < 200; round++) {
      for await (const change of database.watch('/deep/down', { query: { orderBy: '$key' } })) {
        expect(told(change)).toBe(round === 0 ? 'put / null' : `put / {"n":${round}}`)
        break
      }
      await database.put('/deep/down/n', round + 1)
    }
  })
})
