import { Model, plainText } from '../../../model/store/model.ts'
import { PLACES } from '../clients/places.ts'
import type { LoggedCommit } from './log-of-tree.ts'

/** What a place was from a commit on. */
export interface Version {
  readonly seq: number
  /** As GET answers it. */
  readonly text: string
}

/** What places were, after each commit of a log. */
export class Replay {
  readonly #versions = new Map<string, Version[]>()
  /** The whole tree after the last commit, as GET answers it. */
  readonly end: string

  constructor(commits: readonly LoggedCommit[]) {
    const model = new Model()
    for (const place of PLACES) this.#versions.set(place, [{ seq: 0, text: 'null' }])
    for (const { seq, kind, path, data } of commits) {
      const [keys, json] = [keysOf(path), JSON.parse(data) as unknown]
      if (kind === 'put') model.put(keys, json, 0)
      else {
        const members = Object.entries(json as Readonly<Record<string, unknown>>)
        model.patch(
          members.map(([key, member]) => [[...keys, ...keysOf(key)], member] as const),
          0,
        )
      }
      const tops = new Set(
        kind === 'put' || keys.length > 0 ? [keys[0]] : Object.keys(json as object).map((key) => keysOf(key)[0]),
      )
      for (const place of PLACES) if (tops.has(keysOf(place)[0])) this.#note(model, place, seq)
    }
    this.end = textOf(model, '/')
  }

  /** Versions of a place, oldest first. */
  versions(place: string): readonly Version[] {
    return this.#versions.get(place) ?? []
  }

  /** Index of the version of a place after a commit. */
  indexAt(place: string, seq: number): number {
    const versions = this.versions(place)
    let [low, high] = [0, versions.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((versions[middle]?.seq ?? 0) <= seq) low = middle
      else high = middle
    }
    return low
  }

  textAt(place: string, seq: number): string {
    return this.versions(place)[this.indexAt(place, seq)]?.text ?? 'null'
  }

  #note(model: Model, place: string, seq: number): void {
    const versions = this.#versions.get(place) ?? []
    const text = textOf(model, place)
    if (versions.at(-1)?.text !== text) versions.push({ seq, text })
  }
}

function keysOf(path: string): string[] {
  return path.split('/').filter((key) => key !== '')
}

function textOf(model: Model, place: string): string {
  const found = model.find(keysOf(place))
  return found === undefined ? 'null' : plainText(found)
}
