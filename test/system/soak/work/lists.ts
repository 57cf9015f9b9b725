import type { Kind } from '../pace.ts'
import type { Random } from '../random.ts'
import type { Scene } from '../scene.ts'

const LISTS = 12
const LEAST = 150
const SPREAD = 300
const ORDERS = ['a', 'b', 'declared', 'deep/er', '$value', '$priority']

/** Long lists put in the place of others and asked for in orders that need an index, which is built and dropped again. */
export function listWork(scene: Scene, random: Random): readonly Kind[] {
  const list = () => `/lists/l${random.below(LISTS)}`
  const replace = async (): Promise<void> => {
    const target = list()
    const children = Array.from({ length: LEAST + random.below(SPREAD) }, (_, at) => [`c${at}`, child(random)])
    await scene.ask('http1', 'PUT', `${target}.json`, { body: JSON.stringify(Object.fromEntries(children)) })
    for (const order of [random.pick(ORDERS), random.pick(ORDERS)]) {
      await scene.ask('http2', 'GET', `${target}.json?orderBy="${order}"&limitToFirst=10`)
    }
  }
  const query = async (): Promise<void> => {
    const bounds = ['', '&limitToLast=5', '&startAt=100&limitToFirst=20', '&equalTo=7', '&endAt=50&limitToLast=3']
    const target = `${list()}.json?orderBy="${random.pick(ORDERS.slice(0, 4))}"${random.pick(bounds)}`
    await scene.ask(random.chance(0.5) ? 'http1' : 'http2', 'GET', target)
  }
  const change = async (): Promise<void> => {
    const target = `${list()}/c${random.below(LEAST)}.json`
    await scene.ask('http2', 'PUT', target, { body: JSON.stringify(child(random)) })
  }
  return [
    { name: 'list replaced, indexes built', perDay: 600, most: 2, run: replace },
    { name: 'ordered query', perDay: 50_000, most: 10, run: query },
    { name: 'write to an indexed list', perDay: 30_000, most: 10, run: change },
  ]
}

function child(random: Random): unknown {
  return {
    a: random.below(1000),
    b: random.text(random.below(30)),
    declared: random.below(50),
    deep: { er: random.chance(0.5) },
    ...(random.chance(0.1) ? { '.priority': random.below(9) } : {}),
  }
}
