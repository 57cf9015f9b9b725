import { arrayOf } from './connection/arrays.ts'

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
