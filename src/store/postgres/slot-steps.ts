import { arrayOf } from './connection/arrays.ts'

/** A slot as `c`, to which a condition is added. A lateral subquery with a LIMIT keeps the planner from reading the whole tree. */
export const SLOT = 'c.kind, c.value, c.id FROM node c WHERE c.tree = $1::int'

/** Common table expressions: `w`, the slots along steps. The parameters 2 to 5 are their columns. */
export const ALONG_STEPS =
  'step AS (SELECT * FROM unnest($2::int[], $3::text[], $4::int[], $5::bigint[]) AS s(n, key, above, parent)), ' +
  `w AS (SELECT s.n, c.kind, c.value, c.id FROM step s CROSS JOIN LATERAL (SELECT ${SLOT} AND c.parent_id = s.parent ` +
  'AND c.key = s.key LIMIT 1) c WHERE s.parent IS NOT NULL ' +
  `UNION ALL SELECT s.n, c.kind, c.value, c.id FROM w JOIN step s ON s.above = w.n CROSS JOIN LATERAL (SELECT ${SLOT} ` +
  'AND c.parent_id = w.id AND c.key = s.key LIMIT 1) c)'

/** Joins the rows of interior nodes to `w`. */
export const INTERIOR =
  'LEFT JOIN LATERAL (SELECT i.child_count, i.traits FROM interior i WHERE i.tree = $1::int AND i.id = w.id LIMIT 1) i ON true'

/** Slots along keys below an interior node. Keys are encoded by `sortKey`. */
export interface WantedSlots {
  readonly parent: number
  readonly keys: readonly string[]
}

/** A slot that is looked for: below an interior node, or below the slot of another step. */
export interface SlotStep {
  readonly parent: number | null
  readonly above: number | null
  readonly key: string
}

/** The steps along all keys, as a trie in which each step comes after the one above it. */
export function stepsOf(wanted: readonly WantedSlots[]): readonly SlotStep[] {
  const [only] = wanted
  if (only !== undefined && wanted.length === 1) return chainOf(only)
  const steps: SlotStep[] = []
  /** Numbers of the steps below each step, by key. */
  const below: Map<string, number>[] = []
  const tops = new Map<number, Map<string, number>>()
  for (const { parent, keys } of wanted) {
    let siblings = tops.get(parent)
    if (siblings === undefined) {
      siblings = new Map()
      tops.set(parent, siblings)
    }
    let above: number | null = null
    for (const key of keys) {
      let index: number | undefined = siblings.get(key)
      if (index === undefined) {
        index = steps.length
        steps.push({ parent: above === null ? parent : null, above, key })
        below.push(new Map())
        siblings.set(key, index)
      }
      above = index
      siblings = below[index] as Map<string, number>
    }
  }
  return steps
}

/** The steps along one path. */
function chainOf({ parent, keys }: WantedSlots): readonly SlotStep[] {
  return keys.map((key, at) => (at === 0 ? { parent, above: null, key } : { parent: null, above: at - 1, key }))
}

/** The columns of steps: number, key, number of the step above, and interior node above, as `int[]`, `text[]`, `int[]` and `bigint[]`. */
export function columnsOf(steps: readonly SlotStep[]): readonly [string, string, string, string] {
  return [
    arrayOf(steps.map((_, index) => index)),
    arrayOf(steps.map(({ key }) => key)),
    arrayOf(steps.map(({ above }) => above)),
    arrayOf(steps.map(({ parent }) => parent)),
  ]
}
