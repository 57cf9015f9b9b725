import { arrayOf } from './connection/arrays.ts'

/** Slots along keys below an interior node. Keys are encoded by `sortKey`. */
export interface WantedSlots {
  readonly parent: number
  readonly keys: readonly string[]
}

/** A slot that is looked for: below an interior node, or below the slot of another step. */
interface SlotStep {
  readonly parent: number | null
  readonly above: number | null
  readonly key: string
  readonly below: Map<string, number>
}

/** The steps along all keys, as a trie in which each step comes after the one above it. */
export function stepsOf(wanted: readonly WantedSlots[]): readonly SlotStep[] {
  const steps: SlotStep[] = []
  const tops = new Map<number, Map<string, number>>()
  for (const { parent, keys } of wanted) {
    let below = tops.get(parent)
    if (below === undefined) {
      below = new Map()
      tops.set(parent, below)
    }
    let above: number | null = null
    for (const key of keys) {
      let index: number | undefined = below.get(key)
      if (index === undefined) {
        index = steps.length
        steps.push({ parent: above === null ? parent : null, above, key, below: new Map() })
        below.set(key, index)
      }
      above = index
      below = (steps[index] as SlotStep).below
    }
  }
  return steps
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
