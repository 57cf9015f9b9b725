import { lchownSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Folders of a data folder that a restore may make, or make files in. */
const RESTORED = ['apps', 'secrets']
const ROOT = 0

/** Gives a file that root has made to the owner of its folder: a server that does not run as root must open it. */
export function giveToOwner(file: string): void {
  if (process.getuid?.() !== ROOT) return
  const { uid, gid } = statSync(dirname(file))
  give(file, uid, gid)
}

/** The same for all that root has made in a data folder which belongs to somebody else. */
export function giveAllToOwner(dataDir: string): void {
  if (process.getuid?.() !== ROOT) return
  const { uid, gid } = statSync(dataDir)
  if (uid === ROOT) return
  for (const folder of RESTORED.map((name) => join(dataDir, name))) {
    const found = lstatSync(folder, { throwIfNoEntry: false })
    if (!found?.isDirectory()) continue
    for (const name of readdirSync(folder)) give(join(folder, name), uid, gid)
    give(folder, uid, gid)
  }
}

/** What belongs to others, links among them, stays theirs: the owner of the folder may have put it there to get it. */
function give(path: string, uid: number, gid: number): void {
  const found = lstatSync(path)
  const isOurs = found.uid === ROOT && (found.isDirectory() || (found.isFile() && found.nlink === 1))
  if (isOurs) lchownSync(path, uid, gid)
}
