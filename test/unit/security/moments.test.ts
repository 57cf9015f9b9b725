import { afterAll, describe, expect, test } from 'bun:test'
import type { Caller } from '../../../src/auth/caller.ts'
import { Database } from '../../../src/database/database.ts'
import { defaultStreams } from '../../../src/hub/hub.ts'
import type { TreeStore } from '../../../src/store/store.ts'
import { defaultLimits } from '../../../src/tree/limits.ts'
import { engines } from '../../support/engines.ts'
import { tempDir } from '../../support/temp-dir.ts'

const NOBODY: Caller = { kind: 'anybody', auth: null }
const RULES = JSON.stringify({ rules: { room: { '.read': "root.child('open').val() === true" } } })
const SHUT = { open: false, 'room/secret': 'sesame' }
const OPENED = { open: true, 'room/secret': null }

function databaseOver(store: TreeStore, rules: string = RULES): Database {
  return new Database(store, {
    limits: defaultLimits,
    profile: 'wilddog',
    indexPolicy: 'allow',
    streams: defaultStreams,
    rules,
    keepRules: true,
    onTroubled: (error) => {
      throw error
    },
  })
}

/** A store whose reads of nodes begin and end when the test says so, as those of an engine that waits for others do. */
function heldReads(store: TreeStore): { slow: TreeStore; begin: () => Promise<void>; end: () => void } {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const read = Promise.withResolvers<void>()
  const node: TreeStore['node'] = async (path, limit, authorize) => {
    await begun.promise
    try {
      return await store.node(path, limit, authorize)
    } finally {
      read.resolve()
      await ended.promise
    }
  }
  const slow = replaced(store, { node })
  const begin = () => {
    begun.resolve()
    return read.promise
  }
  return { slow, begin, end: ended.resolve }
}

/** What nobody is told of the room: JSON, or the code of the refusal. */
function textOf(answer: Promise<unknown>): Promise<string> {
  return answer.then(
    (json) => JSON.stringify(json),
    (error: { code?: string }) => String(error.code),
  )
}

describe.each(engines)('%s', (_, engine) => {
  afterAll(() => engine.close())

  test('a read that had to wait is judged by the data that it has read', async () => {
    await using dir = await tempDir()
    const store = await engine.open(dir.file('tree.sqlite'))
    const { slow, begin, end } = heldReads(store)
    await using database = databaseOver(slow)
    await database.patch('/', { open: true, 'room/topic': 'news' })
    const answer = textOf(database.get('/room', { as: NOBODY }))
    await database.patch('/', SHUT)
    await begin()
    await database.patch('/', OPENED)
    end()
    expect(await answer).not.toContain('sesame')
  })

  test('a read that had to wait is judged by the rules of the moment that it has read, also of a tree that was open', async () => {
    const open = JSON.stringify({ rules: { '.read': true } })
    await using dir = await tempDir()
    const store = await engine.open(dir.file('tree.sqlite'))
    const { slow, begin, end } = heldReads(store)
    await using database = databaseOver(slow, open)
    await database.put('/room', { topic: 'news' })
    const answer = textOf(database.get('/room', { as: NOBODY }))
    await database.setRules(RULES)
    await database.patch('/', SHUT)
    await begin()
    await database.patch('/', OPENED)
    await database.setRules(open)
    end()
    expect(await answer).toBe('permission-denied')
  })

  test('a stream tells nothing of a commit after which it could not be read, though the next one allows it again', async () => {
    await using dir = await tempDir()
    await using database = databaseOver(await engine.open(dir.file('tree.sqlite')))
    await database.patch('/', { open: true, 'room/topic': 'news' })
    const events = database.watch('/room', { as: NOBODY })
    await events.next()
    // Both become durable together.
    await Promise.all([database.patch('/', SHUT), database.patch('/', OPENED)])
    expect(await textOf(events.next())).not.toContain('sesame')
    await events.return()
  })

  test('opening a stream evaluates the rules once', async () => {
    await using dir = await tempDir()
    const store = await engine.open(dir.file('tree.sqlite'))
    let evaluations = 0
    const read: TreeStore['read'] = (logic) => {
      evaluations++
      return store.read(logic)
    }
    const readAt: TreeStore['readAt'] = (path, query, limit, authorize) =>
      store.readAt(path, query, limit, () => {
        const logic = authorize?.()
        if (logic !== undefined) evaluations++
        return logic
      })
    await using database = databaseOver(replaced(store, { read, readAt }))
    await database.patch('/', { open: true, 'room/topic': 'news' })
    const trace: string[] = []
    const events = database.watch('/room', { as: NOBODY, onTrace: (lines) => trace.push(...lines) })
    expect(await events.next()).toMatchObject({ value: { data: { topic: 'news' } } })
    expect(trace).not.toBeEmpty()
    expect(evaluations).toBe(1)
    await events.return()
  })
})

/** A store with some methods replaced. */
function replaced(store: TreeStore, methods: Partial<TreeStore>): TreeStore {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
