/**
 * Loaded before the server, it tells of its heap and of the turns of its event loop that came late: at every SIGUSR2
 * JSON in the file that `HEAP_PROBE` names. What it asks for starts no collection.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const TURN_MS = 100
/** A turn that is later than that is a stall. */
const LATE_MS = 250
const NS_PER_MS = 1_000_000

/** Milliseconds that the main thread has run, and has waited for a processor while it could have run. */
function scheduled(): readonly [ran: number, waited: number] {
  const [ran, waited] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')
  return [Number(ran) / NS_PER_MS, Number(waited) / NS_PER_MS]
}

const file = process.env['HEAP_PROBE']
if (file !== undefined) {
  const stalls = { number: 0, ran: 0, waited: 0, blocked: 0, longest: { ms: 0, ran: 0, waited: 0, blocked: 0 } }
  let at = performance.now()
  let before = scheduled()
  setInterval(() => {
    const now = performance.now()
    const after = scheduled()
    const ms = now - at
    if (ms - TURN_MS > LATE_MS) {
      const ran = after[0] - before[0]
      const waited = after[1] - before[1]
      const stall = { ms, ran, waited, blocked: Math.max(0, ms - ran - waited - TURN_MS) }
      stalls.number++
      stalls.ran += stall.ran
      stalls.waited += stall.waited
      stalls.blocked += stall.blocked
      if (ms > stalls.longest.ms) stalls.longest = stall
    }
    at = now
    before = after
  }, TURN_MS).unref()
  process.on('SIGUSR2', () => {
    writeFileSync(file, JSON.stringify({ heapUsed: process.memoryUsage().heapUsed, stalls }))
  })
}
