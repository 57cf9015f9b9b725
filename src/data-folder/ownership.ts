import { lchownSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Folders that a restore may create or write. */
const RESTORED = ['apps', 'secrets']
const ROOT = 0

/** Gives a file created by root to the owner of its folder, so that a server without root rights can open it. */
export function giveToOwner(file: string): void {
  if (process.getuid?.() !== ROOT) return
  const { uid, gid } = statSync(dirname(file))
  changeOwner(file, uid, gid)
}

/** Gives all files that root has created in a data folder to the owner of the data folder. */
export function giveAllToOwner(dataDir: string): void {
  if (process.getuid?.() !== ROOT) return
  const { uid, gid } = statSync(dataDir)
  if (uid === ROOT) return
  for (const folder of RESTORED.map((name) => join(dataDir, name))) {
    const found = lstatSync(folder, { throwIfNoEntry: false })
    if (!found?.isDirectory()) continue
    for (const name of readdirSync(folder)) changeOwner(join(folder, name), uid, gid)
    changeOwner(folder, uid, gid)
  }
}

/** Leaves links and files of other users alone: the owner of the folder may have planted them to gain a file. */
function changeOwner(path: string, uid: number, gid: number): void {
  const found = lstatSync(path)
  const isOurs = found.uid === ROOT && (found.isDirectory() || (found.isFile() && found.nlink === 1))
  if (isOurs) lchownSync(path, uid, gid)
}
