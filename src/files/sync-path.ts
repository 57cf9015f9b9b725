import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes a file durable, or the entries of a folder. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
