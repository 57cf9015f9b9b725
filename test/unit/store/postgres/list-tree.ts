import type { BatchTransaction, CommitPart, RunBatch } from '../../../../src/store/postgres/batch.ts'
import type { WorkingTree } from '../../../../src/store/postgres/commit/working-tree.ts'
import type { Parameter, Statements } from '../../../../src/store/postgres/connection/lane.ts'
import { DefinitionTable } from '../../../../src/store/postgres/indexes/definition-table.ts'
import { IndexManager, type IndexManagerParts } from '../../../../src/store/postgres/indexes/manager.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { type ChildRow, type Interior, kindOf, type Slot, SlotKind } from '../../../../src/store/rows/slot.ts'
import { type PathSlot, planSlotChange, ROOT_ADDRESS } from '../../../../src/store/rows/write-plan.ts'
import { parseStored, print } from '../../../../src/tree/json/print.ts'
import { type SortValue, sortKey, sortValue } from '../../../../src/tree/order.ts'
import type { Path } from '../../../../src/tree/path.ts'
import { type Branch, isBranch, leafOf, type Value, valueAt } from '../../../../src/tree/value.ts'
import type { Write } from '../../../../src/tree/write.ts'
import { databaseUrl, freshSchema } from '../../../support/postgres/cluster.ts'

export const LIST = 2
const FIRST_ID = 100

/** A value of a write. `'split'` stores each member of a branch in a slot of its own. */
export interface ListWrite {
  readonly path: Path
  readonly json: unknown
  readonly split?: boolean
}

/** A tree with one list on PostgreSQL, and the same in memory. It writes rows by itself, and indexes as an engine does. */
export class ListTree implements WorkingTree, AsyncDisposable {
  readonly database: PostgresDatabase
  readonly manager: IndexManager
  readonly tree = 1
  readonly failures: unknown[] = []
  /** Called before each step of a build. */
  beforeStep: () => void = () => {}
  /** Called after each batch, before the next one. */
  afterBatch: () => Promise<void> = async () => {}
  #slots = new Map<number, Map<string, Slot>>()
  #nextId = FIRST_ID
  #last: Promise<unknown> = Promise.resolve()

  private constructor(database: PostgresDatabase, settings: Partial<IndexManagerParts>) {
    this.database = database
    this.manager = this.#open(settings)
  }

  static async open(settings: Partial<IndexManagerParts> = {}): Promise<ListTree> {
    const database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
    const tree = new ListTree(database, settings)
    await database.lanes.query("INSERT INTO node VALUES (1, 0, '', 5, NULL, 1), (1, 1, 'list', 5, NULL, 2)")
    await database.lanes.query("INSERT INTO interior VALUES (1, 1, 0, '', 1, 0), (1, 2, 1, 'list', 1000, 0)")
    tree.#slots.set(0, new Map([['', { kind: 5, value: null, id: 1 }]]))
    tree.#slots.set(1, new Map([['list', { kind: 5, value: null, id: LIST }]]))
    tree.#slots.set(LIST, new Map())
    return tree
  }

  /** As another process that has just begun. */
  reopened(settings: Partial<IndexManagerParts> = {}): IndexManager {
    return this.#open(settings)
  }

