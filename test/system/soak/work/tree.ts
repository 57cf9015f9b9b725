import type { Kind } from '../pace.ts'
import type { Random } from '../random.ts'
import { rulesText, type Scene, SECRET } from '../scene.ts'

const ITEMS = 2000
const COUNTERS = 50
const POSTS = 10
const POSTS_KEPT = 200
const BLOBS = 8
const TREES = 20
const BLOB_LENGTH = { least: 100_000, spread: 400_000 }

type Way = 'http1' | 'http2'

/** Nodes read, written, counted and refused in all ordinary ways; the tree keeps its size. */
export function treeWork(scene: Scene, random: Random): readonly Kind[] {
  const way = (): Way => (random.chance(0.5) ? 'http1' : 'http2')
  const item = () => `/items/k${random.below(ITEMS)}.json`
  const posts = Array.from({ length: POSTS }, (): string[] => [])
  let rules = 0

  const read = async (): Promise<void> => {
    const headers = random.chance(0.2) ? { headers: { 'X-Firebase-ETag': 'true' } } : {}
    const answer = await scene.ask(way(), random.chance(0.05) ? 'HEAD' : 'GET', item(), headers)
    const tag = answer.headers.get('etag')
    if (tag !== null) {
      await scene.ask(way(), 'GET', item(), { headers: { 'If-None-Match': tag }, expect: [200, 304] })
    }
  }
  const write = () => scene.ask(way(), 'PUT', item(), { body: JSON.stringify(itemValue(random)) })
  const patch = () => {
    const members = Object.fromEntries(
      Array.from({ length: 1 + random.below(5) }, () => [
        `items/k${random.below(ITEMS)}/${random.pick(['a', 'b', 'more/deep'])}`,
        random.below(1000),
      ]),
    )
    return scene.ask(way(), 'PATCH', '/.json', { body: JSON.stringify(members) })
  }
  const post = async (): Promise<void> => {
    const at = random.below(POSTS)
    const body = JSON.stringify({ text: random.text(random.below(300)), at: { '.sv': 'timestamp' } })
    const { text } = await scene.ask(way(), 'POST', `/posts/p${at}.json`, { body })
    const kept = posts[at] ?? []
    kept.push((JSON.parse(text) as { name: string }).name)
    if (kept.length > POSTS_KEPT) await scene.ask(way(), 'DELETE', `/posts/p${at}/${kept.shift()}.json`)
  }
  const count = () =>
    scene.ask(way(), 'PUT', `/counters/c${random.below(COUNTERS)}.json`, { body: '{".sv":{"increment":1}}' })
  const look = () =>
    scene.ask(
      way(),
      'GET',
      `/posts/p${random.below(POSTS)}.json?${random.pick(['shallow=true', 'count=true', 'print=pretty', 'format=export', 'orderBy="$key"&limitToLast=5'])}`,
    )
  const condition = async (): Promise<void> => {
    const target = item()
    const { headers } = await scene.ask(way(), 'GET', target, { headers: { 'X-Firebase-ETag': 'true' } })
    const tag = random.chance(0.5) ? (headers.get('etag') ?? '') : 'another'
    const body = JSON.stringify(itemValue(random))
    await scene.ask(way(), 'PUT', target, { headers: { 'if-match': tag }, body, expect: [200, 412] })
  }
  const wrong = () => {
    const [method, target, body, status] = random.pick([
      ['PUT', '/items/k1.json', '{"a":', 400],
      ['PUT', '/items/k1.json', '{"a.b":1}', 400],
      ['GET', '/items/k1', undefined, 400],
      ['GET', '/items.json?orderBy=x', undefined, 400],
      ['GET', `/none.json?ns=no-${random.below(10_000)}`, undefined, 404],
      ['GET', `/users/u${random.below(10_000)}.json`, undefined, 403],
      ['PATCH', '/items.json', '{"a":1,"a/b":2}', 400],
      ['LOCK', '/items.json', undefined, 405],
    ] as const)
    return scene.ask(way(), method, target, { body, expect: [status] })
  }
  const blob = async (): Promise<void> => {
    const target = `/blobs/b${random.below(BLOBS)}.json`
    const text = JSON.stringify(random.text(BLOB_LENGTH.least + random.below(BLOB_LENGTH.spread)))
    const options = random.chance(0.5)
      ? { body: text }
      : { body: Bun.gzipSync(text), headers: { 'Content-Encoding': 'gzip' } }
    await scene.ask('http1', 'PUT', `${target}?print=silent`, { ...options, expect: [204] })
    await scene.ask(way(), 'GET', target)
  }
  const tree = async (): Promise<void> => {
    const target = `/trees/t${random.below(TREES)}.json`
    const width = 5 + random.below(20)
    const leaf = () => random.text(random.below(120))
    const rows = (at: number) => Array.from({ length: width }, (_, row) => [`r${at}-${row}`, { leaf: leaf(), row }])
    const value = Object.fromEntries(Array.from({ length: width }, (_, at) => [`b${at}`, Object.fromEntries(rows(at))]))
    await scene.ask('http1', 'PUT', target, { body: JSON.stringify(value) })
    await scene.ask(way(), 'GET', target)
    await scene.ask(way(), 'DELETE', target)
  }
  const settings = () =>
    scene.ask('http1', 'PUT', `/.settings/rules.json?auth=${encodeURIComponent(SECRET)}`, { body: rulesText(rules++) })
  const page = () => scene.ask(way(), 'GET', random.pick(['/swagger', '/swagger/json', '/docs/live', '/docs/live.js']))

  const kinds: readonly [name: string, perDay: number, most: number, run: () => Promise<unknown>][] = [
    ['read', 420_000, 40, read],
    ['write', 160_000, 40, write],
    ['patch', 80_000, 20, patch],
    ['post', 40_000, 20, post],
    ['count up', 60_000, 20, count],
    ['look', 40_000, 20, look],
    ['condition', 15_000, 10, condition],
    ['wrong request', 30_000, 10, wrong],
    ['large value', 1_500, 3, blob],
    ['subtree made and deleted', 4_000, 4, tree],
    ['rules replaced', 96, 1, settings],
    ['page', 500, 2, page],
  ]
  return kinds.map(([name, perDay, most, run]) => ({ name, perDay, most, run: async () => void (await run()) }))
}

function itemValue(random: Random): unknown {
  const text = random.text(random.below(2500))
  return random.chance(0.2) ? text : { a: random.below(1000), b: text, more: { deep: random.chance(0.5) } }
}
