import type { Room } from './room-graph.ts'

/** A room, or a point at which a line crosses a layer between other rooms. */
interface Node {
  readonly name: string | undefined
  readonly width: number
  /** Nodes of the layer below. */
  readonly below: Node[]
  readonly above: Node[]
  /** The middle. */
  x: number
}

export interface Layout {
  /** From the top, each from the left. */
  readonly layers: readonly (readonly Node[])[]
}

const SWEEPS = 24
/** Width of a line between two rooms. */
const PASSAGE = 14

/**
 * Places rooms in layers, so that lines between them pass beside other rooms and cross seldom.
 * @param width of a room
 * @param gap between neighbours
 */
export function layOut(rooms: readonly Room[], width: number, gap: number): Layout {
  const top = Math.max(...rooms.map(({ layer }) => layer))
  const layers: Node[][] = Array.from({ length: top + 1 }, () => [])
  const nodes = new Map<string, Node>()
  const add = (layer: number, name?: string): Node => {
    const node: Node = { name, width: name === undefined ? PASSAGE : width, below: [], above: [], x: 0 }
    layers[top - layer]?.push(node)
    return node
  }
  for (const { name, layer } of rooms) nodes.set(name, add(layer, name))
  for (const room of rooms) {
    for (const name of room.needs) {
      const to = nodes.get(name)
      const { layer: last = 0 } = rooms.find((other) => other.name === name) ?? {}
      let from = nodes.get(room.name)
      for (let layer = room.layer - 1; layer >= last; layer--) {
        const node = layer === last ? to : add(layer)
        if (from === undefined || node === undefined) throw new Error(`${room.name} needs ${name}, which is not shown`)
        from.below.push(node)
        node.above.push(from)
        from = node
      }
    }
  }
  for (const layer of layers) spread(layer, gap, () => 0)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0
    const order = isDown ? layers : layers.toReversed()
    for (const layer of order) {
      const wanted = new Map(layer.map((node) => [node, mean(isDown ? node.above : node.below, node.x)]))
      layer.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0))
      spread(layer, gap, (node) => mean([...node.above, ...node.below], node.x))
    }
  }
  return { layers }
}

/** A group of neighbours that touch: where they want to stand on average, without the room that they take. */
interface Group {
  sum: number
  size: number
}

/** Puts the nodes of a layer beside each other, as near to where they want to be as their order allows. */
function spread(layer: readonly Node[], gap: number, wanted: (node: Node) => number): void {
  const offsets: number[] = []
  const groups: Group[] = []
  for (const [index, node] of layer.entries()) {
    const before = layer[index - 1]
    const offset = before === undefined ? 0 : (offsets[index - 1] ?? 0) + before.width / 2 + gap + node.width / 2
    offsets.push(offset)
    groups.push({ sum: wanted(node) - offset, size: 1 })
    joinLast(groups)
  }
  let index = 0
  for (const { sum, size } of groups) {
    for (const end = index + size; index < end; index++) {
      const node = layer[index]
      if (node !== undefined) node.x = sum / size + (offsets[index] ?? 0)
    }
  }
}

/** Joins groups at the end that would overlap. */
function joinLast(groups: Group[]): void {
  for (;;) {
    const last = groups.at(-1)
    const previous = groups.at(-2)
    if (last === undefined || previous === undefined || previous.sum / previous.size < last.sum / last.size) return
    previous.sum += last.sum
    previous.size += last.size
    groups.pop()
  }
}

function mean(nodes: readonly Node[], otherwise: number): number {
  return nodes.length === 0 ? otherwise : nodes.reduce((sum, { x }) => sum + x, 0) / nodes.length
}
