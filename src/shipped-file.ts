/** Where a single executable has what was built into it. */
const EMBEDDED = /^file:\/\/\/(\$bunfs|B:\/%7EBUN|B:\/~BUN)\/root\//

/** Whether this program is a single executable, made by `bun run build:binary`. */
export const isSingleExecutable = EMBEDDED.test(import.meta.url)

/**
 * A file or folder that belongs to the program, in the checkout or package, or inside a single executable.
 * @param path from the root of the package; `packaging/binary.ts` must build it in
 */
export function shippedFile(path: string): URL {
  return new URL(isSingleExecutable ? `shipped/${path}` : `../${path}`, import.meta.url)
}

/** The file of a worker. @param path of its source, `…-worker.ts`, from the root of the package */
export function shippedWorker(path: string): URL {
  return isSingleExecutable ? new URL(path.replace(/\.ts$/, '.js'), import.meta.url) : shippedFile(path)
}
