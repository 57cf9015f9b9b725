import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A file that this process has open. */
interface OpenFileEntry {
  /** Which evaluation of this module has opened it. */
  readonly evaluation: symbol
  /** Which copy of this module, should a process have several. */
  readonly module: string
  /** Finishes what is under way and lets go of the file, all before it returns. */
  readonly release: () => void
}

declare global {
  /** Files that this process has open, by their paths. It outlives the evaluation of modules. */
  var dholeOpenFiles: Map<string, OpenFileEntry> | undefined
}

/** `bun --hot` evaluates every module anew, in the same process. */
const EVALUATION = Symbol('evaluation')

/**
 * Has an earlier evaluation of this program, which a hot reload has replaced, let go of a file. A file that this very
 * evaluation has open is left alone: opening it twice is a mistake.
 */
export function releaseReplaced(file: string): void {
  const holder = globalThis.dholeOpenFiles?.get(keyOf(file))
  if (holder === undefined || holder.evaluation === EVALUATION || holder.module !== import.meta.url) return
  holder.release()
}

/**
 * Notes that a file is open.
 * @param release called when a later evaluation of this program opens it
 * @returns to be called when the file is closed
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

/** One name for each file, whatever path it is opened by. Its folder is there, the file itself may not be. */
function keyOf(file: string): string {
  return join(realpathSync(dirname(file)), basename(file))
}
