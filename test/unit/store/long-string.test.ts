import { describe, expect, test } from 'bun:test'
import { drain } from '../../../src/scheduling/steps.ts'
import {
  isLongString,
  longStringOf,
  parseBeginning,
  parseLongLeaf,
  parseStringInSteps,
} from '../../../src/store/rows/long-string.ts'

/** Longer than two steps. */
const LENGTH = 300_000
/** Texts whose pieces would end inside an escape sequence, whatever their offset. */
const PARTS = ['x', '\n', '\\', '"', '\\n', '\u0000', '\ud800', '😀', '\\u0041', '\\\\"']

describe('the text of a long string', () => {
  test.each(PARTS.flatMap((part) => [0, 1, 2, 3, 4, 5, 6].map((offset) => [part, offset] as const)))(
    'of %j after %i characters is parsed as JSON parses it',
    (part, offset) => {
      const string = 'y'.repeat(offset) + part.repeat(LENGTH / part.length)
      const text = JSON.stringify(string)
      expect(isLongString(text)).toBe(true)
      expect(drain(parseStringInSteps(text)) === string).toBe(true)
      const beginning = parseBeginning(text)
      expect(typeof beginning === 'string' && string.startsWith(beginning)).toBe(true)
      expect(String(beginning).length).toBeGreaterThan(2048)
    },
  )

  test('is found with a priority, and only of a leaf', () => {
    const text = JSON.stringify('x'.repeat(LENGTH))
    expect(longStringOf(text)).toBe(text)
    expect(longStringOf(`{".priority":1,".value":${text}}`)).toBe(text)
    expect(longStringOf(`{"a":${text}}`)).toBeUndefined()
    const leaf = { '.priority': '",".value":1', '.value': 'x'.repeat(LENGTH) }
    expect(drain(parseLongLeaf(JSON.stringify(leaf)))).toEqual(leaf)
    expect(drain(parseLongLeaf(text)) === leaf['.value']).toBe(true)
    expect(drain(parseLongLeaf('{".priority":1,".value":2}'))).toBeUndefined()
    expect(longStringOf('"x"')).toBeUndefined()
  })
})
