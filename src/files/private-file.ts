import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from './folders.ts'
import { syncPath } from './sync-path.ts'

const OWNER_ONLY = 0o600

/** Writes a file for its owner alone, atomically, with missing folders. Durable when it returns. */
export function writePrivately(file: string, text: string): void {
  makeFolder(dirname(file))
  const unfinished = `${file}.${crypto.randomUUID()}`
  const descriptor = openSync(unfinished, 'wx', OWNER_ONLY)
  try {
    try {
      writeSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
  syncPath(dirname(file))
}
