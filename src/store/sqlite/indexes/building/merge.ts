type Pages<T> = Iterator<readonly T[], void>

/** The next item of a sorted run, and those after it. */
class Cursor<T> {
  readonly #pages: Pages<T>
  #page: readonly T[] = []
  #index = -1

  constructor(pages: Pages<T>) {
    this.#pages = pages
  }

  /** Goes to the next item. @returns whether there is one */
  advance(): boolean {
    while (++this.#index >= this.#page.length) {
      const next = this.#pages.next()
      if (next.done) return false
      this.#page = next.value
      this.#index = -1
    }
    return true
  }

  get item(): T {
    return this.#page[this.#index] as T
  }
}

/** Merges sorted runs, given in pages, into one sorted run in pages. */
export function* mergeSorted<T>(
  runs: readonly Pages<T>[],
  compare: (left: T, right: T) => number,
  pageLength: number,
): Generator<readonly T[], void> {
  const heap = runs.map((pages) => new Cursor(pages)).filter((cursor) => cursor.advance())
  heap.sort((left, right) => compare(left.item, right.item))
  let page: T[] = []
  for (let least = heap[0]; least !== undefined; least = heap[0]) {
    page.push(least.item)
    if (page.length === pageLength) {
      yield page
      page = []
    }
    if (!least.advance()) {
      const last = heap.pop()
      if (last === undefined || heap.length === 0) continue
      heap[0] = last
    }
    sink(heap, compare)
  }
  if (page.length > 0) yield page
}

/** Moves the first cursor of a heap to its place. */
function sink<T>(heap: Cursor<T>[], compare: (left: T, right: T) => number): void {
  const moved = heap[0]
  if (moved === undefined) return
  let at = 0
  for (;;) {
    const left = heap[2 * at + 1]
    if (left === undefined) break
    const right = heap[2 * at + 2]
    const isRight = right !== undefined && compare(right.item, left.item) < 0
    const least = isRight ? right : left
    if (compare(least.item, moved.item) >= 0) break
    heap[at] = least
    at = 2 * at + (isRight ? 2 : 1)
  }
  heap[at] = moved
}
