import { EventSource } from '../../support/event-source.ts'
import type { Scene } from './scene.ts'

const PATIENCE_MS = 20_000
const LOOK_MS = 50

/** A stream that is open from the beginning to the end. */
interface Follower {
  readonly target: string
  readonly source: EventSource
  /** Resolves when the stream has ended. */
  readonly reading: Promise<void>
}

const PLACES: readonly string[] = [
  ...Array.from({ length: 8 }, (_, at) => `/items/k${at}.json`),
  ...Array.from({ length: 4 }, (_, at) => `/posts/p${at}.json`),
  '/counters.json',
  ...Array.from({ length: 6 }, (_, at) => `/lists/l${at}.json?orderBy="a"&limitToLast=10`),
  '/lists/l7.json?orderBy="b"&limitToFirst=5',
]

/** Streams that are to hold at the end what a GET answers. */
export class Followers {
  readonly #scene: Scene
  readonly #followers: readonly Follower[]

  private constructor(scene: Scene, followers: readonly Follower[]) {
    this.#scene = scene
    this.#followers = followers
  }

  /** @throws Error when one is refused */
  static async open(scene: Scene): Promise<Followers> {
    const followers = PLACES.map(async (target, at): Promise<Follower> => {
      const source = await EventSource.open(scene.listening, target.replaceAll('"', '%22'), { http2: at % 2 === 1 })
      if (source.status !== 200) throw new Error(`${target}: ${source.status}`)
      return { target, source, reading: read(source) }
    })
    return new Followers(scene, await Promise.all(followers))
  }

  get count(): number {
    return this.#followers.length
  }

  /** Those that hold something else than a GET answers, once the load is over; they are given time to hear the last. */
  async strayed(): Promise<string[]> {
    const strayed = await Promise.all(this.#followers.map((follower) => this.#differs(follower)))
    return this.#followers.flatMap(({ target }, at) => (strayed[at] ? [target] : []))
  }

  async close(): Promise<void> {
    await Promise.all(this.#followers.map(({ source }) => source.close()))
    await Promise.all(this.#followers.map(({ reading }) => reading))
  }

  async #differs({ target, source }: Follower): Promise<boolean> {
    const { text } = await this.#scene.ask('http1', 'GET', target)
    // A query that chooses nothing answers an object without members, which no cache can tell from nothing.
    const wanted: unknown = text === '{}' ? null : JSON.parse(text)
    const until = performance.now() + PATIENCE_MS
    while (!Bun.deepEquals(source.cache.plain, wanted)) {
      if (performance.now() > until) return true
      await Bun.sleep(LOOK_MS)
    }
    return false
  }
}

async function read(source: EventSource): Promise<void> {
  while ((await source.nextMessage()) !== undefined);
}
