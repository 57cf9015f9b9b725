import { and, eq, gt, sql } from 'drizzle-orm'
import type { Path } from '../../../tree/path.ts'
import { type Branch, isBranch, type Value } from '../../../tree/value.ts'
import type { Connection } from '../file/connection.ts'
import { closure, interior } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'
import type { DeletedSubtrees } from '../tree/deleted-subtrees.ts'

/** A value that may become more than one row. */
export type LargeValue = Branch | string

export function isLarge(value: Value): value is LargeValue {
  return isBranch(value) || typeof value === 'string'
}

/** A large value that is written before its commit. */
export interface StagedValue {
  /** Its path in the tree. */
  readonly path: Path
  /** The same object or string as in the change. */
  readonly value: LargeValue
}

/** An interior node or a text in chunks that is not part of the tree yet. */
interface Staged {
  /** For which it is written. */
  readonly owner: StagedValue
  readonly id: number
  /** Ids for nodes made above it, outermost first: smaller than its own and greater than those of all earlier nodes. */
  readonly reserved: readonly number[]
  /** Whether all of it is written. */
  isComplete: boolean
  /** Whether the open transaction or a committed one made it part of the tree. */
  isAttached: boolean
}

/** Interior nodes whose closure is completed between two pauses. */
const STEP_INTERIORS = 512

const statements = defineStatements({
  move: ({ orm }) =>
    orm
      .update(interior)
      .set({ parentId: sql`${sql.placeholder('parent')}`, key: sql`${sql.placeholder('key')}` })
      .where(eq(interior.id, sql.placeholder('id')))
      .prepare(),
  below: ({ orm }) =>
    orm
      .select({ id: closure.descendant })
      .from(closure)
      .where(and(eq(closure.ancestor, sql.placeholder('id')), gt(closure.descendant, sql.placeholder('after'))))
      .orderBy(closure.descendant)
      .limit(STEP_INTERIORS)
      .prepare(),
  // Raw, because Drizzle's insert from a join of a table with itself is harder to read.
  insertClosure: ({ client }) =>
    client.prepare<unknown, [number, number, number, number]>(
      'INSERT INTO closure(ancestor, descendant, depth) SELECT a.ancestor, d.descendant, a.depth + 1 + d.depth ' +
        'FROM closure d CROSS JOIN closure a WHERE d.ancestor = ?1 AND d.descendant > ?2 AND d.descendant <= ?3 ' +
        'AND a.descendant = ?4',
    ),
})

/** Large values written apart from the tree, by the objects and strings they were written from. */
export class StagedValues {
  readonly #statements
  readonly #deletedSubtrees: DeletedSubtrees
  /** Several jobs may write the same string. Any of them may attach what is written for another one. */
  readonly #byValue = new Map<LargeValue, Staged[]>()

  constructor(connection: Connection, deletedSubtrees: DeletedSubtrees) {
    this.#statements = statements(connection)
    this.#deletedSubtrees = deletedSubtrees
  }

  /** Registers a node before it is written apart from the tree. */
  begin(owner: StagedValue, id: number, reserved: readonly number[]): void {
    this.#deletedSubtrees.hold(id)
    const staged = { owner, id, reserved, isComplete: false, isAttached: false }
    const others = this.#byValue.get(owner.value)
    if (others === undefined) this.#byValue.set(owner.value, [staged])
    else others.push(staged)
  }

  /** All of a value is written. */
  complete(owner: StagedValue): void {
    const staged = this.#byValue.get(owner.value)?.find((each) => each.owner === owner)
    if (staged !== undefined) staged.isComplete = true
  }

  /** A staged value that may be attached below a parent, as ids grow downwards. */
  find(value: LargeValue, parent: number): Staged | undefined {
    // A long string takes long to look up.
    if (this.#byValue.size === 0) return undefined
    return this.#byValue.get(value)?.find((each) => each.isComplete && !each.isAttached && each.id >= parent)
  }

  /** Ids for nodes above a staged value; `undefined` for any other value. */
  reservedFor(value: LargeValue): readonly number[] | undefined {
    return this.find(value, 0)?.reserved
  }

  /** Makes a staged value part of the tree, in the open transaction. The caller writes its slot. */
  *attach(staged: Staged, parent: number, key: string): Generator<void, void> {
    const { id } = staged
    staged.isAttached = true
    this.#deletedSubtrees.adopt(id)
    this.#statements.move.run({ id, parent, key })
    for (let after = 0; ; ) {
      const page = this.#statements.below.all({ id, after })
      const last = page.at(-1)
      if (last === undefined) return
      this.#statements.insertClosure.run(id, after, last.id, parent)
      if (page.length < STEP_INTERIORS) return
      after = last.id
      yield
    }
  }

  /** The open transaction was rolled back. */
  reset(): void {
    for (const all of this.#byValue.values()) for (const staged of all) staged.isAttached = false
  }

  /** Forgets a value: it is attached, or will be removed like a deleted subtree. */
  release(owner: StagedValue): void {
    const all = this.#byValue.get(owner.value)
    const staged = all?.find((each) => each.owner === owner)
    if (all === undefined || staged === undefined) return
    all.splice(all.indexOf(staged), 1)
    if (all.length === 0) this.#byValue.delete(owner.value)
    this.#deletedSubtrees.release(staged.id)
  }
}
