/**
 * `bun run measure:console [--children N] [--rows N] [--rounds N] [--changes SECONDS] [--idle SECONDS]`: figures of the console
 * in Chromium beside what they should be; ends with 1 when one is missed.
 */
import { parseArgs } from 'node:util'
import { isMissed, lineOf } from './figure.ts'
import { measureConsole } from './measure.ts'

const { values } = parseArgs({
  options: {
    children: { type: 'string', default: '1000000' },
    rows: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '7' },
    changes: { type: 'string', default: '20' },
    idle: { type: 'string', default: '60' },
  },
})
const amounts = {
  children: Number(values.children),
  rows: Number(values.rows),
  rounds: Number(values.rounds),
  changeSeconds: Number(values.changes),
  idleSeconds: Number(values.idle),
}
if (Object.values(amounts).some((amount) => !(amount > 0))) {
  process.stderr.write('measure:console: every option is a number above 0\n')
  process.exit(2)
}
let missed = 0
for await (const figure of measureConsole(amounts)) {
  process.stdout.write(`${lineOf(figure)}\n`)
  if (isMissed(figure)) missed++
}
process.stdout.write(missed === 0 ? 'all within their limits\n' : `${missed} missed\n`)
process.exit(missed === 0 ? 0 : 1)
