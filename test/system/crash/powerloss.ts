/** Lets the power of a server go over and over and tells what was lost: `bun run powerloss --images 10000 [--seed 7]`. */
import { parseArgs } from 'node:util'
import { losePower } from './power-loss.ts'
import { hasCompiler } from './recording.ts'

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

const { values } = parseArgs({ options: { images: { type: 'string' }, seed: { type: 'string' } } })
const images = Number(values.images ?? 1000)
const seed = Number(values.seed ?? crypto.getRandomValues(new Uint32Array(1))[0])
if (!Number.isInteger(images) || images < 1 || !Number.isInteger(seed)) {
  process.stderr.write('usage: bun run powerloss [--images <number>] [--seed <number>]\n')
  process.exit(2)
}
if (!hasCompiler()) {
  process.stderr.write('powerloss needs Linux and a C compiler named cc\n')
  process.exit(2)
}
say(`seed ${seed}, ${images} images, ${new Date().toISOString()}`)
const began = performance.now()
const result = await losePower({
  images,
  seed,
  onRun: (done, problems) => {
    for (const problem of problems) say(problem)
    say(`${done} images, ${Math.round((performance.now() - began) / 1000)} s`)
  },
})
say(
  `${result.images} images of ${result.runs} runs, seed ${seed}: ${result.entries} calls and answers recorded, ` +
    `${result.problems.length} violations`,
)
process.exit(result.problems.length === 0 ? 0 : 1)
