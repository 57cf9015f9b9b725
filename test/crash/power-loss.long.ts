import { expect, test } from 'bun:test'
import { losePower } from './power-loss.ts'
import { hasCompiler } from './recording.ts'

const IMAGES = 800

const canRecord = hasCompiler()
const why = canRecord ? '' : ' (skipped: needs Linux and a C compiler named cc)'

test.skipIf(!canRecord)(`${IMAGES} disks after a power cut have all that was acknowledged${why}`, async () => {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
  const { problems, images } = await losePower({ images: IMAGES, seed })
  expect({ seed, problems }).toEqual({ seed, problems: [] })
  expect(images).toBe(IMAGES)
})
