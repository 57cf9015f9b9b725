import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DholeError } from '../../../src/error.ts'
import { drain } from '../../../src/scheduling/steps.ts'
import { etagOf } from '../../../src/tree/json/etag.ts'
import { largeKeys, memberKeys, memberKeysInSteps } from '../../../src/tree/json/member-keys.ts'
import { parseJsonInSteps } from '../../../src/tree/json/parse-json.ts'
import { parsePayload, parsePayloadInSteps } from '../../../src/tree/json/payload.ts'
import { print, type TextForm, toPlain } from '../../../src/tree/json/print.ts'
import {
  etagInSteps,
  etagOfInSteps,
  printInSteps,
  stringifyInSteps,
  toPlainInSteps,
} from '../../../src/tree/json/print-steps.ts'
import { PART_BYTES, writeBounds } from '../../../src/tree/json/shape/json-shape.ts'
import { collected, joined } from '../../../src/tree/json/text-pieces.ts'
import { defaultLimits } from '../../../src/tree/limits.ts'
import { sortKeys, sortKeysInSteps } from '../../../src/tree/order.ts'
import type { Value } from '../../../src/tree/value.ts'
import { runsInLanes } from '../../support/lane.ts'

const NO_BOUNDS = {
  mostValues: Number.POSITIVE_INFINITY,
  mostSiblings: Number.POSITIVE_INFINITY,
  mostNames: Number.POSITIVE_INFINITY,
}
const BOUNDS = writeBounds(defaultLimits.maxWriteBytes)
/** Longer than a part: what holds it is parsed in parts. */
const LONG = 'long '.repeat(PART_BYTES / 4)

function parse(text: string, bounds = NO_BOUNDS): unknown {
  return drain(parseJsonInSteps(Buffer.from(text), bounds))
}

/** Pauses of a parser until it has the value, or refuses the text. */
function pausesOf(text: string): number {
  const steps = parseJsonInSteps(Buffer.from(text), NO_BOUNDS)
  let pauses = 0
  try {
    while (steps.next().done !== true) pauses++
  } catch {}
  return pauses
}

/** What parsing throws, in a word. */
function refusalOf(work: () => unknown): string {
  try {
    work()
    return 'accepted'
  } catch (error) {
    return error instanceof DholeError ? error.code : error instanceof SyntaxError ? 'malformed' : String(error)
  }
}

/** JSON with long strings and wide containers here and there, so that every way of cutting it is met. */
const json = fc.letrec((tie) => ({
  leaf: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(
      null,
      true,
      -0,
      1.5e300,
      '',
      'x"\\\n\u2028',
      '\ufeff',
      '😀\ud800',
      LONG,
      `${LONG}"\\`,
      `é😀${LONG}`,
    ),
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
  ),
  key: fc.oneof(fc.constantFrom('__proto__', '.priority', '0', '10', '-1', 'a b', '"', '\\', 'é😀'), fc.string()),
  node: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('node'), { maxLength: 6 }),
    fc.array(fc.tuple(tie('key') as fc.Arbitrary<string>, tie('node')), { maxLength: 6 }).map(objectOf),
    fc
      .tuple(fc.nat(12_000), fc.constantFrom(1, null, 'text'))
      .map(([length, leaf]) => Array.from({ length }, () => leaf)),
    fc
      .nat(12_000)
      .map((length) =>
        objectOf(Array.from({ length }, (_, index) => [`${index % 3 === 0 ? '' : 'k'}${index}`, index])),
      ),
  ),
})).node

function objectOf(members: readonly (readonly [string, unknown])[]): unknown {
  // Not by assigning: that is not how `JSON.parse` makes `__proto__`.
  return JSON.parse(`{${members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`)
}

/** Objects of a thousand members, all with different names. */
function manyNames(count: number, prefix = 'k'): string {
  const parts: string[] = []
  for (let first = 0; first < count; first += 1000) {
    const length = Math.min(1000, count - first)
    parts.push(`{${Array.from({ length }, (_, index) => `"${prefix}${first + index}":1`).join(',')}}`)
  }
  return `[${parts.join(',')}]`
}

