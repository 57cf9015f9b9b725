import { describe, expect, test } from 'bun:test'
import { isStillValid } from '../../../src/rules/decision/decision.ts'
import { formatPath } from '../../../src/tree/path.ts'
import { judge } from './driver.ts'

const OPEN = "root.child('open').val() == true"
const MEMBER = "root.child('members').hasChild('ann')"

describe('a decision depends on', () => {
  test.each([
    ['nothing where no rule reads', { '.read': 'auth == null' }, true, false, []],
    ['nothing where a rule names no possible path', { '.read': "!root.child('.x').exists()" }, true, false, []],
    ['the path that a rule reads', { '.read': OPEN }, true, false, ['/open']],
    [
      'all rules where none allows',
      { '.read': MEMBER, a: { '.read': `now < 0 || ${MEMBER}` } },
      false,
      true,
      ['/members/ann', '/members/ann'],
    ],
    ['the allowing rule alone', { '.read': `now < 0 || ${MEMBER}`, a: { '.read': OPEN } }, true, false, ['/open']],
    ['the time that a rule reads', { '.read': 'now > 0' }, true, true, []],
  ] as const)('%s', (_, rules, allowed, time, paths) => {
    const decision = judge(JSON.stringify({ rules }), { read: '/a', before: { open: true } })
    expect(decision.allowed).toBe(allowed)
    expect(decision.dependsOn.time).toBe(time)
    expect(decision.dependsOn.paths.map(formatPath)).toEqual([...paths])
  })
})

describe('a decision', () => {
  const decision = { allowed: true, trace: [], dependsOn: { time: false, paths: [['open']] } }

  test('is valid while its rules stand and its paths are not written', () => {
    expect(isStillValid(decision, true, () => false)).toBe(true)
    expect(isStillValid(decision, false, () => false)).toBe(false)
    expect(isStillValid(decision, true, (paths) => paths.some(([key]) => key === 'open'))).toBe(false)
  })

  test('about the time is never valid again', () => {
    expect(isStillValid({ ...decision, dependsOn: { time: true, paths: [] } }, true, () => false)).toBe(false)
  })
})
