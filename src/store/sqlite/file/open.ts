import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../../files/folders.ts'
import { syncPath } from '../../../files/sync-path.ts'
import { movedText } from '../../rows/copy/moved-text.ts'
import { readMeta, writeMeta } from '../log/meta.ts'
import { type Connection, connectWriter } from './connection.ts'
import { describeOpenError } from './error-advice.ts'
import { bringUpToDate } from './migrations.ts'
import { registerOpenFile, releaseReplaced } from './open-files.ts'
import { completeReplacement } from './replace.ts'
import { TreeLock } from './tree-lock.ts'

/** The file that a copy writes before it becomes the file of a tree. */
export function arrivingFile(file: string): string {
  return `${file}.copying`
}

/** The file of a tree, opened for this process alone. */
export interface OpenFile {
  readonly writer: Connection
  /** Created with the file; a restored tree gets a new one. */
  readonly epoch: string
  /** Releases the lock that excludes other processes. */
  unlock(): void
}

/**
 * Opens or creates the file, migrates its tables and makes file, log and directory entries durable.
 * @param onReplaced called when a hot reload opens this file again: it must close the file before it returns
 * @param evenMoved opens a tree that was moved elsewhere, too
 * @throws Error that names the file: another process has it open, it cannot be written, is missing, is damaged, is no
 *   database, was moved elsewhere, its copy is not complete, or it belongs to another program or to a later version of this one
 */
export function openFile(file: string, onReplaced: () => void, evenMoved = false): OpenFile {
  if (!existsSync(file)) makeFolder(dirname(file))
  releaseReplaced(file)
  const lock = new TreeLock(file)
  try {
    completeReplacement(file)
    if (!existsSync(file) && existsSync(arrivingFile(file))) {
      throw new Error(
        `${file} is not copied completely: run the same \`dhole copy\` again, or delete ${arrivingFile(file)} while the tree is still served from where it was`,
      )
    }
    if (lock.hadTreeFile && !existsSync(file)) {
      throw new Error(
        `${file} is gone, and was there before: restore it, or remove ${lock.file} too to begin with an empty tree`,
      )
    }
    const tables = openTables(file, evenMoved)
    lock.noteFile()
    const forget = registerOpenFile(file, onReplaced)
    return {
      ...tables,
      unlock: () => {
        forget()
        lock[Symbol.dispose]()
      },
    }
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
}

function openTables(file: string, evenMoved: boolean): Pick<OpenFile, 'writer' | 'epoch'> {
  let writer: Connection | undefined
  try {
    writer = connectWriter(file)
    writer.client.run('PRAGMA synchronous = FULL')
    // Writes the log of a killed process to the file: its own sync may have failed.
    writer.client.run('PRAGMA wal_checkpoint(TRUNCATE)')
    bringUpToDate(writer)
    const movedTo = readMeta(writer, 'moved_to')
    if (movedTo !== undefined && !evenMoved) throw new Error(movedText(movedTo))
    const epoch = readMeta(writer, 'epoch') ?? crypto.randomUUID()
    writeMeta(writer, 'epoch', epoch)
    // Syncs the commits of a killed process before any of them is read.
    syncPath(`${file}-wal`)
    // Makes its name durable too; later syncs of its content do not.
    syncPath(dirname(file))
    writer.client.run('PRAGMA synchronous = NORMAL')
    // Frees the pages that the migrations have used.
    writer.client.run('PRAGMA shrink_memory')
    return { writer, epoch }
  } catch (cause) {
    writer?.client.close()
    throw new Error(`cannot open ${file}: ${describeOpenError(cause)}`, { cause })
  }
}
