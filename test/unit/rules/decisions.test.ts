import { describe, expect, test } from 'bun:test'
import { reads } from './decisions/reads.ts'
import { validations } from './decisions/validations.ts'
import { writes } from './decisions/writes.ts'
import { judge } from './driver.ts'

for (const [subject, rows] of Object.entries({ reads, writes, validations })) {
  describe(`decisions: ${subject}`, () => {
    test.each(rows)('$name', ({ rules, request, allowed, fixed, timeless, trace }) => {
      const decision = judge(JSON.stringify({ rules }), request)
      const { time, paths } = decision.dependsOn
      expect(decision.allowed).toBe(allowed)
      if (fixed !== undefined) expect(!time && paths.length === 0).toBe(fixed)
      if (timeless !== undefined) expect(!time).toBe(timeless)
      if (trace !== undefined) expect(decision.trace).toEqual([...trace])
    })
  })
}
