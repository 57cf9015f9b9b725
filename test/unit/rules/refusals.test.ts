import { describe, expect, test } from 'bun:test'
import { DholeError } from '../../../src/error.ts'
import { parseRules } from '../../../src/rules/file/rule-set.ts'
import { BAD_FILES, REFUSALS } from './refusals.ts'

/** Where an expression begins in the file below. */
const LINE = 3
const COLUMN = 4

function fileWith(expression: string): string {
  return `{"rules":{"users":{"$u":{\n  ".write":\n  ${JSON.stringify(expression)}\n}}}}`
}

function refusal(file: string): { code: string; text: string } | undefined {
  try {
    parseRules(file)
  } catch (error) {
    if (error instanceof DholeError) return { code: error.code, text: error.message }
    throw error
  }
  return undefined
}

for (const [subject, rows] of Object.entries(REFUSALS)) {
  describe(`refused expressions: ${subject}`, () => {
    test.each(rows)('%j at %i: %s', (expression, place, why) => {
      const { code, text } = refusal(fileWith(expression)) ?? {}
      expect(code).toBe('bad-rules')
      expect(text).toStartWith(`Line ${LINE}: `)
      expect(text).toContain(why)
      // Quotation marks and backslashes of an expression stand escaped in the file.
      const escapes = JSON.stringify(expression.slice(0, place - 1)).length - 2 - (place - 1)
      expect(text).toEndWith(`(column ${COLUMN + place - 1 + escapes})`)
    })
  })
}

describe('refused files', () => {
  test.each(BAD_FILES)('%j: %s', (file, code, text) => {
    const found = refusal(file)
    expect(found?.code).toBe(code)
    expect(found?.text).toStartWith(text)
  })
})
