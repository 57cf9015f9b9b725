import { layOut } from './layered-layout.ts'
import { roomGraph } from './room-graph.ts'

/** What each room that is drawn is about. */
const ROOMS: Readonly<Record<string, string>> = {
  cli: 'commands of dhole',
  doctor: 'looks for problems',
  server: 'settings, TLS, log, metrics',
  admin: 'work on a running server',
  monitor: 'counts and last requests',
  'embedded.ts': 'entry: no HTTP',
  'dhole.ts': 'composition, Elysia plugin',
  http: 'REST and SSE over HTTPS',
  applications: 'open applications',
  database: 'one tree: who may do what',
  embedded: 'interface of a database',
  rules: 'language and decisions',
  auth: 'tokens and secrets',
  hub: 'who listens to what',
  store: 'durable tree in SQLite',
  sms: 'states of text messages',
  query: 'order, bounds, limits',
  tree: 'JSON, paths, writes',
  'data-folder': 'files and secrets on disk',
  files: 'private, synced files',
  scheduling: 'long work in steps',
}

const BOX = { width: 180, height: 44 }
const GAP = { x: 16, y: 36 }
const MARGIN = 16

interface Point {
  readonly x: number
  readonly y: number
}

/** The picture of the rooms: each stands above the rooms that it imports. */
export async function roomsDrawing(): Promise<string> {
  const { layers } = layOut(await roomGraph(Object.keys(ROOMS)), BOX.width, GAP.x)
  const all = layers.flat()
  const left = Math.min(...all.map((node) => node.x - node.width / 2)) - MARGIN
  const width = Math.round(Math.max(...all.map((node) => node.x + node.width / 2)) + MARGIN - left)
  const height = layers.length * (BOX.height + GAP.y) - GAP.y + 2 * MARGIN
  const lines: string[] = []
  const boxes: string[] = []
  for (const [row, layer] of layers.entries()) {
    const y = MARGIN + row * (BOX.height + GAP.y)
    for (const node of layer) {
      const x = Math.round(node.x - left)
      if (node.name !== undefined) boxes.push(box(node.name, { x, y }))
      else lines.push(`  <path d="M${x} ${y}V${y + BOX.height}"/>`)
      for (const to of node.below) {
        lines.push(line({ x, y: y + BOX.height }, { x: Math.round(to.x - left), y: y + BOX.height + GAP.y }))
      }
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
  <title id="title">The rooms of src/: each one stands above the rooms that it imports</title>
  <style>
    text { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; text-anchor: middle }
    .name { font-size: 15px; font-weight: 600 }
    .about { font-size: 12px; fill: #59636e }
    rect { fill: #ffffff; stroke: #0969da; stroke-width: 1.5 }
    path { fill: none; stroke: #8c959f; stroke-width: 1.2 }
  </style>
  <rect width="${width}" height="${height}" rx="8" style="stroke: none"/>
${lines.join('\n')}
${boxes.join('\n')}
</svg>
`
}

function line(from: Point, to: Point): string {
  const middle = (from.y + to.y) / 2
  return `  <path d="M${from.x} ${from.y}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}"/>`
}

function box(name: string, { x, y }: Point): string {
  return `  <rect x="${x - BOX.width / 2}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6"/>
  <text class="name" x="${x}" y="${y + 19}">${name}</text>
  <text class="about" x="${x}" y="${y + 36}">${ROOMS[name]}</text>`
}
