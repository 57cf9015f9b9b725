import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { findFault } from '../../../src/cli/transfer/json-fault.ts'
import { BrokenText, type MembersSlice, type SlicePosition } from '../../../src/cli/transfer/json-slice.ts'
import { JsonSlicer } from '../../../src/cli/transfer/json-slicer.ts'
import { defaultLimits } from '../../../src/tree/limits.ts'

const LEAF_BYTES = 1000
const key = fc.oneof(
  fc.constantFrom('a', 'b', '1', '__proto__', 'x"y', 'é{', '.priority', 'a/b'),
  fc.string({ minLength: 1 }),
)
const leaf = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.constant(null),
  fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', ',') }),
)
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    leaf,
    fc.array(tie('json'), { maxLength: 6 }),
    fc.array(fc.tuple(key, tie('json')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
}))
/** The same value in many ways to write it. */
const text = fc.tuple(json, fc.constantFrom(undefined, 1, '\t\r\n'), fc.constantFrom('', '\uFEFF', ' \n'))

/** Puts the slices of a text together again, and stops to go on elsewhere now and then. */
function rebuild(bytes: Uint8Array, sliceBytes: number, pieceBytes: number, stops: number): unknown {
  const root: { value?: unknown } = {}
  let left = stops
  let slicer = new JsonSlicer(sliceBytes, LEAF_BYTES)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    let position: SlicePosition | undefined
    for (const slice of slicer.push(bytes.subarray(at, at + pieceBytes))) {
      apply(root, slice)
      if (slice.kind !== 'members' || left === 0) continue
      left--
      position = slicer.position
      break
    }
    if (position === undefined) continue
    slicer = new JsonSlicer(sliceBytes, LEAF_BYTES, position)
    at = position.offset - pieceBytes
  }
  for (const slice of slicer.end()) apply(root, slice)
  return root.value
}

function apply(
  root: { value?: unknown },
  slice: ReturnType<JsonSlicer['push']> extends Generator<infer S> ? S : never,
): void {
  const decoded = 'bytes' in slice ? new TextDecoder().decode(slice.bytes) : ''
  if (slice.kind === 'whole') root.value = JSON.parse(decoded)
  if (slice.kind === 'open') set(root, slice.keys, undefined)
  if (slice.kind !== 'members') return
  expectTold(slice, decoded)
  if (slice.isArray) {
    for (const [index, element] of (JSON.parse(`[${decoded}]`) as unknown[]).entries()) {
      set(root, [...slice.keys, String(slice.first + index)], element)
    }
  } else
    for (const [name, value] of Object.entries(JSON.parse(`{${decoded}}`) as object))
      set(root, [...slice.keys, name], value)
}

/** What a slice says of its members, without having read them, is so. */
function expectTold({ isArray, count, hasOddKeys }: MembersSlice, decoded: string): void {
  if (isArray) {
    expect(count).toBe((JSON.parse(`[${decoded}]`) as unknown[]).length)
    return
  }
  const keys = Object.keys(JSON.parse(`{${decoded}}`) as object)
  // One that comes twice is there once.
  expect(count).toBeGreaterThanOrEqual(keys.length)
  if (keys.some((name) => name.startsWith('.') || name.includes('/'))) expect(hasOddKeys).toBe(true)
}

type Tree = Map<string, unknown>

function set(root: { value?: unknown }, keys: readonly string[], value: unknown): void {
  let tree = root as unknown as Tree
  const at = (key: string) => (tree === (root as unknown) ? root.value : tree.get(key))
  const path = ['', ...keys]
  for (const name of path.slice(0, -1)) tree = at(name) as Tree
  const put = value === undefined ? new Map() : treeOf(value)
  if (path.length === 1) root.value = put
  else tree.set(path.at(-1) ?? '', put)
}

/** Arrays are objects, and order does not matter. */
function treeOf(value: unknown): unknown {
  if (value instanceof Map) return new Map([...value].map(([name, child]) => [name, treeOf(child)]))
  if (typeof value !== 'object' || value === null) return value
  return new Map(Object.entries(value).map(([name, child]) => [name, treeOf(child)]))
}

test('slices of any size make the value that was cut', () => {
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 40 }),
      fc.nat(4),
      (input, slice, piece, stops) => {
        const [value, indent, before] = input
        const bytes = new TextEncoder().encode(
          before + JSON.stringify(value, undefined, indent) + before.trim().replace('\uFEFF', ''),
        )
        expect(treeOf(rebuild(bytes, slice, piece, stops))).toEqual(treeOf(value))
      },
    ),
    { numRuns: 3000 },
  )
})

test('a text that JSON.parse refuses is refused wherever it is cut', () => {
  const mutation = fc.tuple(
    fc.nat(),
    fc.constantFrom('', ',', '}', ']', '{', '[', '"', ':', '1', ' x', ',,'),
    fc.nat(3),
  )
  fc.assert(
    fc.property(
      text,
      mutation,
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 40 }),
      (input, change, slice, piece) => {
        const [value, indent] = input
        const [place, inserted, removed] = change
        const whole = JSON.stringify(value, undefined, indent)
        const at = place % (whole.length + 1)
        const broken = whole.slice(0, at) + inserted + whole.slice(at + removed)
        let wanted: 'fine' | 'broken' = 'fine'
        try {
          JSON.parse(broken)
        } catch {
          wanted = 'broken'
        }
        let found: typeof wanted = 'fine'
        try {
          rebuild(new TextEncoder().encode(broken), slice, piece, 0)
        } catch (error) {
          if (!(error instanceof BrokenText || error instanceof SyntaxError)) throw error
          found = 'broken'
        }
        if (broken.trim() !== '') expect(found).toBe(wanted)
      },
    ),
    { numRuns: 5000 },
  )
})

test.each([
  ['{"a":{"b":[1,2,{"x":1e999}]}}', '/a/b/2/x', 20],
  ['{"a":{"b.":1}}', '/a', 6],
  ['{"a":[1,,2]}', '/a/1', 8],
  ['{"a":1,}', '/', 7],
  ['{"a" 1}', '/', 5],
  ['{"a":"\\ud800"}', '/a', 5],
  ['{"a":{".value":1,"b":2}}', '/a', 5],
  ['{"a":{".sv":"timestamp"}}', '/a', 5],
  ['{"a":{".priority":true,"b":1}}', '/a/.priority', 18],
  ['{"a":tru}', '/a', 5],
  ['{"a":"x', '/a', 5],
  ['[1 2]', '/', 3],
])('the fault in %s is at %s, byte %d', (source, path, offset) => {
  const fault = findFault({ bytes: new TextEncoder().encode(source), offset: 0, path: [] }, defaultLimits)
  expect(`/${fault?.path.join('/')} ${fault?.offset}`).toBe(`${path} ${offset}`)
})
