import { LONG_TEXT, longestText, TINY_TEXT, Trait } from './slot.ts'

/** Most text read in one step, in bytes; a longer text is read in a step of its own. */
const PAGE_BYTES = 512 * 1024

/** Rows whose lengths are read in one step where texts are long: SQLite reads each row to compare its key. */
export const ROWS_MEASURED = 16

/** Divides rows with texts of these lengths into pages: the number of rows of each. */
export function pageSizes(lengths: Iterable<number>): readonly number[] {
  const sizes: number[] = []
  let size = 0
  let bytes = 0
  for (const length of lengths) {
    if (size > 0 && bytes + length > PAGE_BYTES) {
      sizes.push(size)
      size = 0
      bytes = 0
    }
    size++
    bytes += length
  }
  if (size > 0) sizes.push(size)
  return sizes
}

/** At most two megabytes of text each. */
const TINY_ROWS = 8192
const SHORT_ROWS = 2048
/** At most one megabyte. */
const OTHER_ROWS = 128
/** At most four megabytes, and nearly always far less: nodes of earlier versions. */
const UNKNOWN_ROWS = 512

/** Children of a node without long texts that are read in one step. */
export function rowsOfPage(traits: number): number {
  if ((traits & Trait.lengthsKnown) === 0) return UNKNOWN_ROWS
  const longest = longestText(traits)
  if (longest === LONG_TEXT) return OTHER_ROWS
  // Careful keys are printed one by one.
  return longest === TINY_TEXT && (traits & Trait.carefulKeys) === 0 ? TINY_ROWS : SHORT_ROWS
}
