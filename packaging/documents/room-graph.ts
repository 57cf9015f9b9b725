import { roomOf, sourceFiles } from '../../test/unit/structure/imports.ts'

/** A room of `src/`, and the rooms drawn below it that it needs directly. */
export interface Room {
  readonly name: string
  /** 0 is the lowest: a room stands above everything that it imports. */
  readonly layer: number
  readonly needs: readonly string[]
}

/**
 * The rooms that are shown, from the imports of the code. A room that is reached through another one is not named again,
 * and rooms that are not shown are passed through.
 */
export async function roomGraph(shown: readonly string[]): Promise<readonly Room[]> {
  const imports = new Map<string, Set<string>>()
  for (const { path, imports: targets } of await sourceFiles()) {
    const room = roomOf(path)
    const known = imports.get(room) ?? new Set()
    for (const target of targets.map(roomOf)) if (target !== room) known.add(target)
    imports.set(room, known)
  }
  const below = new Map(shown.map((name) => [name, reached(name, imports).filter((room) => shown.includes(room))]))
  const layers = new Map<string, number>()
  for (const name of shown) layerOf(name, below, layers)
  return shown.map((name) => {
    const all = below.get(name) ?? []
    const needs = all.filter((room) => !all.some((other) => other !== room && below.get(other)?.includes(room)))
    return { name, layer: layers.get(name) ?? 0, needs }
  })
}

/** Every room that a room imports, directly or through others. */
function reached(name: string, imports: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const found = new Set<string>()
  const open = [name]
  for (let room = open.pop(); room !== undefined; room = open.pop()) {
    for (const target of imports.get(room) ?? []) {
      if (found.has(target)) continue
      found.add(target)
      open.push(target)
    }
  }
  return [...found].toSorted()
}

function layerOf(name: string, below: ReadonlyMap<string, readonly string[]>, layers: Map<string, number>): number {
  const known = layers.get(name)
  if (known !== undefined) return known
  const layer = Math.max(-1, ...(below.get(name) ?? []).map((room) => layerOf(room, below, layers))) + 1
  layers.set(name, layer)
  return layer
}
