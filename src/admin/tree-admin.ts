import { type Static, Type } from '@sinclair/typebox'
import type { Database } from '../database/database.ts'
import { DholeError } from '../error.ts'
import { PRIORITY } from '../tree/key.ts'
import { type Part, planPart } from '../tree/partial-write.ts'
import type { Path } from '../tree/path.ts'

/** Properties of a tree that an import depends on. */
export const treeFacts = Type.Object({
  /** Changes when the tree is restored; absent when the tree does not report it. */
  epoch: Type.Optional(Type.String()),
  /** Maximum length of a string leaf, in bytes. */
  maxLeafBytes: Type.Number(),
})
export type TreeFacts = Static<typeof treeFacts>

/** Some members of a node, without the priority of the node. */
export interface PartToPut {
  /** The checked members as writes. */
  readonly plan: Part['plan']
  /** JSON text of an object with the members. */
  text(): string
}

/**
 * One tree, as `dhole import` and `dhole export` use it: in its file, through the server that has it open, or over
 * HTTPS. No rule applies. Every method throws Error with a message for the operator.
 */
export interface TreeAdmin {
  facts(): Promise<TreeFacts>
  /** Replaces a node; `null` deletes it. Durable when it resolves. */
  put(path: Path, json: unknown): Promise<void>
  /** Replaces children of a node as one commit. Durable when it resolves. */
  putPart(path: Path, part: PartToPut): Promise<void>
  /**
   * As `putPart`, for unchecked members: JSON text in UTF-8 of an object without server values, whose keys are literal.
   * Absent when this process has to parse the members anyway.
   */
  putText?(path: Path, members: Uint8Array<ArrayBuffer>): Promise<void>
  /** Sets the priority of a node; `null` removes it. Does nothing when the node does not exist. Durable when it resolves. */
  putPriority(path: Path, priority: string | number | null): Promise<void>
  /** Text of a node in the form of `format=export`, in chunks. */
  export(path: Path): AsyncIterable<string | Uint8Array>
  /** Source of the current rules. */
  rules(): Promise<string>
  setRules(source: string): Promise<void>
}

const UNLIMITED = { maxSeconds: Number.POSITIVE_INFINITY }

/** A tree that this process has open. */
export class OpenTreeAdmin implements TreeAdmin {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async facts(): Promise<TreeFacts> {
    return { epoch: this.#database.position().epoch, maxLeafBytes: this.#database.limits.maxLeafBytes }
  }

  async put(path: Path, json: unknown): Promise<void> {
    await this.#database.put(path, json, UNLIMITED)
  }

  async putPart(_: Path, { plan }: PartToPut): Promise<void> {
    await this.#database.writePlan(plan)
  }

  /** As `putPart`, for unchecked members. */
  async putMembers(path: Path, members: Record<string, unknown>): Promise<void> {
    await this.#database.writePlan(planPart(path, members, this.#database.limits).plan)
  }

  async putPriority(path: Path, priority: string | number | null): Promise<void> {
    try {
      await this.#database.put([...path, PRIORITY], priority, UNLIMITED)
    } catch (error) {
      if (!(error instanceof DholeError && error.code === 'priority-on-nothing')) throw error
    }
  }

  export(path: Path): AsyncIterable<string> {
    return this.#database.export(path)
  }

  async rules(): Promise<string> {
    await this.#database.fresh()
    return this.#database.rules
  }

  async setRules(source: string): Promise<void> {
    await this.#database.setRules(source)
  }
}
