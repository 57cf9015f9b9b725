import type { Database as Client } from 'bun:sqlite'

/**
 * Rebuilds every index from the rows of the tree, by its own walk and its own encoding, and compares. Knows the tables,
 * not the code that fills them.
 */

interface Definition {
  readonly id: number
  readonly list_id: number
  readonly path: string
  readonly has_cut: number
  readonly covering: number
}

interface Row {
  readonly key: string
  readonly value: string | null
  readonly id: number | null
}

/** Kind, value and key of an entry. */
type Entry = readonly [kind: number, value: string | number, key: string]

const INTEGER_MARK = '\u0001'
const MAX_TEXT = 1024
const MAX_COVERED = 256
const LAST_CHARACTER = '\u{10FFFF}'
const OBJECT = Symbol('an object')

/** What is wrong with the entries of indexes that are in use and complete; empty when nothing is. */
export function indexProblems(client: Client): string[] {
  return client
    .query<Definition, []>(
      'SELECT id, list_id, path, has_cut, covering FROM index_definition WHERE list_id > 0 AND built_to IS NULL',
    )
    .all()
    .flatMap((definition) => problemsOf(client, definition))
}

function problemsOf(client: Client, definition: Definition): string[] {
  const name = `index ${definition.path} of ${definition.list_id}`
  const entries = client
    .query<[number, string | number, string], [number]>('SELECT kind, value, key FROM index_entry WHERE index_id = ?')
    .values(definition.id) as unknown as Entry[]
  const possible = possibleEntries(client, definition)
  const wanted = new Set(wantedEntries(possible).map((entry) => JSON.stringify(entry)))
  const found = new Set(entries.map((entry) => JSON.stringify(entry)))
  const allowed = new Set(possible.map((entry) => JSON.stringify(entry)))
  const problems = [
    ...[...wanted].filter((entry) => !found.has(entry)).map((entry) => `${name} lacks ${shorten(entry)}`),
    ...[...found].filter((entry) => !allowed.has(entry)).map((entry) => `${name} has ${shorten(entry)} too many`),
  ]
  if (entries.length !== found.size) problems.push(`${name} has entries twice`)
  problems.push(...textProblems(client, definition, name))
  if (definition.has_cut === 0 && cutsSome(client, definition))
    problems.push(`${name} does not tell of texts that it cut`)
  return problems
}

/** An entry of a covering index has the text of its child, if that is short; a mark has none. */
function textProblems(client: Client, { id, list_id, covering }: Definition, name: string): string[] {
  if (covering === 0) return []
  return client
    .query<{ kind: number; key: string; text: string | null; value: string | null }, [number, number]>(
      'SELECT e.kind, e.key, e.text, iif(n.id IS NULL, n.value, NULL) AS value FROM index_entry e ' +
        'JOIN node n ON n.parent_id = ?2 AND n.key = e.key WHERE e.index_id = ?1',
    )
    .all(id, list_id)
    .filter(({ kind, text, value }) => text !== (kind > 0 && (value?.length ?? 0) <= MAX_COVERED ? value : null))
    .map(({ key, text, value }) => `${name} covers ${JSON.stringify(key)} with ${text}, not ${value}`)
}

function shorten(entry: string): string {
  return entry.length > 100 ? `${entry.slice(0, 50)}… (${entry.length}) …${entry.slice(-30)}` : entry
}

function childrenOf(client: Client, { list_id }: Definition): Row[] {
  return client
    .query<Row, [number]>("SELECT key, value, id FROM node WHERE parent_id = ? AND key <> '.priority' ORDER BY key")
    .all(list_id)
}

/** Those with a value, and those without one that stand next to one with a value. @param possible in key order */
function wantedEntries(possible: readonly Entry[]): Entry[] {
  const isValued = (entry: Entry | undefined) => entry !== undefined && entry[0] !== 0
  return possible.filter(
    (entry, index) => isValued(entry) || isValued(possible[index - 1]) || isValued(possible[index + 1]),
  )
}

/** An entry for every child, in key order: one without a value may have one. */
function possibleEntries(client: Client, definition: Definition): Entry[] {
  const name: unknown = JSON.parse(definition.path)
  const children = childrenOf(client, definition)
  if (name === '$key') {
    const integers = children.filter(({ key }) => key.startsWith(INTEGER_MARK))
    return integers.map(({ key }) => [4, integerKeyOf(key), key])
  }
  const [path = []] = name as string[][]
  return children.map((row) => [...sorted(below(client, row, path)), row.key])
}

function cutsSome(client: Client, definition: Definition): boolean {
  const [path = []] = JSON.parse(definition.path) as string[][]
  return childrenOf(client, definition).some((row) => {
    const value = below(client, row, path)
    return typeof value === 'string' && cut(value) !== value
  })
}

/** The leaf at a path below a row, an object, or nothing. */
function below(client: Client, { id, value }: Row, path: readonly string[]): unknown {
  // A text in chunks has its beginning in its slot, which decides its entry.
  if (id === null || value !== null) return within(JSON.parse(value ?? 'null'), path)
  const [key, ...rest] = path
  if (key === undefined) return OBJECT
  const child = client
    .query<Row, [number, string]>('SELECT key, value, id FROM node WHERE parent_id = ? AND key = ?')
    .get(id, encodedKey(key))
  return child === null ? undefined : below(client, child, rest)
}

function within(json: unknown, path: readonly string[]): unknown {
  let value = json
  for (const key of path) {
    if (typeof value !== 'object' || value === null || (Array.isArray(value) && key === 'length')) return undefined
    value = Object.getOwnPropertyDescriptor(value, key)?.value
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.getOwnPropertyDescriptor(value, '.value')?.value ?? OBJECT
}

/** Kind and value of what a child is sorted by. */
function sorted(value: unknown): readonly [number, string | number] {
  if (value === false) return [1, 0]
  if (value === true) return [2, 0]
  if (typeof value === 'number') return [3, value]
  if (typeof value === 'string') return [4, encodedText(cut(value))]
  return [value === OBJECT ? 5 : 0, 0]
}

/** The beginning of a long text; a character of two units is not torn apart. */
function cut(text: string): string {
  const end = text.charCodeAt(MAX_TEXT - 1) >> 10 === 0xd800 >> 10 ? MAX_TEXT + 1 : MAX_TEXT
  return text.slice(0, end)
}

/** Characters that UTF-8 and UTF-16 order differently are marked. */
function encodedText(text: string): string {
  const characters = [...text].map((character) => {
    if (character === LAST_CHARACTER) return `${LAST_CHARACTER}\u0001`
    return character >= '\uE000' && character.length === 1 ? LAST_CHARACTER + character : character
  })
  return characters.join('')
}

function encodedKey(key: string): string {
  const value = /^-?[0-9]+$/.test(key) ? BigInt(key.replace('-', '')) * (key.startsWith('-') ? -1n : 1n) : undefined
  if (value === undefined || value < -2147483648n || value > 2147483647n) return encodedText(key)
  const digits = INTEGER_MARK + String(value + 2147483648n).padStart(10, '0')
  if (key === String(value)) return digits
  return digits + String(key.length).padStart(3, '0') + (value === 0n && key.startsWith('-') ? '-' : '')
}

function integerKeyOf(encoded: string): string {
  const value = Number(encoded.slice(1, 11)) - 2147483648
  if (encoded.length === 11) return String(value)
  const sign = value < 0 || encoded.endsWith('-') ? '-' : ''
  return sign + String(Math.abs(value)).padStart(Number(encoded.slice(11, 14)) - sign.length, '0')
}
