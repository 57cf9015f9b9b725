/** `bun run soak --minutes 20 [--seed S] [--samples FILE]`: a day's load in some minutes; ends with 1 when it is not well. */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Halves, percent } from './judge.ts'
import { soak } from './soak.ts'

const MIB = 1024 * 1024
const DAY_MINUTES = 24 * 60
const TOLD_SECONDS = 30

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** How many times as fast as a day passes; a day in the minutes given unless it says otherwise. */
    speed: { type: 'string' },
    samples: { type: 'string' },
  },
})
const minutes = Number(values.minutes)
const seed = Number(values.seed)
const speed = values.speed === undefined ? DAY_MINUTES / minutes : Number(values.speed)
if (!(minutes > 0) || !Number.isInteger(seed) || !(speed > 0)) {
  process.stderr.write('soak: --minutes and --speed are numbers above 0, --seed is a whole number\n')
  process.exit(2)
}

const print = (text: string) => process.stdout.write(`${text}\n`)
const mib = (bytes: number | undefined) => (bytes === undefined ? '-' : (bytes / MIB).toFixed(1))

print(`seed ${seed}, ${minutes} minutes at ${speed} times the pace of a day`)
let told = Number.NEGATIVE_INFINITY
const result = await soak({
  seed,
  seconds: minutes * 60,
  speed,
  sampleSeconds: 2,
  onSample: (sample, requests) => {
    if (sample.at - told < TOLD_SECONDS) return
    told = sample.at
    print(
      `${sample.at.toFixed(0)} s: ${requests} requests, rss ${mib(sample.rssBytes)} MiB, heap ${mib(sample.heapBytes)} MiB, ` +
        `${sample.descriptors} descriptors, ${sample.threads} threads, files ${mib(sample.fileBytes)} MiB, of them logs ${mib(sample.walBytes)} MiB`,
    )
  },
})
if (values.samples !== undefined) writeFileSync(values.samples, JSON.stringify(result.samples))

const { judgement, rests, tally } = result
const halves = (name: string, { first, last, change }: Halves) =>
  print(`${name}: first half ${mib(first)} MiB, last half ${mib(last)} MiB, ${percent(change)}`)
print(`${result.requests} requests`)
for (const [name, done] of tally.done) print(`  ${name}: ${done}`)
halves('memory (RSS), median', judgement.rss)
halves('anonymous memory, median', judgement.anonymous)
if (judgement.heap !== undefined) halves('heap, median', judgement.heap)
halves('files, greatest', judgement.files)
halves('logs, greatest', judgement.wal)
print(
  `at rest: descriptors ${rests.map(({ descriptors }) => descriptors.length).join(' and ')}, threads ${rests.map(({ threads }) => threads).join(' and ')}`,
)
print(`${result.followers} streams were open all the time`)
print(`${tally.broken} connections were broken off before an answer`)
if (result.stalls !== undefined) {
  const told = ({ ran, waited, blocked }: { ran: number; waited: number; blocked: number }) =>
    `${ran.toFixed(0)} ms running, ${waited.toFixed(0)} ms without a processor, ${blocked.toFixed(0)} ms blocked`
  const { number, longest } = result.stalls
  print(`${number} late turns of the event loop: ${told(result.stalls)}`)
  print(`the longest ${longest.ms.toFixed(0)} ms: ${told(longest)}`)
}
for (const failure of tally.failures) print(`  wrong: ${failure}`)
for (const problem of result.problems) print(`PROBLEM: ${problem}`)
print(result.problems.length === 0 ? 'well' : `not well; again: bun run soak --minutes ${minutes} --seed ${seed}`)
process.exit(result.problems.length === 0 ? 0 : 1)
