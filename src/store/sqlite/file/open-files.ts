import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A file that this process has open. */
interface OpenFileEntry {
  /** The evaluation of this module that opened it. */
  readonly evaluation: symbol
  /** The copy of this module that opened it; a process may load several. */
  readonly module: string
  /** Finishes pending work and closes the file before it returns. */
  readonly release: () => void
}

declare global {
  /** Files that this process has open, by path. It survives a new evaluation of the modules. */
  var dholeOpenFiles: Map<string, OpenFileEntry> | undefined
}

/** `bun --hot` evaluates every module again in the same process. */
const EVALUATION = Symbol('evaluation')

/**
 * Makes an earlier evaluation of this program, which a hot reload has replaced, close a file. A file that this evaluation
 * has open stays open: opening it twice is an error.
 */
export function releaseReplaced(file: string): void {
  const holder = globalThis.dholeOpenFiles?.get(keyOf(file))
  if (holder === undefined || holder.evaluation === EVALUATION || holder.module !== import.meta.url) return
  holder.release()
}

/**
 * Records that a file is open.
 * @param release called when a later evaluation of this program opens it
 * @returns a function to call when the file is closed
 */
export function registerOpenFile(file: string, release: () => void): () => void {
  globalThis.dholeOpenFiles ??= new Map()
  const files = globalThis.dholeOpenFiles
  const key = keyOf(file)
  const holder: OpenFileEntry = { evaluation: EVALUATION, module: import.meta.url, release }
  files.set(key, holder)
  return () => {
    if (files.get(key) === holder) files.delete(key)
  }
}

/** One name for each file, for every path to it. Its folder must exist, the file need not. */
function keyOf(file: string): string {
  return join(realpathSync(dirname(file)), basename(file))
}
