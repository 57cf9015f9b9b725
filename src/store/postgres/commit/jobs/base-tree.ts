import type { ChildRow, Interior, Slot } from '../../../rows/slot.ts'
import { Missing } from '../working-tree.ts'
import { SlotCache } from './slot-cache.ts'

/** Interior nodes that are remembered between batches. */
const MAX_INTERIORS = 16_384
/** Gaps between children that are searched for a key that was not asked for itself. */
const MAX_SEARCHED = 64

/** A key of a list, and the children next to it; there is none in between but perhaps the one with the key itself. */
export interface Gap {
  readonly key: string
  readonly before: ChildRow | undefined
  readonly after: ChildRow | undefined
}

/** What is known of the tree as of the applied batch. Interior nodes, and slots that were used last, stay known over batches. */
export class BaseTree {
  readonly #interiorSlots = new Map<number, Map<string, Slot>>()
  #interiors = new Map<number, Interior>()
  #slots = new SlotCache()
  #gaps = new Map<number, Map<string, Gap>>()
  /** The gaps of a list that were read last. */
  #lastGaps = new Map<number, Gap[]>()
  #records = new Map<string, string | undefined>()
  /** Whether sessions, and their values, are stored for this process; see `sessionName`. */
  #sessions = new Map<string, boolean>()

  /** Whether the slot is known. */
  has(parent: number, key: string): boolean {
    return this.#interiorSlots.get(parent)?.has(key) === true || this.#slots.has(parent, key)
  }

  /** @throws `Missing` */
  slot(parent: number, key: string): Slot | undefined {
    const slot = this.#interiorSlots.get(parent)?.get(key) ?? this.#slots.get(parent, key)
    if (slot === undefined && !this.#slots.has(parent, key)) {
      throw new Missing({ kind: 'slots', parent, keys: [key] })
    }
    return slot
  }

  interior(id: number): Interior | undefined {
    return this.#interiors.get(id)
  }

  /** The child before or after a key. @throws `Missing` */
  neighbor(list: number, key: string, side: 'before' | 'after'): ChildRow | undefined {
    const exact = this.#gaps.get(list)?.get(key)
    if (exact !== undefined) return exact[side]
    for (const gap of this.#lastGaps.get(list) ?? []) {
      const isBehind = gap.before === undefined || gap.before.key < key
      const isAhead = gap.after === undefined || gap.after.key > key
      if (side === 'before' && isBehind && key < gap.key) return gap.before
      if (side === 'after' && isAhead && key > gap.key) return gap.after
    }
    throw new Missing({ kind: 'neighbor', list, key, side })
  }

  /** Text of a record. @throws `Missing` */
  record(key: string): string | undefined {
    if (!this.#records.has(key)) throw new Missing({ kind: 'record', key })
    return this.#records.get(key)
  }

  /** Whether a session of this process is stored; see `Unknown`. @throws `Missing` */
  session(session: string, position: number): boolean {
    const isStored = this.#sessions.get(sessionName(session, position))
    if (isStored === undefined) throw new Missing({ kind: 'session', session, position })
    return isStored
  }

  know(parent: number, key: string, slot: Slot | undefined, interior?: Interior): void {
    if (slot !== undefined && slot.id !== null) {
      if (interior !== undefined) this.#interiors.set(slot.id, interior)
      this.#remember(this.#interiorSlots, parent, key, slot)
    } else this.#slots.set(parent, key, slot)
  }

  knowGap(list: number, gap: Gap): void {
    this.#remember(this.#gaps, list, gap.key, gap)
    const last = this.#lastGaps.get(list) ?? []
    last.unshift(gap)
    if (last.length > MAX_SEARCHED) last.pop()
    this.#lastGaps.set(list, last)
  }

  knowRecord(key: string, text: string | undefined): void {
    this.#records.set(key, text)
  }

  knowSession(session: string, position: number, isStored: boolean): void {
    this.#sessions.set(sessionName(session, position), isStored)
  }

  /** A batch with these changes is applied. */
  advance(
    slots: ReadonlyMap<number, ReadonlyMap<string, Slot | undefined>>,
    interiors: ReadonlyMap<number, Interior>,
  ): void {
    this.#slots.advance(slots)
    this.#gaps = new Map()
    this.#lastGaps = new Map()
    this.#records = new Map()
    this.#sessions = new Map()
    if (this.#interiors.size + interiors.size > MAX_INTERIORS) {
      this.clear()
      return
    }
    for (const [parent, changed] of slots) {
      const known = this.#interiorSlots.get(parent)
      for (const [key, slot] of changed) {
        if (slot !== undefined && slot.id !== null) this.#remember(this.#interiorSlots, parent, key, slot)
        else known?.delete(key)
      }
    }
    for (const [id, interior] of interiors) this.#interiors.set(id, interior)
  }

  /** Nothing is known any more. */
  clear(): void {
    this.#interiorSlots.clear()
    this.#interiors = new Map()
    this.#slots = new SlotCache()
    this.#gaps = new Map()
    this.#lastGaps = new Map()
    this.#records = new Map()
    this.#sessions = new Map()
  }

  #remember<T>(known: Map<number, Map<string, T>>, parent: number, key: string, value: T): void {
    const siblings = known.get(parent)
    if (siblings === undefined) known.set(parent, new Map([[key, value]]))
    else siblings.set(key, value)
  }
}

/** Name of a session, or of its value at a position. */
function sessionName(session: string, position: number): string {
  return `${position} ${session}`
}