  #open(settings: Partial<IndexManagerParts>): IndexManager {
    const manager: IndexManager = new IndexManager({
      statements: this.database.lanes,
      tree: this.tree,
      clock: this.database.clock,
      run: this.run,
      events: { onBegun() {}, onBuilt() {}, onFailed: (error) => this.failures.push(error) },
      indexIdleMs: 3_600_000,
      shortList: 0,
      maxIndexEntries: 1_000_000,
      ...settings,
    })
    return manager
  }

  /** Runs work after all that came before. */
  readonly run: RunBatch = (work) =>
    this.#inTurn(async () => {
      this.beforeStep()
      let flags = 0
      const result = await this.database.lanes.transaction((statements) =>
        work({
          statements,
          tree: this.tree,
          now: Date.now(),
          takeIds: (count) => this.#takeIds(count),
          mark: (flag) => {
            flags |= flag
          },
        } satisfies BatchTransaction),
      )
      this.manager.applied(flags)
      return result
    })

  /** Commits writes as one batch. */
  write(...writes: readonly ListWrite[]): Promise<void> {
    return this.#inTurn(() => this.#commit(writes))
  }

  async #commit(writes: readonly ListWrite[]): Promise<void> {
    const definitions = await new DefinitionTable(this.database.lanes, this.tree).ofLists([LIST])
    this.manager.cache.know(LIST, definitions)
    this.manager.cache.know(1, [])
    const indexes = this.manager.openBatch(this, () => this.#takeIds(1), Date.now())
    const changed = new Map<string, readonly [number, string]>()
    for (const { path, json, split } of writes) {
      const value = json === null ? undefined : parseStored(JSON.stringify(json))
      const write: Write = { kind: 'value', path: ['list', ...path], value }
      const slots = this.#slotsTo(write.path)
      if (
        slots
          .slice(3)
          .some(({ parent, slot }) => slot !== undefined && value === undefined && this.#children(parent).size === 1)
      )
        continue
      for (const { parent } of slots.slice(3)) this.manager.cache.know(parent, [])
      const after = indexes.beforeWrite(write, slots)
      const at = slots.at(-1) as PathSlot
      const change = planSlotChange(write, slots)
      const set = (parent: number, key: string, slot: Slot | undefined) => {
        if (slot === undefined) this.#children(parent).delete(key)
        else this.#children(parent).set(key, slot)
        changed.set(`${parent} ${key}`, [parent, key])
      }
      if (change.kind !== 'store') {
        set(at.parent, sortKey(at.key), undefined)
        after?.(undefined, undefined)
      } else if (split === true && isBranch(change.value) && leafOf(change.value) === undefined) {
        const id = this.#takeIds(1)
        indexes.knowNew(id)
        set(at.parent, sortKey(at.key), { kind: SlotKind.interior, value: null, id })
        for (const [key, member] of Object.entries(change.value as Branch))
          set(id, sortKey(key), textSlot(member as Value))
        after?.(change.value, undefined)
      } else {
        const slot = textSlot(change.value)
        set(at.parent, sortKey(at.key), slot)
        after?.(change.value, slot.value ?? '')
      }
    }
    await this.database.lanes.transaction(async (statements) => {
      for (const [parent, key] of changed.values()) await this.#store(statements, parent, key)
      for (const part of indexes.parts()) await runPart(statements, part)
    })
    this.manager.applied(indexes.hasChangedDefinitions ? 2 : 0)
  }

  async #store(statements: Statements, parent: number, key: string): Promise<void> {
    await statements.query('DELETE FROM node WHERE tree = 1 AND parent_id = $1::bigint AND key = $2::text', [
      parent,
      key,
    ])
    const slot = this.#children(parent).get(key)
    if (slot === undefined) return
    await statements.query('INSERT INTO node VALUES (1, $1::bigint, $2::text, $3::smallint, $4::text, $5::bigint)', [
      parent,
      key,
      slot.kind,
      slot.value,
      slot.id,
    ])
  }

  #slotsTo(path: Path): PathSlot[] {
    let slot: Slot | undefined = this.slot(0, '')
    const slots: PathSlot[] = [{ ...ROOT_ADDRESS, slot }]
    for (const key of path) {
      if (slot === undefined || slot.id === null) break
      const parent: number = slot.id
      slot = this.slot(parent, sortKey(key))
      slots.push({ parent, key, slot })
    }
    return slots
  }

  #children(parent: number): Map<string, Slot> {
    let children = this.#slots.get(parent)
    if (children === undefined) {
      children = new Map()
      this.#slots.set(parent, children)
    }
    return children
  }

  #takeIds(count: number): number {
    this.#nextId += count
    return this.#nextId - count
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(async () => {
      const result = await work()
      await this.afterBatch()
      return result
    })
    this.#last = done.catch(() => {})
    return done
  }

  /** Resolves when nothing is written. */
  async settled(): Promise<void> {
    await this.#last
  }

  slot(parent: number, key: string): Slot | undefined {
    return this.#slots.get(parent)?.get(key)
  }

  interior(id: number): Interior {
    return { id, childCount: this.#children(id).size, traits: 0 }
  }

  sortValueBelow({ value, id }: Pick<ChildRow, 'value' | 'id'>, path: Path): SortValue {
    if (id === null) return sortValue(valueAt(parseStored(value ?? ''), path))
    const [key, ...rest] = path
    if (key === undefined) return sortValue(parseStored('{"a":1}'))
    const slot = this.slot(id, sortKey(key))
    return slot === undefined ? sortValue(undefined) : this.sortValueBelow(slot, rest)
  }

  neighbor(list: number, key: string, side: 'before' | 'after'): ChildRow | undefined {
    const keys = [...this.#children(list).keys()].sort()
    const found = side === 'before' ? keys.filter((each) => each < key).at(-1) : keys.find((each) => each > key)
    const slot = found === undefined ? undefined : this.slot(list, found)
    return found === undefined || slot === undefined ? undefined : { key: found, value: slot.value, id: slot.id }
  }

  /** The children of the list in key order. */
  children(): readonly (readonly [key: string, slot: Slot])[] {
    return [...this.#children(LIST)].sort(([left], [right]) => (left < right ? -1 : 1))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.manager.close()
    await this.settled()
    await this.database.close()
  }
}

function textSlot(value: Value): Slot {
  return { kind: kindOf(value), value: print(value, 'stored'), id: null }
}

async function runPart(statements: Statements, part: CommitPart): Promise<void> {
  const parameters: Parameter[] = [1]
  const text = part.sql({
    tree: '$1::int',
    guard: 'true',
    add: (value, type) => `$${parameters.push(value)}::${type}`,
  })
  await statements.query(text, parameters)
}
