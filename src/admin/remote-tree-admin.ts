import type { Path } from '../tree/path.ts'
import type { AdminClient } from './admin-client.ts'
import type { PartToPut, TreeAdmin, TreeFacts } from './tree-admin.ts'

/** A tree that a server has open, changed through its admin operations. */
export class RemoteTreeAdmin implements TreeAdmin {
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

  putPart(path: Path, part: PartToPut): Promise<void> {
    return this.#putMembers(path, part.text())
  }

  putText(path: Path, members: Uint8Array<ArrayBuffer>): Promise<void> {
    return this.#putMembers(path, members)
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

  /** The members are JSON text already: parsing them here would double the work. */
  #putMembers(path: Path, text: string | Uint8Array): Promise<void> {
    return this.#client.callWithText('tree-members', { id: this.#id, path }, { name: 'members', text })
  }
}
