/** Root of the files inside a single executable; `undefined` elsewhere. Each worker has its own folder there. */
const [embedded] = /^file:\/\/\/(\$bunfs|B:\/%7EBUN|B:\/~BUN)\/root\//.exec(import.meta.url) ?? []

/** Whether this program is a single executable of `bun run build:binary`. */
export const isSingleExecutable = embedded !== undefined

/**
 * A file or folder of the program: in the checkout, the package or a single executable.
 * @param path from the root of the package; `packaging/binary.ts` must include it
 */
export function shippedFile(path: string): URL {
  return embedded === undefined ? new URL(`../../${path}`, import.meta.url) : new URL(`shipped/${path}`, embedded)
}

/** The file of a worker. @param path source file `…-worker.ts`, from the root of the package */
export function shippedWorker(path: string): URL {
  return embedded === undefined ? shippedFile(path) : new URL(path.replace(/\.ts$/, '.js'), embedded)
}
