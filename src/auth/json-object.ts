import { visit } from 'jsonc-parser'
import { MAX_DEPTH } from '../tree/limits.ts'

/** A JSON object as it was parsed. Names come from the token: read it with {@link member}. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Why bytes cannot be read as an object: they are none, or they can be read in more than one way or nest too deeply. */
export type ParseFailure = 'no-object' | 'ambiguous'

/** Keeps a mark of the byte order: JSON has none. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads a JSON object in which every member of every object has a name of its own. */
export function parseJsonObject(bytes: Uint8Array): JsonObject | ParseFailure {
  let text: string
  let json: unknown
  try {
    text = decoder.decode(bytes)
    json = JSON.parse(text)
  } catch {
    return 'no-object'
  }
  if (!isJsonObject(json)) return 'no-object'
  return isPlain(text) ? json : 'ambiguous'
}

export function isJsonObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/** The object's own member of that name. */
export function member(members: JsonObject, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

/** Makes JSON constant, all the way down. @param json as {@link parseJsonObject} gave it, or made of such */
export function freeze<T>(json: T): T {
  if (typeof json !== 'object' || json === null) return json
  for (const child of Object.values(json)) freeze(child)
  return Object.freeze(json)
}

/**
 * Whether valid JSON nests no deeper than the tree does and says no name twice. Readers differ in which of two they
 * take, so one of them might have checked what another does not use.
 */
function isPlain(text: string): boolean {
  let plain = true
  let depth = 0
  const objects: Set<string>[] = []
  // The visitor goes as deep as the text does unless it is stopped by an exception.
  const enter = (): void => {
    depth++
    if (depth > MAX_DEPTH) throw new TooDeep()
  }
  const leave = (): void => {
    depth--
  }
  try {
    visit(text, {
      onObjectBegin: () => {
        enter()
        objects.push(new Set())
      },
      onObjectProperty: (name) => {
        const names = objects.at(-1)
        if (names?.has(name)) plain = false
        names?.add(name)
      },
      onObjectEnd: () => {
        objects.pop()
        leave()
      },
      onArrayBegin: enter,
      onArrayEnd: leave,
    })
  } catch (thrown) {
    if (thrown instanceof TooDeep) return false
    throw thrown
  }
  return plain
}

class TooDeep extends Error {}