test.each(['before', 'behind', 'alone'])('spaces %s are passed in steps', (where) => {
  const LENGTH = 40
  const spaces = ' '.repeat(LENGTH * PART_BYTES)
  const text = where === 'alone' ? spaces : where === 'before' ? `${spaces}[7]` : `[7]${spaces}`
  // They are read twice: before any of the text is parsed, and then.
  expect(pausesOf(text)).toBeGreaterThan(2 * LENGTH - 3)
  if (where !== 'alone') expect(parse(text)).toEqual([7])
})

describe('JSON parsed in steps', () => {
  test('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, undefined, space)
        expect(JSON.stringify(parse(text))).toBe(JSON.stringify(JSON.parse(text)))
      }),
      { numRuns: runsInLanes(10, 25) },
    )
  })

  test('a change of a character is refused as JSON.parse refuses it, or read as it reads it', () => {
    const base = JSON.stringify({ a: [1, LONG, { b: LONG }, [[LONG]]], c: { d: LONG, e: 1 }, f: LONG })
    const places = [...base.matchAll(/[[\]{}",:]|\d/g)].map(({ index }) => index)
    const change = fc.tuple(
      fc.constantFrom(...places),
      fc.constantFrom('', ',', '"', '[', ']', '{', '}', ':', '1', ' ', 'x', '\\'),
    )
    fc.assert(
      fc.property(change, fc.boolean(), ([place, put], replaces) => {
        const text = base.slice(0, place) + put + base.slice(place + (replaces ? 1 : 0))
        expect(refusalOf(() => parse(text))).toBe(refusalOf(() => JSON.parse(text)))
        if (refusalOf(() => JSON.parse(text)) !== 'accepted') return
        expect(JSON.stringify(parse(text))).toBe(JSON.stringify(JSON.parse(text)))
      }),
      { numRuns: runsInLanes(100, 300) },
    )
  })

  test.each([
    ['a member named twice', `{"a":{"x":"${LONG}"},"b":2,"a":{"y":"${LONG}"}}`],
    ['space around everything', ` \n{ "a" :\t[ "${LONG}" , 1 ] , "b" : { "c" : "${LONG}" } } \r\n`],
    ['much space around a value', `${' '.repeat(2 ** 21)}1${'\n'.repeat(2 ** 21)}`],
    ['only space in a long array', `[${' '.repeat(PART_BYTES)}]`],
    ['escapes at every cut', `["${'\\u00e9\\n\\\\'.repeat(PART_BYTES / 4)}"]`],
    ['escaped halves of characters', `"${'\\ud83d\\ude00'.repeat(PART_BYTES / 4)}"`],
    ['characters of several bytes', `"x${'中😀'.repeat(PART_BYTES / 4)}"`],
  ])('%s', (_, text) => {
    expect(JSON.stringify(parse(text))).toBe(JSON.stringify(JSON.parse(text)))
  })

  test('the keys of a large object are known in the order of `Object.keys`', () => {
    const names = ['__proto__', 'b', '-1', '007', '4294967294', '4294967295', 'a']
    const members = Array.from(
      { length: 20_000 },
      (_, index) => `"${(index * 7919) % 20_000}":null,"k${index}":${index}`,
    )
    const text = `{${[...names, ...members, ...names].map((part) => (part.includes(':') ? part : `"${part}":0`)).join(',')}}`
    const object = parse(text) as object
    expect(largeKeys(object)).toEqual(Object.keys(JSON.parse(text) as object))
    const { value } = drain(parsePayloadInSteps(object, [], defaultLimits))
    expect(largeKeys(value as object)).toEqual(Object.keys(value as object))
    expect(largeKeys(parse('{"a":1}') as object)).toBeUndefined()
  })

  test.each([
    ['different names', manyNames(BOUNDS.mostNames + 100), 'write-too-big'],
    ['levels', '['.repeat(100_000), 'too-deep'],
    ['elements', `[${'1,'.repeat(BOUNDS.mostSiblings)}1]`, 'write-too-big'],
    ['members', `{${'"a":1,'.repeat(BOUNDS.mostSiblings)}"a":1}`, 'write-too-big'],
    ['values', `[${`[${'1,'.repeat(90_000)}1],`.repeat(25)}1]`, 'write-too-big'],
    ['characters of a key', `{"a":1, "${LONG}" : 2}`, 'key-too-long'],
    ['digits', `[${'1'.repeat(2 * 1024 * 1024)}]`, 'malformed'],
    ['brackets that are not closed', `[${'1,'.repeat(90_000)}1`, 'malformed'],
    ['values', `${'[],'.repeat(50_000)}1`, 'malformed'],
  ])('too many %s', (_, text, refusal) => {
    expect(refusalOf(() => parse(text, BOUNDS))).toBe(refusal)
  })

  test.each([
    ['there are', manyNames(BOUNDS.mostNames)],
    ['there are twice', `[${manyNames(BOUNDS.mostNames)},${manyNames(BOUNDS.mostNames)}]`],
    ['stand beside array indexes', `[${manyNames(BOUNDS.mostNames)},${manyNames(150_000, '')}]`],
    ['stand beside texts', `[${manyNames(BOUNDS.mostNames)},{"k1":["text",{"k2":"text"}],"k3":"text"}]`],
  ])('as many different names as there may be: %s', (_, text) => {
    expect(refusalOf(() => parse(text, BOUNDS))).toBe('accepted')
  })

  test('bytes that are no UTF-8 are refused, a byte order mark is not', () => {
    const bytes = Buffer.from(`["${LONG}"]`)
    expect(drain(parseJsonInSteps(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]), NO_BOUNDS))).toEqual([LONG])
    bytes[100] = 0xff
    expect(() => drain(parseJsonInSteps(bytes, NO_BOUNDS))).toThrow(TypeError)
  })
})

