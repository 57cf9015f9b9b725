import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import { longRuns } from '../../support/lane.ts'
import { losePower } from './power-loss.ts'
import { hasCompiler } from './recording.ts'

const IMAGES = longRuns(200)
const WITHOUT_SYNC_IMAGES = 40
const MOST_RUNS_WITHOUT_SYNC = 5
const FIRST_IMAGES = longRuns(15)

function anySeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
}

const canRecord = hasCompiler()
const why = canRecord ? '' : ' (skipped: needs Linux and a C compiler named cc)'

test.skipIf(!canRecord)(
  `whatever of it was not synced is lost with the power, nothing acknowledged is${why}`,
  async () => {
    const seed = anySeed()
    const { problems, images } = await losePower({ images: IMAGES, seed })
    expect({ seed, problems }).toEqual({ seed, problems: [] })
    expect(images).toBe(IMAGES)
  },
  900_000,
)

if (canRecord) {
  test('a server that acknowledges before it has synced is found out', async () => {
    const seeds: number[] = []
    let isFound = false
    // A disk keeps part of what is not synced: all that was acknowledged may be on each of a few.
    while (!isFound && seeds.length < MOST_RUNS_WITHOUT_SYNC) {
      const seed = anySeed()
      seeds.push(seed)
      const { problems } = await losePower({ images: WITHOUT_SYNC_IMAGES, seed, unsynced: 'all' })
      isFound = problems.some((problem) => problem.includes('acknowledged'))
      // It is the only thing that is wrong: what is there is whole, and nothing was written unseen.
      const others = problems.filter((problem) => !/acknowledged|was reported, and is not/.test(problem))
      expect([seed, others]).toEqual([seed, []])
    }
    expect([seeds, isFound]).toEqual([seeds, true])
  })
}

test.skipIf(!canRecord)(`what a killed process had not synced is, once the next one has told of it${why}`, async () => {
  const seed = anySeed()
  const { problems } = await losePower({ images: FIRST_IMAGES, seed, unsynced: 'first' })
  expect({ seed, problems }).toEqual({ seed, problems: [] })
})
