import { and, eq, gt, sql } from 'drizzle-orm'
import type { Path } from '../../../tree/path.ts'
import type { Branch } from '../../../tree/value.ts'
import type { Connection } from '../file/connection.ts'
import { closure, interior } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'
import type { DeletedSubtrees } from '../tree/deleted-subtrees.ts'

/** A large value that is written before its commit. */
export interface StagedValue {
  /** Its path in the tree. */
  readonly path: Path
  /** The same object as in the change. */
  readonly value: Branch
}

/** An interior node that is not part of the tree yet. */
interface Staged {
  readonly id: number
  /** Ids for nodes made above it, outermost first: smaller than its own and greater than those of all earlier nodes. */
  readonly reserved: readonly number[]
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

/** Large values written apart from the tree, by the objects they were written from. */
export class StagedValues {
  readonly #statements
  readonly #deletedSubtrees: DeletedSubtrees
  readonly #byValue = new Map<Branch, Staged>()

  constructor(connection: Connection, deletedSubtrees: DeletedSubtrees) {
    this.#statements = statements(connection)
    this.#deletedSubtrees = deletedSubtrees
  }

  /** Registers a node before it is written apart from the tree. */
  begin(value: Branch, id: number, reserved: readonly number[]): void {
    this.#deletedSubtrees.hold(id)
    this.#byValue.set(value, { id, reserved, isAttached: false })
  }

  /** A staged value that may be attached below a parent, as ids grow downwards. */
  find(value: Branch, parent: number): Staged | undefined {
    if (this.#byValue.size === 0) return undefined
    const staged = this.#byValue.get(value)
    return staged === undefined || staged.isAttached || staged.id < parent ? undefined : staged
  }

  /** Ids for nodes above a staged value; `undefined` for any other value. */
  reservedFor(value: Branch): readonly number[] | undefined {
    return this.#byValue.get(value)?.reserved
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
    for (const staged of this.#byValue.values()) staged.isAttached = false
  }

  /** Forgets a value: it is attached, or will be removed like a deleted subtree. */
  release(value: Branch): void {
    const staged = this.#byValue.get(value)
    if (staged === undefined) return
    this.#byValue.delete(value)
    this.#deletedSubtrees.release(staged.id)
  }
}
