import { Database as Client } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { truncateSync } from 'node:fs'
import { treeFile } from '../../../src/data-folder/tree-file.ts'
import { longTest, runsInLanes } from '../../support/lane.ts'
import { APPS } from './cast.ts'
import { killRounds } from './kill-rounds.ts'

const ROUNDS = runsInLanes(5, 30)

function anySeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
}

test(`killed ${ROUNDS} times at any moment, a server has kept all it acknowledged, whole, and streams go on`, async () => {
  const seed = anySeed()
  const { problems, acknowledged, resumed, sentAgain, moments } = await killRounds({ rounds: ROUNDS, seed })
  expect({ seed, problems }).toEqual({ seed, problems: [] })
  expect(acknowledged).toBeGreaterThan(ROUNDS)
  expect(resumed).toBeGreaterThan(ROUNDS)
  expect(sentAgain).toBeGreaterThan(ROUNDS)
  expect(moments.size).toBe(5)
}, 900_000)

longTest(
  'a server that has forgotten the end of its log is found out',
  async () => {
    const seed = anySeed()
    const { problems } = await killRounds({
      rounds: 1,
      seed,
      moments: ['acknowledgement'],
      walLimitBytes: 64 * 1024 * 1024,
      afterKill: (dataDir) => {
        for (const app of APPS) truncateSync(`${treeFile(dataDir, app)}-wal`, 0)
      },
    })
    const kinds = ['found', 'counter: is', 'recorded, and not there', 'begins anew']
    for (const kind of kinds)
      expect([seed, kind, problems.some((problem) => problem.includes(kind))]).toEqual([seed, kind, true])
  },
  300_000,
)

longTest(
  'a server that has forgotten which writes came before is found out',
  async () => {
    const seed = anySeed()
    const { problems } = await killRounds({
      rounds: 1,
      seed,
      moments: ['acknowledgement'],
      afterKill: (dataDir) => {
        for (const app of APPS) {
          const client = new Client(treeFile(dataDir, app), { readwrite: true })
          client.run('DELETE FROM note')
          client.close()
        }
      },
    })
    const kinds = ['again: not known, answered', 'when all was sent again']
    for (const kind of kinds)
      expect([seed, kind, problems.some((problem) => problem.includes(kind))]).toEqual([seed, kind, true])
  },
  300_000,
)
