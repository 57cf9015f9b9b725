import type { Change } from '../tree/change.ts'
import type { Path } from '../tree/path.ts'
import { nodeAt, prune, rootNode, type TrieNode } from '../tree/path-trie.ts'

/** What is watched, by path: a change finds what is above, at and below it, and comes by nothing else. */
export class PathIndex<T> {
  readonly #root = rootNode<T>()

  get(path: Path, name: string): T | undefined {
    return this.#find(path)?.items.get(name)
  }

  add(path: Path, name: string, item: T): void {
    nodeAt(this.#root, path).items.set(name, item)
  }

  remove(path: Path, name: string): void {
    const place = this.#find(path)
    place?.items.delete(name)
    if (place !== undefined) prune(place)
  }

  /** Calls back with everything that a change can concern, each once. */
  visit({ path, writes }: Change, use: (item: T) => void): void {
    let place: TrieNode<T> | undefined = this.#root
    for (const key of path) {
      useItems(place, use)
      place = place.children.get(key)
      if (place === undefined) return
    }
    useItems(place, use)
    if (place.children.size === 0) return
    const seen = new Set<TrieNode<T>>([place])
    for (const write of writes) {
      if (write.kind === 'value') visitWrite(place, write.path.slice(path.length), seen, use)
      else visitWay(place, write.path.slice(path.length), seen, use)
    }
  }

  /** Paths of what is watched below one. @param inclusive whether that one counts */
  below(path: Path, inclusive: boolean): Path[] {
    const found: Path[] = []
    const place = this.#find(path)
    if (place === undefined) return found
    if (inclusive && place.items.size > 0) found.push(path)
    for (const child of place.children.values()) collect(child, path, found)
    return found
  }

  #find(path: Path): TrieNode<T> | undefined {
    let place: TrieNode<T> | undefined = this.#root
    for (const key of path) place = place?.children.get(key)
    return place
  }
}

function useItems<T>({ items }: TrieNode<T>, use: (item: T) => void): void {
  for (const item of items.values()) use(item)
}

/** What is on the way to a written place and not seen yet. @returns the place, if anything is watched there or below */
function visitWay<T>(
  from: TrieNode<T>,
  way: Path,
  seen: Set<TrieNode<T>>,
  use: (item: T) => void,
): TrieNode<T> | undefined {
  let place: TrieNode<T> | undefined = from
  for (const key of way) {
    place = place.children.get(key)
    if (place === undefined) return undefined
    if (seen.has(place)) continue
    seen.add(place)
    useItems(place, use)
  }
  return place
}

function visitWrite<T>(from: TrieNode<T>, way: Path, seen: Set<TrieNode<T>>, use: (item: T) => void): void {
  const place = visitWay(from, way, seen, use)
  if (place !== undefined) for (const child of place.children.values()) visitAll(child, use)
}

function visitAll<T>(place: TrieNode<T>, use: (item: T) => void): void {
  useItems(place, use)
  for (const child of place.children.values()) visitAll(child, use)
}

function collect<T>(place: TrieNode<T>, above: Path, found: Path[]): void {
  const path = [...above, place.key]
  if (place.items.size > 0) found.push(path)
  for (const child of place.children.values()) collect(child, path, found)
}
