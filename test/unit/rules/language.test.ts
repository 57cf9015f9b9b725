import { describe, expect, test } from 'bun:test'
import { judge } from './driver.ts'
import * as operators from './language/operators.ts'
import { queries } from './language/queries.ts'
import { AUTH, BEFORE, NOW, PLACE, WRITTEN } from './language/request.ts'
import * as strings from './language/strings.ts'
import * as values from './language/values.ts'

/** Expressions of `.write` at `/users/$u`, and what they say to the write of `request.ts`. */
const LANGUAGE = { ...operators, ...values, ...strings }

/** What the only rule that was looked at said: a boolean, or why it has no answer. */
function said(trace: readonly string[]): boolean | string | undefined {
  const [line = ''] = trace
  const why = /" failed: (.*) \(line 1\)$/.exec(line)?.[1]
  if (why !== undefined) return why
  return /" is (true|false)$/.exec(line)?.[1] === 'true'
}

for (const [subject, rows] of Object.entries(LANGUAGE)) {
  describe(`expressions: ${subject}`, () => {
    test.each(rows)('%s is %p', (expression, says) => {
      const rules = JSON.stringify({ rules: { users: { $u: { '.write': expression } } } })
      const verdict = judge(rules, { before: BEFORE, auth: AUTH, now: NOW, writes: { [PLACE]: WRITTEN } })
      expect(said(verdict.trace)).toBe(says)
      expect(verdict.allowed).toBe(says === true)
    })
  })
}

describe('expressions: queries', () => {
  test.each(queries)('%s of %p is %p', (expression, query, says) => {
    const rules = JSON.stringify({ rules: { '.read': expression } })
    const verdict = judge(rules, { before: BEFORE, auth: AUTH, read: '/users', ...(query && { query }) })
    expect(said(verdict.trace)).toBe(says)
    expect(verdict.allowed).toBe(says === true)
  })
})
