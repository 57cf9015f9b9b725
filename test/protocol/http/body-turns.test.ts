import { afterEach, expect, spyOn, test } from 'bun:test'
import { loopTurn } from '../../../src/scheduling/loop-turn.ts'
import type { Steps } from '../../../src/scheduling/steps.ts'
import { runInTurns } from '../../../src/scheduling/turns.ts'
import { startInProcess } from '../../support/https-server.ts'
import { withServer } from '../../support/with-server.ts'

const server = withServer(() => startInProcess())

/** Shorter than what is parsed in parts, and longer than what arrives with its request. */
const BODY = JSON.stringify({ text: 'x'.repeat(100_000) })
const BODIES = 20

const original = JSON.parse
const parse = spyOn(JSON, 'parse')

afterEach(() => {
  parse.mockRestore()
})

/** Long work that takes its time in every turn of the event loop. */
function* busy(isEnough: () => boolean): Steps<void> {
  while (!isEnough()) yield
}

test('bodies of a hundred kilobytes are parsed in the time for long work, however many arrive in one turn', async () => {
  await server.call('PUT', '/a.json', { body: BODY })
  let early = 0
  let late = 0
  parse.mockImplementation((text, reviver) => {
    if (text === BODY && loopTurn.isOver) late++
    else if (text === BODY) early++
    return original(text, reviver)
  })
  let isAnswered = false
  const working = runInTurns(busy(() => isAnswered))
  const put = (index: number) => server.call('PUT', `/b${index}.json?print=silent`, { body: BODY })
  const answers = await Promise.all(Array.from({ length: BODIES }, (_, index) => put(index)))
  isAnswered = true
  await working
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
  // Another process may take the time between a look at it and the work.
  expect([early + late, early > late]).toEqual([BODIES, true])
})
