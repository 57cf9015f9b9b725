import { expectTypeOf } from 'bun:test'
import {
  type BoundSpec,
  type Database,
  type IndexInfo,
  type NodeText,
  openDatabase,
  type QueriedChild,
  type QueryAnswer,
  type TransactionResult,
  type Written,
} from '../../../src/embedded.ts'

/** Never run: the compiler is the test. */
export async function databaseIsTyped(database: Database): Promise<void> {
  expectTypeOf(await database.node(['a'])).toEqualTypeOf<NodeText | undefined>()
  expectTypeOf(await database.shallow(['a'])).toEqualTypeOf<string | undefined>()
  expectTypeOf(await database.count([])).toEqualTypeOf<number>()
  expectTypeOf(await database.post([], 1)).toMatchTypeOf<{ readonly name: string; readonly etag: string }>()
  const outcome = await database.put(['a'], { b: null })
  expectTypeOf(outcome).toEqualTypeOf<Written>()
  expectTypeOf(outcome.etag).toEqualTypeOf<string | undefined>()
  expectTypeOf((await database.put('/a', 1, { idempotencyKey: 'k' })).replayed).toEqualTypeOf<true | undefined>()
  expectTypeOf(await database.node('/a')).toEqualTypeOf<NodeText | undefined>()
  // @ts-expect-error a path is text or a list of keys
  database.node(7)
  // @ts-expect-error no such condition
  database.put(['a'], 1, { ifNoneMatch: '*' })
}

export async function queriesAreTyped(database: Database): Promise<void> {
  const answer = await database.query('/list', { orderBy: 'height', startAt: [5, 'k3'], limitToFirst: 2 })
  expectTypeOf(answer).toEqualTypeOf<QueryAnswer>()
  expectTypeOf(answer.text).toEqualTypeOf<string>()
  expectTypeOf(answer.children).toEqualTypeOf<readonly QueriedChild[]>()
  expectTypeOf<QueriedChild>().toEqualTypeOf<{ readonly key: string; readonly value: unknown }>()
  expectTypeOf(await database.count('/list', { orderBy: '$value', equalTo: null })).toEqualTypeOf<number>()
  expectTypeOf(database.indexes()).toEqualTypeOf<Promise<readonly IndexInfo[]>>()
  expectTypeOf(await database.declareIndexes({ '/list': ['height', 'a/b', '.value'] })).toEqualTypeOf<void>()
  expectTypeOf<null | boolean | 5 | 'text' | readonly ['x', 'key']>().toExtend<BoundSpec>()
  // @ts-expect-error an order must be named
  database.query('/list', { limitToFirst: 1 })
  // @ts-expect-error a limit is a number
  database.query('/list', { orderBy: 'height', limitToFirst: '1' })
  // @ts-expect-error a bound is no object
  database.query('/list', { orderBy: 'height', startAt: { height: 1 } })
  // @ts-expect-error the key of a bound is text
  database.query('/list', { orderBy: 'height', startAt: [5, 3] })
  // @ts-expect-error no such filter
  database.query('/list', { orderBy: 'height', limit: 3 })
  // @ts-expect-error a list is sorted by several things
  database.declareIndexes({ '/list': 'height' })
  // @ts-expect-error an answer cannot be changed
  answer.text = ''
}

export async function expectedTypesAreNamed(database: Database): Promise<void> {
  interface Room {
    readonly topic: string
  }
  expectTypeOf(await database.get('/a')).toEqualTypeOf<unknown>()
  expectTypeOf(await database.get<Room>('/a')).toEqualTypeOf<Room | null>()
  const { children } = await database.query<Room>('/rooms', { orderBy: 'topic' })
  expectTypeOf(children[0]?.value).toEqualTypeOf<Room | undefined>()
  const result = await database.transaction<number>('/visits', (visits) => {
    expectTypeOf(visits).toEqualTypeOf<number | null>()
    return (visits ?? 0) + 1
  })
  expectTypeOf(result).toEqualTypeOf<TransactionResult<number>>()
  expectTypeOf(result.value).toEqualTypeOf<number | null>()
  expectTypeOf(await database.transaction<Room>('/a', async () => undefined)).toEqualTypeOf<TransactionResult<Room>>()
  const stop = database.onValue<Room>('/a', { onError: () => {} }, (room) => {
    expectTypeOf(room).toEqualTypeOf<Room | null>()
  })
  expectTypeOf(stop).toEqualTypeOf<() => void>()
  // @ts-expect-error it is a number
  await database.transaction<number>('/visits', () => 'one')
  // @ts-expect-error failures must be handled
  database.onValue('/a', {}, () => {})
  // @ts-expect-error a patch is an object
  await database.patch('/a', 7)
  // @ts-expect-error an appended child has no condition
  await database.post('/a', 7, { ifMatch: '*' })
}

export function nothingOfTheInsideIsTyped(database: Database): void {
  type Inside = 'select' | 'subscribe' | 'settled' | 'revoke' | 'endStreams' | 'writePlan' | 'limits' | 'isWatched'
  expectTypeOf<Extract<keyof Database, Inside>>().toEqualTypeOf<never>()
  // @ts-expect-error what compares requests is decided inside
  database.put('/a', 1, { idempotencyKey: 'k', digest: 'd' })
}

export function optionsAreTyped(): void {
  openDatabase({ file: 'tree.sqlite', limits: { maxLeafBytes: 1 }, storage: { inlineLength: 0 } })
  openDatabase({ file: 'tree.sqlite', profile: 'firebase', indexPolicy: 'require', indexes: { '/list': ['height'] } })
  openDatabase({ file: 'tree.sqlite', storage: { shortList: 0, indexIdleMs: 1000 } })
  // @ts-expect-error no such family of clients
  openDatabase({ file: 'tree.sqlite', profile: 'other' })
  // @ts-expect-error a file must be named
  openDatabase({})
  // @ts-expect-error no such option
  openDatabase({ file: 'tree.sqlite', prefix: '/tree' })
}
