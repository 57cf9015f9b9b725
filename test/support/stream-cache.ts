import { exportText, Model, type Place, plainText } from '../model/store/model.ts'

/** What a client that follows a stream holds: puts and patches applied one after the other, by the rules for clients. */
export class StreamCache {
  readonly #model = new Model()

  /** Replaces what is at the path, or for a patch each member of the data below it. `null` is no node. */
  apply({ kind, path, data }: { readonly kind: 'put' | 'patch'; readonly path: string; readonly data: unknown }): void {
    const at = keysOf(path)
    if (kind === 'put') this.#model.put(at, data, 0)
    else {
      const members = Object.entries(data as Readonly<Record<string, unknown>>)
      this.#model.patch(
        members.map(([key, member]) => [[...at, ...keysOf(key)], member] as const),
        0,
      )
    }
  }

  /** As GET answers it. */
  get plain(): unknown {
    return JSON.parse(this.#text(plainText))
  }

  /** As GET with `format=export` answers it. */
  get export(): unknown {
    return JSON.parse(this.#text(exportText))
  }

  /** The cache as text, in key order. */
  get plainText(): string {
    return this.#text(plainText)
  }

  get exportText(): string {
    return this.#text(exportText)
  }

  #text(print: (place: Place) => string): string {
    const root = this.#model.find([])
    return root === undefined ? 'null' : print(root)
  }
}

function keysOf(path: string): string[] {
  return path.split('/').filter((key) => key !== '')
}
