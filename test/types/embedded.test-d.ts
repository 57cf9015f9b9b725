import { expectTypeOf } from 'bun:test'
import { type Database, type NodeText, openDatabase, type WriteOutcome } from '../../src/embedded.ts'

/** Never run: the compiler is the test. */
export async function databaseIsTyped(database: Database): Promise<void> {
  expectTypeOf(await database.node(['a'])).toEqualTypeOf<NodeText | undefined>()
  expectTypeOf(await database.shallow(['a'])).toEqualTypeOf<string | undefined>()
  expectTypeOf(await database.count([])).toEqualTypeOf<number>()
  expectTypeOf(await database.post([], 1)).toMatchTypeOf<{ readonly name: string; readonly etag: string }>()
  const outcome = await database.put(['a'], { b: null })
  expectTypeOf(outcome).toEqualTypeOf<WriteOutcome>()
  if (outcome.kind === 'mismatch') expectTypeOf(outcome.current).toEqualTypeOf<NodeText | undefined>()
  expectTypeOf(await database.node('/a')).toEqualTypeOf<NodeText | undefined>()
  // @ts-expect-error a path is text or a list of keys
  database.node(7)
  // @ts-expect-error no such condition
  database.put(['a'], 1, { ifNoneMatch: '*' })
}

export function optionsAreTyped(): void {
  openDatabase({ file: 'tree.sqlite', limits: { maxLeafBytes: 1 }, storage: { inlineLength: 0 } })
  // @ts-expect-error a file must be named
  openDatabase({})
  // @ts-expect-error no such option
  openDatabase({ file: 'tree.sqlite', prefix: '/tree' })
}
