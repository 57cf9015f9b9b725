import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from './folders.ts'

const OWNER_ONLY = 0o600

/** Writes a file for its owner alone, atomically, with missing folders. Durable when it returns. */
export function writePrivately(file: string, text: string): void {
  makeFolder(dirname(file))
  const unfinished = `${file}.${crypto.randomUUID()}`
  try {
    withOpen(unfinished, 'wx', (descriptor) => {
      writeSync(descriptor, text)
      fsyncSync(descriptor)
    })
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
  withOpen(dirname(file), 'r', fsyncSync)
}

function withOpen(path: string, flags: string, use: (descriptor: number) => void): void {
  const descriptor = openSync(path, flags, OWNER_ONLY)
  try {
    use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
