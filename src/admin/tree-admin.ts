import type { Database } from '../database/database.ts'
import { DholeError } from '../error.ts'
import { PRIORITY } from '../tree/key.ts'
import { type Part, planPart } from '../tree/partial-write.ts'
import type { Path } from '../tree/path.ts'

/** What an import must know of a tree. */
export interface TreeFacts {
  /** Another one after the tree was restored; `undefined` where that is not told. */
  readonly epoch: string | undefined
  /** Longest string leaf, in bytes. */
  readonly maxLeafBytes: number
}

/** Some members of a node, without its priority. */
export interface PartToPut {
  /** What they come to, checked. */
  readonly plan: Part['plan']
  /** JSON text of an object with the members. */
  text(): string
}

/**
 * What `dhole import` and `dhole export` do to one tree: in its file, through the server that has it open, or over
 * HTTPS. No rule is asked. Every method throws Error with a message for the operator.
 */
export interface TreeDesk {
  facts(): Promise<TreeFacts>
  /** Replaces a node, `null` deletes it. Durable when it resolves. */
  put(path: Path, json: unknown): Promise<void>
  /** Replaces children of a node as one commit. Durable when it resolves. */
  putPart(path: Path, part: PartToPut): Promise<void>
  /**
   * As `putPart`, of members that nobody here has looked at: JSON text in UTF-8 of an object, whose keys are keys as they
   * stand, and which holds no server value. Where there is none, this process has to read them anyway.
   */
  putText?(path: Path, members: Uint8Array<ArrayBuffer>): Promise<void>
  /** Sets the priority of a node, `null` for none; nothing where no node is. Durable when it resolves. */
  putPriority(path: Path, priority: string | number | null): Promise<void>
  /** Text of a node in the form of `format=export`, piece by piece. */
  export(path: Path): AsyncIterable<string | Uint8Array>
  /** Source of the rules in force. */
  rules(): Promise<string>
  setRules(source: string): Promise<void>
}

const UNLIMITED = { maxSeconds: Number.POSITIVE_INFINITY }

/** The desk of a tree that this process has open. */
export class OpenTree implements TreeDesk {
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

  /** As `putPart`, of members that nobody here has checked yet. */
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
    return this.#database.rules
  }

  async setRules(source: string): Promise<void> {
    await this.#database.setRules(source)
  }
}
