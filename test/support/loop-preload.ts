/**
 * Appends a line `<milliseconds>` to the file LOOP_HOLDS for each time the main thread worked without letting the event
 * loop go on. It counts processor time, which other processes on the machine do not add to.
 */
import { appendFileSync, openSync, readSync } from 'node:fs'

/** Shorter holds are not worth a line, in milliseconds. */
const SHORTEST_MS = 1
const file = process.env['LOOP_HOLDS']
if (file === undefined) throw new Error('LOOP_HOLDS names no file')

const statistics = openSync('/proc/thread-self/schedstat', 'r')
const buffer = Buffer.alloc(64)

/** Processor time of this thread so far, in milliseconds. */
function used(): number {
  const length = readSync(statistics, buffer, 0, buffer.length, 0)
  return Number(buffer.toString('latin1', 0, buffer.indexOf(' ', 0, 'latin1') + 1 || length)) / 1e6
}

let before = used()
const timer = setInterval(() => {
  const held = used() - before
  if (held >= SHORTEST_MS) appendFileSync(file, `${held.toFixed(2)}\n`)
  before = used()
}, 1)
timer.unref()
