import type { AdminClient } from '../../admin/admin-client.ts'
import type { TreeFacts } from '../../admin/operations/tree-operations.ts'
import type { Path } from '../../tree/path.ts'

/**
 * One tree, as `dhole import` and `dhole export` use it. No rule applies. Every method throws Error with a message for
 * the operator.
 */
export interface TreeAdmin {
  facts(): Promise<TreeFacts>
  /** Replaces a node; `null` deletes it. Durable when it resolves. */
  put(path: Path, json: unknown): Promise<void>
  /**
   * Replaces children of a node as one commit. Durable when it resolves.
   * @param members JSON text of an object without server values, whose keys are literal
   */
  putMembers(path: Path, members: string | Uint8Array<ArrayBuffer>): Promise<void>
  /** Sets the priority of a node; `null` removes it. Does nothing when the node does not exist. Durable when it resolves. */
  putPriority(path: Path, priority: string | number | null): Promise<void>
  /** Text of a node in the form of `format=export`, in chunks. */
  export(path: Path): AsyncIterable<Uint8Array>
  /** Source of the current rules. */
  rules(): Promise<string>
  setRules(source: string): Promise<void>
}

/** A tree behind admin operations: of a server, or of files that no server has open. */
export class OperatedTree implements TreeAdmin {
  readonly #client: AdminClient
  readonly #id: string

  constructor(client: AdminClient, id: string) {
    this.#client = client
    this.#id = id
  }

  facts(): Promise<TreeFacts> {
    return this.#client.call('tree-facts', { id: this.#id })
  }

  put(path: Path, json: unknown): Promise<void> {
    return this.#client.call('tree-put', { id: this.#id, path, json })
  }

  /** The members are JSON text already: parsing them here would double the work. */
  putMembers(path: Path, text: string | Uint8Array<ArrayBuffer>): Promise<void> {
    return this.#client.callWithText('tree-members', { id: this.#id, path }, { name: 'members', text })
  }

  putPriority(path: Path, priority: string | number | null): Promise<void> {
    return this.#client.call('tree-priority', { id: this.#id, path, priority })
  }

  export(path: Path): AsyncIterable<Uint8Array> {
    return this.#client.stream('tree-export', { id: this.#id, path })
  }

  rules(): Promise<string> {
    return this.#client.call('tree-rules', { id: this.#id })
  }

  setRules(source: string): Promise<void> {
    return this.#client.call('tree-set-rules', { id: this.#id, source })
  }
}
