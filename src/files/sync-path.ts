import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes a file durable, or what was created, renamed and removed in a folder. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
