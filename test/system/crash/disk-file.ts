import type { Random } from './random.ts'

/** What a disk writes whole or not at all, in bytes. */
const SECTOR = 512

/** Something done to a file and not known to be on the disk. */
type Change =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly length: number }

/** How much of what was not synced the disk has when the power goes. */
export interface Luck {
  /** Share of the changes that are there, 0 to 1. */
  readonly kept: number
  /** Share of the writes of which some sectors are there. */
  readonly torn: number
}

/** One file on a disk with a cache: what was synced, and what was done since then. */
export class DiskFile {
  #bytes = new Uint8Array(0)
  #length = 0
  #changes: { readonly number: number; readonly change: Change }[] = []

  /** @param number of the record, growing */
  change(number: number, change: Change): void {
    this.#changes.push({ number, change })
  }

  /** All that was done before a sync began is on the disk once it has ended. */
  synced(begun: number): void {
    const rest = this.#changes.findIndex(({ number }) => number > begun)
    const done = this.#changes.splice(0, rest === -1 ? this.#changes.length : rest)
    for (const { change } of done) this.#apply(change)
  }

  /** What may be in the file when the power goes now. */
  afterLoss(random: Random, luck: Luck): Uint8Array {
    const lost = new DiskFile()
    lost.#bytes = this.#bytes.slice()
    lost.#length = this.#length
    for (const { change } of this.#changes) {
      if (change.kind === 'write' && random.happens(luck.torn)) lost.#tear(change, random)
      else if (random.happens(luck.kept)) lost.#apply(change)
    }
    return lost.#bytes.subarray(0, lost.#length)
  }

  #tear({ at, bytes }: Change & { kind: 'write' }, random: Random): void {
    for (let from = 0; from < bytes.length; ) {
      const to = Math.min(bytes.length, from + SECTOR - ((at + from) % SECTOR))
      if (random.happens(0.5)) this.#apply({ kind: 'write', at: at + from, bytes: bytes.subarray(from, to) })
      from = to
    }
  }

  #apply(change: Change): void {
    if (change.kind === 'write') {
      this.#reach(change.at + change.bytes.length)
      this.#bytes.set(change.bytes, change.at)
      this.#length = Math.max(this.#length, change.at + change.bytes.length)
    } else {
      this.#reach(change.length)
      this.#bytes.fill(0, change.length)
      this.#length = change.length
    }
  }

  /** Beyond the length all bytes are zeros. */
  #reach(length: number): void {
    if (length <= this.#bytes.length) return
    const longer = new Uint8Array(2 * length)
    longer.set(this.#bytes)
    this.#bytes = longer
  }
}
