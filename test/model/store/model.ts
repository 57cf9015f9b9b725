import { expectedKeyOrder } from '../../support/key-order.ts'

/**
 * The tree as the protocol tells of it, in the plainest way: maps within maps. It shares no code with the product and
 * prints by itself, so that both can be compared as text.
 */
export interface Place {
  leaf: string | number | boolean | undefined
  priority: string | number | undefined
  children: Map<string, Place>
}

type Json = unknown

function place(): Place {
  return { leaf: undefined, priority: undefined, children: new Map() }
}

function members(json: Json): [string, Json][] {
  return typeof json === 'object' && json !== null ? Object.entries(json) : []
}

function exists({ leaf, children }: Place): boolean {
  return leaf !== undefined || children.size > 0
}

export class Model {
  #root = place()

  /** PUT, DELETE (null), and PUT of a priority when the path ends in `.priority`. */
  put(path: readonly string[], json: Json, now: number): void {
    this.patch([[path, json]], now)
  }

  /** PATCH: all places at once; only afterwards what is empty vanishes. */
  patch(writes: readonly (readonly [readonly string[], Json])[], now: number): void {
    const resolved = writes.map(([path, json]) => [path, this.#resolve(path, json, now)] as const)
    const isPriority = ([path]: (typeof resolved)[number]) => path.at(-1) === '.priority'
    for (const [path, json] of resolved.filter((write) => !isPriority(write))) this.#set(path, placeOf(json))
    prune(this.#root)
    for (const [path, json] of resolved.filter(isPriority)) {
      const node = this.find(path.slice(0, -1))
      if (node !== undefined) node.priority = json === null ? undefined : (json as string | number)
    }
  }

  plain(path: readonly string[]): string | undefined {
    const node = this.find(path)
    return node && plainText(node)
  }

  export(path: readonly string[]): string | undefined {
    const node = this.find(path)
    return node && exportText(node)
  }

  shallow(path: readonly string[]): string | undefined {
    const node = this.find(path)
    if (node === undefined || node.leaf !== undefined) return node && plainText(node)
    return objectText([...node.children.keys()].map((key) => [key, 'true']))
  }

  count(path: readonly string[]): number {
    return this.find(path)?.children.size ?? 0
  }

  /** Every place there is, the root first. */
  paths(): string[][] {
    const below = (node: Place, path: string[]): string[][] => [
      path,
      ...[...node.children].flatMap(([key, child]) => below(child, [...path, key])),
    ]
    return below(this.#root, [])
  }

  keys(path: readonly string[]): string[] {
    return [...(this.find(path)?.children.keys() ?? [])]
  }

  /** The place of an existing node. */
  find(path: readonly string[]): Place | undefined {
    let node: Place | undefined = this.#root
    for (const key of path) node = node?.children.get(key)
    return node && exists(node) ? node : undefined
  }

  #set(path: readonly string[], value: Place | undefined): void {
    const last = path.at(-1)
    if (last === undefined) {
      this.#root = value ?? place()
      return
    }
    let parent = this.#root
    for (const key of path.slice(0, -1)) {
      const child: Place | undefined = parent.children.get(key)
      if (child === undefined && value === undefined) return
      const next = child ?? place()
      if (value !== undefined) parent.leaf = undefined
      parent.children.set(key, next)
      parent = next
    }
    if (value === undefined) parent.children.delete(last)
    else {
      parent.leaf = undefined
      parent.children.set(last, value)
    }
  }

  /** Server values are worked out from what was there before the request. */
  #resolve(path: readonly string[], json: Json, now: number): Json {
    const asked = members(json).find(([key]) => key === '.sv')?.[1]
    if (asked === 'timestamp') return now
    if (asked !== undefined) return this.#number(path) + (asked as { increment: number }).increment
    if (Array.isArray(json)) return json.map((element, index) => this.#resolve([...path, String(index)], element, now))
    if (typeof json !== 'object' || json === null) return json
    const below = (key: string) => (key === '.value' ? path : [...path, key])
    return new Map(members(json).map(([key, member]) => [key, this.#resolve(below(key), member, now)]))
  }

  #number(path: readonly string[]): number {
    const isPriority = path.at(-1) === '.priority'
    const node = this.find(isPriority ? path.slice(0, -1) : path)
    const old = isPriority ? node?.priority : node?.leaf
    return typeof old === 'number' ? old : 0
  }
}

/** `undefined` for what prunes to nothing. Objects come as maps from `#resolve`. */
function placeOf(json: Json): Place | undefined {
  const node = place()
  if (Array.isArray(json))
    fill(
      node,
      json.map((element, index) => [String(index), element]),
    )
  else if (json instanceof Map) fill(node, [...json])
  else node.leaf = (json ?? undefined) as Place['leaf']
  return exists(node) ? node : undefined
}

function fill(node: Place, entries: readonly (readonly [string, Json])[]): void {
  for (const [key, json] of entries) {
    if (key === '.priority') node.priority = (json ?? undefined) as Place['priority']
    else if (key === '.value') node.leaf = (json ?? undefined) as Place['leaf']
    else {
      const child = placeOf(json)
      if (child !== undefined) node.children.set(key, child)
    }
  }
}

function prune(node: Place): void {
  for (const [key, child] of node.children) {
    prune(child)
    if (!exists(child)) node.children.delete(key)
  }
  if (!exists(node)) node.priority = undefined
}

export function leafText(leaf: string | number | boolean): string {
  return JSON.stringify(leaf)
}

function objectText(entries: readonly (readonly [string, string])[]): string {
  const ordered = entries.toSorted(([left], [right]) => expectedKeyOrder(left, right))
  return `{${ordered.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`
}

export function plainText({ leaf, children }: Place): string {
  if (leaf !== undefined) return leafText(leaf)
  const keys = [...children.keys()]
  const greatest = Math.max(...keys.map(Number))
  if (keys.every((key) => /^(0|[1-9]\d*)$/.test(key)) && 2 * keys.length > greatest + 1) {
    const elements = Array.from({ length: greatest + 1 }, (_, index) => children.get(String(index)))
    return `[${elements.map((child) => (child ? plainText(child) : 'null')).join(',')}]`
  }
  return objectText([...children].map(([key, child]) => [key, plainText(child)]))
}

export function exportText({ leaf, priority, children }: Place): string {
  if (leaf !== undefined && priority === undefined) return leafText(leaf)
  const entries = [...children].map(([key, child]): [string, string] => [key, exportText(child)])
  if (priority !== undefined) entries.push(['.priority', leafText(priority)])
  if (leaf !== undefined) entries.push(['.value', leafText(leaf)])
  return objectText(entries)
}