const KEYS = fc.oneof(
  fc.integer().map(String),
  fc.nat(2000).map(String),
  fc.nat(2000).map((number) => `00${number}`),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
)

describe('work in steps comes to what it comes to at once', () => {
  test('keys in order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(KEYS, { minLength: 2, maxLength: 5000, size: 'max' }), (keys) => {
        expect(drain(sortKeysInSteps([...keys]))).toEqual(sortKeys([...keys]))
      }),
      { numRuns: runsInLanes(10, 30) },
    )
  })

  test('payloads, texts and tags', () => {
    fc.assert(
      fc.property(json, (sent) => {
        const expected = attempt(() => parsePayload(sent, ['a'], defaultLimits))
        const inSteps = attempt(() => drain(parsePayloadInSteps(sent, ['a'], defaultLimits)))
        expect(typeof inSteps).toBe(typeof expected)
        expect(stringified(sent)).toBe(JSON.stringify(sent))
        if (typeof expected === 'string' || typeof inSteps === 'string' || expected.value === undefined) return
        expect(inSteps.serverValues).toEqual(expected.serverValues)
        if (inSteps.value === undefined) throw new Error('expected a value')
        checkTexts(expected.value, inSteps.value)
      }),
      { numRuns: runsInLanes(10, 25) },
    )
  })
})

function attempt<T extends object>(work: () => T): T | string {
  try {
    return work()
  } catch (error) {
    if (error instanceof DholeError) return error.code
    throw error
  }
}

function stringified(sent: unknown): string {
  return joined(drain(collected((sink) => stringifyInSteps(sent, sink))))
}

function checkTexts(expected: Value, value: Value): void {
  for (const form of ['stored', 'plain', 'export'] satisfies TextForm[]) {
    expect(joined(drain(collected((sink) => printInSteps(value, form, sink))))).toBe(print(expected, form))
  }
  const stored = print(expected, 'stored')
  expect(joined(drain(toPlainInSteps(stored)))).toBe(toPlain(stored))
  expect(drain(etagInSteps(value))).toBe(etagOf(stored))
  expect(drain(etagOfInSteps(stored))).toBe(etagOf(stored))
  if (typeof value === 'object') expect(drain(memberKeysInSteps(value))).toEqual(memberKeys(value))
}
