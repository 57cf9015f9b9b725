/** Browsers do not lay out boxes of more than some 17 million pixels. */
const MOST_PIXELS = 15_000_000
/** Length of both ends of such a box in which a pixel stays a pixel, so that the first and last rows are not skipped. */
const EDGE_PIXELS = 3_000_000

/**
 * Where a long list stands while its box is scrolled to a position. A list that fits into a box is as long as the box; of a
 * longer one the middle is scaled.
 */
export class ScrollRange {
  /** Length of the box, in pixels. */
  readonly boxLength: number
  /** Greatest positions of the list and of the box. */
  readonly #mostOfList: number
  readonly #mostOfBox: number

  /** @param listLength of all rows, in pixels @param viewLength of what is shown at once */
  constructor(listLength: number, viewLength: number) {
    this.boxLength = Math.min(listLength, MOST_PIXELS)
    this.#mostOfList = Math.max(0, listLength - viewLength)
    this.#mostOfBox = Math.max(0, this.boxLength - viewLength)
  }

  /** Whether a pixel of the box is a pixel of the list everywhere. */
  get isExact(): boolean {
    return this.#mostOfList === this.#mostOfBox
  }

  /** Position within the list, for any number. */
  inside(position: number): number {
    return Math.min(this.#mostOfList, Math.max(0, position))
  }

  /** Position of the list for one of the box. */
  ofBox(position: number): number {
    return scaled(position, this.#mostOfBox, this.#mostOfList)
  }

  /** Position of the box for one of the list. */
  ofList(position: number): number {
    return scaled(position, this.#mostOfList, this.#mostOfBox)
  }
}

/** The position in a range of `to` pixels for one in a range of `from` pixels: both ends are equal, the middle is scaled. */
function scaled(position: number, from: number, to: number): number {
  const inside = Math.min(from, Math.max(0, position))
  if (from === to || inside <= EDGE_PIXELS) return inside
  if (inside >= from - EDGE_PIXELS) return to - (from - inside)
  return EDGE_PIXELS + ((inside - EDGE_PIXELS) * (to - 2 * EDGE_PIXELS)) / (from - 2 * EDGE_PIXELS)
}
