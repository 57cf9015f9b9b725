/** An export longer than many slices, and what it is once it is parsed and its nulls are gone. */
export interface LongExport {
  readonly text: string
  /** As an export prints it: no arrays, no nulls. */
  readonly exported: unknown
}

/** Pretty-printed, with a byte order mark, priorities, lists, long leaves, a deep branch and characters of all kinds. */
export function longExport(seed: number): LongExport {
  let state = seed
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
  const posts: Record<string, unknown> = {}
  for (let index = 0; index < 1500; index++) {
    posts[`-M${String(index).padStart(6, '0')}`] = {
      '.priority': index,
      author: `user ${next(50)}`,
      body: 'Grüße \\ "quoted" [brackets] 😀 '.repeat(1 + next(20)),
      likes: next(100) / 8,
      tags: ['a', null, `b${next(9)}`],
    }
  }
  const tiny = Array.from({ length: 40_000 }, () => next(10))
  const leaf = { '.value': 'l'.repeat(400_000), '.priority': 'p' }
  const nested: Record<string, unknown> = { end: 'x'.repeat(300_000) }
  let deep: unknown = nested
  for (let depth = 0; depth < 20; depth++) deep = { [`d${depth}`]: deep, side: depth }
  const tree = { posts, tiny, leaf, deep, none: null, empty: {}, ['__proto__x']: 1, last: 'ü'.repeat(200_000) }
  return { text: `\uFEFF${JSON.stringify(tree, undefined, 1)}\n`, exported: exportedOf(tree) }
}

function exportedOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).flatMap(([key, member]) => {
    const child = exportedOf(member)
    const isNothing = child === null || (typeof child === 'object' && Object.keys(child as object).length === 0)
    return isNothing ? [] : [[key, child] as const]
  })
  return Object.fromEntries(members)
}
