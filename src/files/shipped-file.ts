/** Where a single executable has what was built into it: the program itself, and each worker in a folder of its own. */
const [embedded] = /^file:\/\/\/(\$bunfs|B:\/%7EBUN|B:\/~BUN)\/root\//.exec(import.meta.url) ?? []

/** Whether this program is a single executable, made by `bun run build:binary`. */
export const isSingleExecutable = embedded !== undefined

/**
 * A file or folder that belongs to the program, in the checkout or package, or inside a single executable.
 * @param path from the root of the package; `packaging/binary.ts` must build it in
 */
export function shippedFile(path: string): URL {
  return embedded === undefined ? new URL(`../../${path}`, import.meta.url) : new URL(`shipped/${path}`, embedded)
}

/** The file of a worker. @param path of its source, `…-worker.ts`, from the root of the package */
export function shippedWorker(path: string): URL {
  return embedded === undefined ? shippedFile(path) : new URL(path.replace(/\.ts$/, '.js'), embedded)
}
