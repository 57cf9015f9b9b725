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
