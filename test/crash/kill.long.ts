import { expect, test } from 'bun:test'
import { killRounds } from './kill-rounds.ts'

const ROUNDS = 100

test(`a server killed ${ROUNDS} times keeps all it acknowledged`, async () => {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
  const { problems, acknowledged } = await killRounds({ rounds: ROUNDS, seed })
  expect({ seed, problems }).toEqual({ seed, problems: [] })
  expect(acknowledged).toBeGreaterThan(ROUNDS)
})
