import { MAX_DEPTH } from '../tree/limits.ts'

/** A parsed JSON object. Its names come from the token: read it with {@link member}. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Why bytes are no JSON object: `ambiguous` means a duplicate name or too deep nesting. */
export type ParseFailure = 'no-object' | 'ambiguous'

/** Loaded by the first text: a server that gets no token has no need of its memory. */
let parser: typeof import('jsonc-parser') | undefined
/** Keeps a byte order mark, which JSON does not allow. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses a JSON object. Every name must be unique within its object. */
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

/** An own member of an object. */
export function member(members: JsonObject, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

/** Freezes JSON deeply. @param json from {@link parseJsonObject}, or made of its results */
export function freeze<T>(json: T): T {
  if (typeof json !== 'object' || json === null) return json
  for (const child of Object.values(json)) freeze(child)
  return Object.freeze(json)
}

/**
 * Whether valid JSON nests no deeper than the tree and has no duplicate name. Parsers differ in which duplicate they use,
 * so one parser could check a value that another does not use.
 */
function isPlain(text: string): boolean {
  let plain = true
  let depth = 0
  const objects: Set<string>[] = []
  // Only an exception stops the visitor before the end of the text.
  const enter = (): void => {
    depth++
    if (depth > MAX_DEPTH) throw new TooDeep()
  }
  const leave = (): void => {
    depth--
  }
  try {
    parser ??= require('jsonc-parser') as typeof import('jsonc-parser')
    parser.visit(text, {
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
