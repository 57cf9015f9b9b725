import { EventSource } from '../../../support/event-source.ts'
import type { Kind } from '../pace.ts'
import type { Random } from '../random.ts'
import type { Scene } from '../scene.ts'

const MOST_EVENTS = 6
const LONGEST_MS = 2000
const SLOW_MS = { least: 5000, spread: 15_000 }

/** Streams opened, read for a while and cut off, and some that do not read. */
export function streamWork(scene: Scene, random: Random): readonly Kind[] {
  const places = () =>
    random.pick([
      `/items/k${random.below(2000)}.json`,
      `/posts/p${random.below(10)}.json`,
      '/counters.json',
      `/lists/l${random.below(12)}.json?orderBy="a"&limitToLast=10`,
      `/lists/l${random.below(12)}.json?orderBy="b"`,
      `/items/k${random.below(2000)}.json?format=export&resume=true`,
    ])
  const open = async (target: string): Promise<EventSource> => {
    scene.requests++
    const http2 = random.chance(0.5)
    const begun = performance.now()
    const source = await EventSource.open(scene.listening, target.replaceAll('"', '%22'), { http2 }).catch((cause) => {
      const way = http2 ? 'HTTP/2' : 'HTTP/1.1'
      throw new Error(`over ${way} after ${Math.round(performance.now() - begun)} ms: ${String(cause)}`, { cause })
    })
    if (source.status !== 200) throw new Error(`stream of ${target}: ${source.status} ${await source.text()}`)
    return source
  }

  const listen = async (): Promise<void> => {
    const events = random.below(MOST_EVENTS)
    const patience = random.below(LONGEST_MS)
    await using source = await open(places())
    const first = await source.next()
    if (first.kind !== 'put' || first.path !== '/') throw new Error(`a stream begins with ${JSON.stringify(first)}`)
    const over = setTimeout(() => void source.close(), patience)
    for (let event = 0; event < events; event++) if ((await source.nextMessage()) === undefined) break
    clearTimeout(over)
  }
  const dawdle = async (): Promise<void> => {
    await using source = await open('/items.json')
    await source.next()
    source.pause()
    await Bun.sleep(SLOW_MS.least + random.below(SLOW_MS.spread))
    source.resume()
    // Whatever comes next: where nothing is written any more, that nothing happens.
    await source.nextMessage()
  }
  return [
    { name: 'stream opened', perDay: 20_000, most: 60, run: listen },
    { name: 'slow stream', perDay: 200, most: 3, run: dawdle },
  ]
}
