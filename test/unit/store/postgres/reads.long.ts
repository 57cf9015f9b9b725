import '../../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { silentObserver } from '../../../../src/observer.ts'
import { makeQuery } from '../../../../src/query/query.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { type AuthorizeRead, type Reads, TRUSTED } from '../../../../src/tree/read-program.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { type Watch, watchedDatabase } from '../../../support/postgres/watched-database.ts'
import { plain, put, strictObserver, turns, unlimited, watch, wide } from '../../../support/store.ts'

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'reads of PostgreSQL', () => {
  let database: PostgresDatabase
  let trees = 0
  beforeAll(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
  })
  afterAll(() => database.close())

  const open = (watching: Watch, cacheLength = 0) => {
    trees++
    const watched = watchedDatabase(database, watching)
    return PostgresStore.open(watched, `tree ${trees}`, { inlineLength: 30, cacheLength }, strictObserver)
  }

  /** Counts what a store reads. */
  const counted = () => {
    const read = { statements: 0, length: 0 }
    const watching: Watch = {
      onRead: (_, __, rows) => {
        read.statements++
        read.length += JSON.stringify(rows).length
      },
    }
    return { read, watching }
  }

  test('an answer of a batch that this process has not applied yet waits for it', async () => {
    const events: string[] = []
    const committed = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    let isGated = false
    await using store = await open({
      onRead: () => void (isGated && events.push('read')),
      onCommitted: async () => {
        if (!isGated) return
        committed.resolve()
        await gate.promise
      },
    })
    await put(store, '/n', 1)
    isGated = true
    store.follow({ commits: () => void events.push('told') })
    const writing = put(store, '/n', 2)
    await committed.promise
    const reading = watch(Promise.resolve(store.node(['n'], unlimited, TRUSTED)).finally(() => events.push('answered')))
    while (!events.includes('read')) await turns(1)
    await turns(20)
    expect([reading.state, store.position().seq]).toEqual(['waiting', 1])
    gate.resolve()
    await writing
    while (reading.state === 'waiting') await turns(1)
    expect(reading.value?.plain).toBe('2')
    expect(events.indexOf('told')).toBeLessThan(events.indexOf('answered'))
  })

  test('what another process has acknowledged is seen, cached, asked for in order, and by the rules', async () => {
    const schema = freshSchema()
    const url = databaseUrl() ?? ''
    const [one, two] = [await PostgresDatabase.open({ url, schema }), await PostgresDatabase.open({ url, schema })]
    {
      await using writer = await PostgresStore.open(one, 'app', { inlineLength: 0 }, strictObserver)
      await using reader = await PostgresStore.open(two, 'app', { inlineLength: 0, shortList: 0 }, strictObserver)
      const last = makeQuery({ orderBy: '$value', limitToLast: 1 }, 'firebase')
      for (let value = 1; value <= 30; value++) {
        const { seq } = (await put(writer, `/list/k${value % 7}`, value)) ?? {}
        let judged: unknown
        const authorize: AuthorizeRead = function* (): Reads<void> {
          judged = yield { kind: 'leaf', path: ['list', `k${value % 7}`] }
        }
        const text = await reader.node(['list'], unlimited, authorize)
        expect([JSON.parse(text?.plain ?? '')[`k${value % 7}`], judged]).toEqual([value, value])
        await put(writer, '/list/k0', value + 100)
        const answered = await reader.query(['list'], last, unlimited, TRUSTED)
        expect(answered?.plain).toBe(`{"k0":${value + 100}}`)
        const position = { epoch: reader.position().epoch, seq: (seq ?? 0) - 1 }
        expect((await reader.changesAfter(position, 10))?.length).toBe(2)
      }
    }
    await Promise.all([one.close(), two.close()])
  })

  test('a database that is away makes reads unavailable, whether they have begun or not', async () => {
    const own = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
    const store = await PostgresStore.open(own, 'app', { inlineLength: 0 }, silentObserver)
    await put(store, '/', { list: wide(3000, (index) => ({ index })) })
    const byChild = makeQuery({ orderBy: 'index' }, 'firebase')
    const asked = () => [
      store.node([], unlimited, TRUSTED),
      store.query(['list'], byChild, unlimited, TRUSTED),
      store.count(['list'], byChild, unlimited, TRUSTED),
      store.shallow(['list'], unlimited, undefined, TRUSTED),
      store.changesAfter({ ...store.position(), seq: 0 }, 1),
      store.export([]).next(),
    ]
    const under = Promise.allSettled(asked())
    await turns(3)
    await own.close()
    for (const outcome of [...(await under), ...(await Promise.allSettled(asked()))]) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'unavailable' })
    }
    const later = await Promise.allSettled(asked())
    expect(later.every(({ status }) => status === 'rejected')).toBe(true)
    await store.close()
  }, 120_000)

  test('a read is judged on the commit that it answers, whatever is written meanwhile', async () => {
    await using store = await open({}, 1_000_000)
    await put(store, '/', { n: 0, big: { text: 'x'.repeat(100) } })
    let isOver = false
    const writing = (async () => {
      for (let value = 1; !isOver; value++) await put(store, '/n', value)
    })()
    const read = async () => {
      let judged: unknown
      const authorize: AuthorizeRead = () => {
        const { seq } = store.position()
        return (function* (): Reads<void> {
          judged = [seq, yield { kind: 'leaf', path: ['n'] }]
        })()
      }
      const { seq, value } = await store.readAt([], undefined, unlimited, authorize)
      expect(judged).toEqual([seq, JSON.parse(value?.plain ?? '').n])
    }
    for (let round = 0; round < 40 || store.position().seq <= 20; round++) {
      await Promise.all([read(), read(), read()])
    }
    isOver = true
    await writing
  }, 120_000)

  test('a write that was acknowledged is seen, cached or not', async () => {
    await using store = await open({}, 1_000_000)
    for (let value = 0; value < 100; value++) {
      await put(store, '/a/n', value)
      expect(await plain(store, '/a')).toBe(`{"n":${value}}`)
      expect(await plain(store, '/a/n')).toBe(String(value))
    }
  })

  test('a cached answer is not read again, and an authorisation that reads the tree reads nothing else', async () => {
    const { read, watching } = counted()
    await using store = await open(watching, 10_000_000)
    await put(store, '/', { list: wide(300, (index) => ({ index, text: 'x'.repeat(50) })), allowed: true })
    const wanted = await plain(store, '/list')
    Object.assign(read, { statements: 0, length: 0 })
    expect(await plain(store, '/list')).toBe(wanted)
    expect(read.statements).toBe(0)
    const authorize: AuthorizeRead = function* (): Reads<void> {
      yield { kind: 'leaf', path: ['allowed'] }
    }
    const text = await store.node(['list'], unlimited, authorize)
    expect(text?.plain).toBe(wanted)
    expect(read.statements).toBe(1)
    expect(read.length).toBeLessThan(1000)
  })

  test('a leaf and its authorisation take one round trip', async () => {
    const { read, watching } = counted()
    await using store = await open(watching)
    await put(store, '/', { a: { b: { c: 'x'.repeat(100) } }, allowed: { text: 'y'.repeat(100), ann: true } })
    read.statements = 0
    const authorize: AuthorizeRead = function* (): Reads<void> {
      yield { kind: 'leaf', path: ['allowed', 'ann'] }
    }
    expect((await store.node(['a', 'b', 'c'], unlimited, authorize))?.plain).toBe(JSON.stringify('x'.repeat(100)))
    expect(read.statements).toBe(1)
  })

  test('what is too long is refused after little of it was read', async () => {
    const { read, watching } = counted()
    await using store = await open(watching)
    await put(
      store,
      '/list',
      wide(6000, (index) => ({ index, text: 'x'.repeat(1500) })),
    )
    await put(store, '/long', { text: 'x'.repeat(5_000_000) })
    await put(
      store,
      '/texts',
      wide(3000, () => 'x'.repeat(1500)),
    )
    const maxLength = 100_000
    const bounded = { ...unlimited, maxLength }
    const byKey = makeQuery({ orderBy: '$key' }, 'firebase')
    const reads: readonly (readonly [most: number, read: () => unknown])[] = [
      [1_500_000, () => store.node(['list'], bounded, TRUSTED)],
      [1_500_000, () => store.node(['texts'], bounded, TRUSTED)],
      [1_500_000, () => store.query(['texts'], byKey, bounded, TRUSTED)],
      [1_500_000, () => store.query(['list'], byKey, bounded, TRUSTED)],
      [2000, () => store.node(['long', 'text'], bounded, TRUSTED)],
      [2000, () => store.shallow(['long', 'text'], bounded, undefined, TRUSTED)],
      [2000, () => store.query(['long', 'text'], byKey, bounded, TRUSTED)],
      [10_000, () => store.shallow(['list'], { ...unlimited, maxLength: 1000 }, undefined, TRUSTED)],
    ]
    for (const [index, [most, ask]] of reads.entries()) {
      Object.assign(read, { statements: 0, length: 0 })
      await expect((async () => ask())(), String(index)).rejects.toMatchObject({ code: 'read-too-big' })
      expect(read.length, String(index)).toBeLessThan(most)
      expect(read.statements, String(index)).toBeLessThan(8)
    }
    Object.assign(read, { statements: 0, length: 0 })
    expect(await store.count(['long', 'text'], undefined, unlimited, TRUSTED)).toBe(0)
    expect(read.length).toBeLessThan(2000)
  }, 120_000)

  test('an export holds one commit, and lets its connection go when it is left', async () => {
    await using store = await open({})
    await put(store, '/', { list: wide(2000, (index) => ({ index, text: 'x'.repeat(500) })), n: 1 })
    const pieces = store.export([])
    const first = (await pieces.next()).value ?? ''
    await put(store, '/list/k999/text', 'changed')
    await put(store, '/n', 2)
    let text = first
    for await (const piece of pieces) text += piece
    const whole = JSON.parse(text)
    expect([whole.n, whole.list.k999.text.length, Object.keys(whole.list).length]).toEqual([1, 500, 2000])
    // More than there are places for long reads.
    for (let round = 0; round < 12; round++) for await (const piece of store.export(['list'])) if (piece !== '') break
    const left = store.export(['list'])
    await left.next()
    await store.close()
    await expect(left.next()).rejects.toMatchObject({ code: 'unavailable' })
  }, 120_000)
})
