import { dirname } from 'node:path'
import { DiskFile, type Luck } from './disk-file.ts'
import type { Random } from './random.ts'
import type { Entry } from './recording.ts'

type Names = Map<string, DiskFile | 'folder'>

/** A name that was given, taken or changed, and is not known to be on the disk. */
interface Naming {
  readonly number: number
  /** Whose entry it is. */
  readonly folder: string
  readonly apply: (names: Names) => void
}

/**
 * A disk with a cache, by what POSIX promises and nothing more: a sync of a file keeps what was written to it before the
 * sync began; a sync of a folder keeps the names in it. All else may be there, in any part and any order.
 */
export class Disk {
  readonly #root: string
  #number = 0
  readonly #files = new Map<bigint, DiskFile>()
  readonly #folders = new Map<bigint, string>()
  readonly #names: Names = new Map()
  #namings: Naming[] = []
  readonly #syncs = new Map<bigint, number>()

  /** @param root folder that is there from the beginning; @param inode its number */
  constructor(root: string, inode: bigint) {
    this.#root = root
    this.#folders.set(inode, root)
  }

  apply(entry: Entry): void {
    this.#number++
    switch (entry.kind) {
      case 'write':
      case 'truncate':
        this.#files.get(entry.file)?.change(this.#number, entry)
        return
      case 'sync-begun':
        this.#syncs.set(entry.sync, this.#number)
        return
      case 'sync-ended':
        this.#synced(entry.file, this.#syncs.get(entry.sync) ?? 0)
        return
      case 'created': {
        // A number may come again when the file that had it is gone.
        const file = new DiskFile()
        this.#files.set(entry.file, file)
        this.#name(entry.path, (names) => names.set(entry.path, file))
        return
      }
      case 'folder':
        this.#folders.set(entry.file, entry.path)
        this.#name(entry.path, (names) => names.set(entry.path, 'folder'))
        return
      case 'renamed':
        this.#name(entry.to, (names) => rename(names, entry.from, entry.to))
        return
      case 'removed':
        this.#name(entry.path, (names) => names.delete(entry.path))
        return
      case 'mark':
        return
      default:
        entry satisfies never
    }
  }

  /** What may be on the disk when the power goes now: what is in each file, by its path. */
  afterLoss(random: Random, luck: Luck): ReadonlyMap<string, Uint8Array> {
    const names: Names = new Map(this.#names)
    for (const { apply } of this.#namings) if (random.happens(luck.kept)) apply(names)
    const found = new Map<string, Uint8Array>()
    for (const [path, node] of names) {
      if (node !== 'folder' && this.#isReachable(names, path)) found.set(path, node.afterLoss(random, luck))
    }
    return found
  }

  #name(path: string, apply: (names: Names) => void): void {
    this.#namings.push({ number: this.#number, folder: dirname(path), apply })
  }

  #synced(inode: bigint, begun: number): void {
    this.#files.get(inode)?.synced(begun)
    const folder = this.#folders.get(inode)
    if (folder === undefined) return
    const isKept = (naming: Naming) => naming.folder === folder && naming.number < begun
    for (const naming of this.#namings) if (isKept(naming)) naming.apply(this.#names)
    this.#namings = this.#namings.filter((naming) => !isKept(naming))
  }

  #isReachable(names: Names, path: string): boolean {
    const folder = dirname(path)
    return folder === this.#root || (names.get(folder) === 'folder' && this.#isReachable(names, folder))
  }
}

function rename(names: Names, from: string, to: string): void {
  const node = names.get(from)
  if (node === undefined) return
  names.delete(from)
  names.set(to, node)
}
