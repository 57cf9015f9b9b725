/** Kills a server over and over and tells what was lost: `bun run torture --rounds 1000 [--seed 7]`. */
import { parseArgs } from 'node:util'
import { killRounds } from './kill-rounds.ts'

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

const { values } = parseArgs({ options: { rounds: { type: 'string' }, seed: { type: 'string' } } })
const rounds = Number(values.rounds ?? 100)
const seed = Number(values.seed ?? crypto.getRandomValues(new Uint32Array(1))[0])
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed)) {
  process.stderr.write('usage: bun run torture [--rounds <number>] [--seed <number>]\n')
  process.exit(2)
}
say(`seed ${seed}, ${rounds} rounds, ${new Date().toISOString()}`)
const began = performance.now()
const result = await killRounds({
  rounds,
  seed,
  onRound: (round, _, problems) => {
    for (const problem of problems) say(problem)
    if (round % 25 === 0) say(`${round} rounds, ${Math.round((performance.now() - began) / 1000)} s`)
  },
})
const moments = [...result.moments].map(([moment, times]) => `${moment} ${times}`).join(', ')
say(`killed at: ${moments}`)
say(
  `${rounds} rounds, seed ${seed}: ${result.acknowledged} acknowledged writes, ${result.resumed} resumed streams, ` +
    `${result.sentAgain} unanswered writes sent again, ${result.problems.length} violations`,
)
process.exit(result.problems.length === 0 ? 0 : 1)
