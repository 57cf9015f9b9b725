import { DholeError } from '../../../src/error.ts'
import type { OpenReads } from '../../../src/store/postgres/store-reads.ts'
import { changesOf, isNearAny } from '../../../src/store/rows/change-row.ts'
import type { LoggedChange, Position, ReadLimit } from '../../../src/store/store.ts'
import { memberKeys } from '../../../src/tree/json/member-keys.ts'
import { NodeText } from '../../../src/tree/json/node-text.ts'
import { print } from '../../../src/tree/json/print.ts'
import { formatPath, type Path } from '../../../src/tree/path.ts'
import type { ReadAnswer, Reads } from '../../../src/tree/read-program.ts'
import { childKeys, isBranch, leafOf, type Value, valueAt } from '../../../src/tree/value.ts'
import { valueInRows } from './rows-of-tree.ts'

/** Reads that take all rows of the tree into memory: slow, and plain to see that they are right. */
export const referenceReads: OpenReads = ({ lanes, tree }) => {
  const whole = () =>
    lanes.snapshot(async (statements) => {
      const [last] = await statements.query<{ seq: number }>(
        'SELECT last_seq::float8 AS seq FROM log l WHERE l.tree = $1::int ORDER BY l.batch DESC LIMIT 1',
        [tree.tree],
      )
      return { seq: last?.seq ?? 0, value: await valueInRows(statements, tree.tree) }
    })
  const at = async (path: Path) => {
    const { value } = await whole()
    return value === undefined ? undefined : valueAt(value, path)
  }
  const text = (value: Value | undefined, limit?: ReadLimit) => {
    if (value === undefined) return undefined
    const stored = print(value, 'stored')
    if (limit !== undefined && stored.length > limit.maxLength) throw new DholeError('read-too-big')
    return new NodeText(stored)
  }
  const log = async ({ epoch, seq }: Position): Promise<LoggedChange[] | undefined> => {
    if (epoch !== tree.epoch || seq > tree.batch.seq) return undefined
    const rows = await lanes.query<{ first: number; seq: number; at: number; heads: string; data: string | null }>(
      'SELECT first_seq::float8 AS first, last_seq::float8 AS seq, at::float8 AS at, heads, data FROM log l WHERE l.tree = $1::int ORDER BY l.batch',
      [tree.tree],
    )
    if (seq < (rows[0]?.first ?? 1) - 1) return undefined
    return rows
      .flatMap((row) => changesOf({ seq: row.seq, at: row.at, kind: 'group', path: row.heads, data: row.data }))
      .filter((change) => change.seq > seq)
  }
  const answer = (value: Value | undefined, logic: Reads<unknown>, settings: ReadonlyMap<string, string>) => {
    let step = logic.next()
    while (!step.done) {
      const request = step.value
      const target = 'path' in request && value !== undefined ? valueAt(value, request.path) : undefined
      let told: ReadAnswer
      if (request.kind === 'leaf') told = target === undefined ? undefined : leafOf(target)
      else if (request.kind === 'exists') told = target !== undefined
      else if (request.kind === 'count') told = target === undefined ? 0 : childKeys(target).length
      else if (request.kind === 'node') told = text(target)
      else if (request.kind === 'setting') told = settings.get(request.name)
      step = logic.next(told)
    }
    return step.value
  }
  return {
    node: async (path, limit) => text(await at(path), limit),
    query: () => {
      throw new Error('not in the reference')
    },
    shallow: async (path, limit) => {
      const value = await at(path)
      if (value === undefined) return undefined
      const keys =
        isBranch(value) && leafOf(value) === undefined
          ? memberKeys(value).filter((key) => key !== '.priority')
          : undefined
      const printed =
        keys === undefined
          ? print(leafOf(value) ?? value, 'plain')
          : `{${keys.map((key) => `${JSON.stringify(key)}:true`).join(',')}}`
      if (printed.length > limit.maxLength) throw new DholeError('read-too-big')
      return printed
    },
    count: async (path) => {
      const value = await at(path)
      return value === undefined ? 0 : childKeys(value).length
    },
    readAt: async (path, _query, limit) => {
      const { seq, value } = await whole()
      return { seq, value: text(value === undefined ? undefined : valueAt(value, path), limit) }
    },
    read: async (logic) => {
      const { value } = await whole()
      return answer(value, logic(), tree.settings) as never
    },
    async *export(path) {
      const value = await at(path)
      yield value === undefined ? 'null' : print(value, 'export')
    },
    changesAfter: async (position, limit) => (await log(position))?.slice(0, limit),
    changesNear: async (position, paths) => {
      const changes = await log(position)
      if (changes === undefined) return undefined
      const texts = paths.map(formatPath)
      const wanted = changes.filter((change) => isNearAny(formatPath(change.path), texts))
      return { changes: wanted, seq: tree.batch.seq, begunAt: changes[0]?.at, length: 0, isLast: true }
    },
    interior: async (kind, path) => {
      const value = await at(path)
      return kind === 'size' ? 1 + (value === undefined ? 0 : print(value, 'stored').split(',').length) : text(value)
    },
    close: async () => {},
  }
}
