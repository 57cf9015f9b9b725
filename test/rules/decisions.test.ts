import { describe, expect, test } from 'bun:test'
import { DECISIONS } from './decisions.ts'
import { judge } from './driver.ts'

for (const [subject, rows] of Object.entries(DECISIONS)) {
  describe(`decisions: ${subject}`, () => {
    test.each(rows)('$name', ({ rules, request, allowed, fixed, timeless, trace }) => {
      const verdict = judge(JSON.stringify({ rules }), request)
      expect(verdict.allowed).toBe(allowed)
      if (fixed !== undefined) expect(verdict.fixed).toBe(fixed)
      if (timeless !== undefined) expect(verdict.timeless).toBe(timeless)
      if (trace !== undefined) expect(verdict.trace).toEqual([...trace])
    })
  })
}
