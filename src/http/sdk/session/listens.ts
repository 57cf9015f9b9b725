import { loopTurn } from '../../../scheduling/loop-turn.ts'
import type { Change } from '../../../tree/change.ts'
import type { Path } from '../../../tree/path.ts'
import { ListenIndex } from '../requests/listen-index.ts'
import type { Listen } from './listen.ts'
import type { Listened } from './listen-messages.ts'

/** Memory of a listen beside its waiting events, its path and its query, in bytes. */
const LISTEN_BYTES = 2048
const BYTES_PER_UNIT = 2

/** What listens have sent since a moment. */
interface SentSince {
  readonly hasChanged: boolean
  /** Begins those anew that have sent something, many of them in several turns of the event loop. */
  readonly beginAgain: () => void
}

/**
 * The listens of one session. A message without a tag is for all default listens at and above its path: so where default
 * listens cover each other, one alone sends the changes, the highest that has begun. Of two, one might send an older
 * value after the other has sent a newer one.
 * @see docs/reference/sdk-protocol.md#order
 */
export class Listens {
  readonly #byName = new Map<string, Listen>()
  readonly #defaults = new ListenIndex<Listen>()
  readonly #tagged = new ListenIndex<Listen>()
  #bytes = 0

  get size(): number {
    return this.#byName.size
  }

  /** Memory that they take, in bytes. */
  get heldBytes(): number {
    return this.#bytes
  }

  all(): readonly Listen[] {
    return [...this.#byName.values()]
  }

  get({ path, tag }: Pick<Listened, 'path' | 'tag'>): Listen | undefined {
    return this.#byName.get(nameOf(path, tag))
  }

  /** There must be no other one of the same path and tag. */
  add(listen: Listen): void {
    const { path, tag } = listen.listened
    const name = nameOf(path, tag)
    this.#byName.set(name, listen)
    this.#indexOf(tag).add(path, name, listen)
    this.#bytes += bytesOf(listen.listened)
    if (tag === undefined) listen.coverWith(this.#coverOf(path))
  }

  /** Removes a listen that sends nothing any more. */
  remove(listen: Listen): void {
    const { path, tag } = listen.listened
    const name = nameOf(path, tag)
    if (this.#byName.get(name) !== listen) return
    this.#byName.delete(name)
    this.#indexOf(tag).remove(path, name)
    this.#bytes -= bytesOf(listen.listened)
    if (isCover(listen)) void this.#uncoverBelow(listen)
  }

  /** Must be called when a listen has sent its beginning for the first time. */
  begun(listen: Listen): void {
    if (this.get(listen.listened) !== listen || !isCover(listen)) return
    for (const below of this.#below(listen.listened.path)) below.coverWith(listen)
  }

  hasBegunBelow(listen: Listen): boolean {
    return this.size > 1 && this.#below(listen.listened.path).some(({ isBegun }) => isBegun)
  }

  /** The listens at, above and below a path. */
  *near(path: Path): Generator<Listen | undefined> {
    const change = changeOf(path)
    yield* this.#defaults.near(change)
    yield* this.#tagged.near(change)
  }

  /**
   * Watches what is sent of a path from now on.
   * @param isFiltered whether listens with a query of the same path are concerned, too
   */
  sentNear(path: Path, isFiltered: boolean): SentSince | undefined {
    if (this.size === 0) return undefined
    const before = new Map<Listen, number>()
    for (const listen of this.near(path)) {
      if (listen === undefined) continue
      const isQueried = isFiltered && listen.listened.path.length === path.length
      if (listen.listened.tag === undefined || isQueried) before.set(listen, listen.sends)
    }
    const changed = () => [...before].filter(([listen, sends]) => listen.sends !== sends)
    return {
      get hasChanged() {
        return changed().length > 0
      },
      beginAgain: async () => {
        for (const [listen] of changed()) {
          listen.beginAgain()
          if (loopTurn.isOver) await loopTurn.pause()
        }
      },
    }
  }

  /** In several turns of the event loop where they are many: until then they send nothing, and begin anew for it. */
  async #uncoverBelow(ended: Listen): Promise<void> {
    for (const below of this.#below(ended.listened.path)) {
      if (below.cover === ended) below.uncover(this.#coverOf(below.listened.path))
      if (loopTurn.isOver) await loopTurn.pause()
    }
  }

  /** The highest default listen above a path that has begun. */
  #coverOf(path: Path): Listen | undefined {
    // It is asked for each listen: most sessions have no listen above another one.
    if (this.size < 2) return undefined
    let cover: Listen | undefined
    for (const above of this.#defaults.near({ kind: 'put', path, writes: [] })) {
      if (above === undefined || !above.isBegun || above.listened.path.length >= path.length) continue
      if (cover === undefined || above.listened.path.length < cover.listened.path.length) cover = above
    }
    return cover
  }

  /** The default listens below a path. */
  #below(path: Path): readonly Listen[] {
    const found: Listen[] = []
    for (const listen of this.#defaults.near(changeOf(path))) {
      if (listen !== undefined && listen.listened.path.length > path.length) found.push(listen)
    }
    return found
  }

  #indexOf(tag: number | undefined): ListenIndex<Listen> {
    return tag === undefined ? this.#defaults : this.#tagged
  }
}

/** Whether others may be covered by it. */
function isCover({ listened, isBegun, cover }: Listen): boolean {
  return listened.tag === undefined && isBegun && cover === undefined
}

function changeOf(path: Path): Change {
  return { kind: 'put', path, writes: [{ kind: 'value', path, value: undefined }] }
}

function nameOf(path: Path, tag: number | undefined): string {
  return `${tag ?? ''} ${path.join('/')}`
}

function bytesOf({ path, sentQuery }: Listened): number {
  const query = sentQuery === undefined ? '' : JSON.stringify(sentQuery)
  return LISTEN_BYTES + BYTES_PER_UNIT * (path.reduce((sum, key) => sum + key.length, 0) + query.length)
}
