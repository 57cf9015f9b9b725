import { chownSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Gives a file that root has made to the owner of its folder: a server that does not run as root must open it. */
export function giveToOwner(file: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(file))
  chownSync(file, uid, gid)
}
