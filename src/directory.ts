import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes what was created, renamed and removed in a folder durable. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
