import { statSync } from 'node:fs'

/** Size of a file in bytes; 0 without a file. */
export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
