import { rmSync } from 'node:fs'

/** Files and folders that are removed at the end of the block or of the process, unless they are kept. */
export class Unfinished implements Disposable {
  readonly #paths = new Set<string>()

  constructor() {
    process.once('exit', this.#remove)
  }

  add(path: string): void {
    this.#paths.add(path)
  }

  keep(path: string): void {
    this.#paths.delete(path)
  }

  [Symbol.dispose](): void {
    this.#remove()
    process.off('exit', this.#remove)
  }

  readonly #remove = (): void => {
    for (const path of this.#paths) rmSync(path, { recursive: true, force: true })
  }
}
