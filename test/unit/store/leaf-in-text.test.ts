import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { holdsLeaf, leafInText } from '../../../src/store/rows/leaf-in-text.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { parsePayload } from '../../../src/tree/json/payload.ts'
import { parseStored, print } from '../../../src/tree/json/print.ts'
import { checkKey } from '../../../src/tree/key.ts'
import { defaultLimits } from '../../../src/tree/limits.ts'
import { TRUSTED } from '../../../src/tree/read-program.ts'
import { isBranch, type Value, valueAt } from '../../../src/tree/value.ts'
import { anyPayload, troublesomeKeys } from '../../support/payloads.ts'
import { put, strictObserver, unlimited } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** Pieces of text that look like the bounds of a member, and ordinary ones. */
const plainPiece = fc.constantFrom('a', 'b', 'c', ',', ':', '}', '0', '1e5', 'true', ' ', 'é', '😀', '\uE000')
const markPiece = fc.constantFrom('"', 'a":', '":"', ',"a":', '{', '[', ']', '\\', '\u0000', '\u2028', '"a":{"b":1}')
const anyText = fc
  .array(fc.oneof({ weight: 20, arbitrary: plainPiece }, { weight: 1, arbitrary: markPiece }), { maxLength: 4 })
  .map((pieces) => pieces.join(''))
const legalKey = anyText.filter(isKey)
const spanningKey = fc.constantFrom('a":1,"b', '":"', ',"a', 'a":"b')
const anyKey = fc.oneof(legalKey, spanningKey, fc.constantFrom(...troublesomeKeys), fc.constant('.priority'))
const anyNumber = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(-0, 1e21))
const anyLeaf = fc.oneof(anyText, anyNumber, fc.boolean())
const flatObject = fc
  .array(fc.tuple(legalKey, anyLeaf), { minLength: 1, maxLength: 6 })
  .map((members) => Object.fromEntries(members))
const anyObject = fc.oneof(
  { weight: 4, arbitrary: flatObject },
  {
    weight: 1,
    arbitrary: fc.tuple(flatObject, anyText).map(([object, priority]) => ({ ...object, '.priority': priority })),
  },
  { weight: 1, arbitrary: fc.tuple(flatObject, legalKey, flatObject).map(([a, key, b]) => ({ ...a, [key]: b })) },
  { weight: 1, arbitrary: anyPayload },
)

function isKey(text: string): boolean {
  try {
    checkKey(text, 'bad-key')
    return true
  } catch {
    return false
  }
}

/** As the tree keeps it; `undefined` for what keeps nothing. */
function treeValue(json: unknown): Value | undefined {
  return parsePayload(json, [], defaultLimits).value
}

/** Keys of the value, parts of them, and other texts that are in its text. */
function keysToTry(value: Value, others: readonly string[]): string[] {
  const keys = isBranch(value) ? Object.keys(value) : []
  const leaves = isBranch(value) ? Object.values(value).filter((member) => typeof member === 'string') : []
  return [...keys, ...keys.map((key) => key.slice(1)), ...keys.map((key) => `${key}a`), ...leaves, ...others]
}

test('a leaf found in a text is the one that a parser finds', () => {
  let found = 0
  fc.assert(
    fc.property(anyObject, fc.array(anyKey, { maxLength: 8 }), (json, others) => {
      const value = treeValue(json)
      if (value === undefined) return
      const text = print(value, 'stored')
      for (const key of keysToTry(value, others)) {
        if (!holdsLeaf(text, key)) continue
        const expected = valueAt(parseStored(text), [key])
        expect(leafInText(text, key)).toBe(expected as string)
        if (expected !== undefined) found++
      }
    }),
    { numRuns: 5000 },
  )
  expect(found).toBeGreaterThan(1000)
})

test.each([
  ['the end of a string and the next key', { ':a': 'x,', ':b': 1 }, ','],
  ['a key that ends with a comma', { 'a,': ':x' }, ':'],
  ['a key with quotation marks that spans a member', { a: 1, b: 2 }, 'a":1,"b'],
  ['the end of the last string', { a: '}' }, '}'],
  ['an empty string', { a: '', b: 1 }, ',"b'],
  ['a string equal to a key', { a: 'b', b: 2 }, 'b'],
  ['a longer key with the same end', { ab: 1, b: 2 }, 'b'],
  ['a priority', { a: 1, '.priority': 5 }, '.priority'],
  ['an escaped quotation mark before a key', { a: '",', b: '"b":1' }, 'b'],
  ['a member that is only in a nested object', { a: { b: 1 } }, 'b'],
  ['a member that is only in a nested text', { a: '{"b":1}', c: 2 }, 'b'],
  ['an array index', ['x', 'y'], '1'],
  ['an index of an object with a priority', { 0: 'x', 1: 'y', '.priority': 1 }, '1'],
  ['a prototype', { a: 1 }, '__proto__'],
  ['negative zero', { a: -0 }, 'a'],
])('%s', (_, json, key) => {
  const text = print(treeValue(json) as Value, 'stored')
  const leaf = holdsLeaf(text, key) ? leafInText(text, key) : valueAt(parseStored(text), [key])
  expect(leaf).toBe(valueAt(parseStored(text), [key]) as string)
})

test('members of an object are read as the object has them', async () => {
  await using directory = await tempDir()
  await using store = new SqliteStore(directory.file('tree'), { cacheLength: 0 }, strictObserver)
  const plainOf = async (path: string[]) => (await store.node(path, unlimited, TRUSTED))?.plain
  await fc.assert(
    fc.asyncProperty(anyObject, fc.array(legalKey, { maxLength: 3 }), async (json, others) => {
      const value = treeValue(json)
      if (value === undefined) return
      await put(store, '/object', json)
      for (const key of keysToTry(value, others)) {
        const member = valueAt(value, [key])
        expect(await plainOf(['object', key])).toBe(member === undefined ? undefined : print(member, 'plain'))
      }
    }),
    { numRuns: 60 },
  )
})
