import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { type Answers, type Prepared, takeTurns } from '../../bench/load/load.ts'

const hasProc = existsSync('/proc/self/stat')
const where = hasProc ? '' : ' (skipped: no processor time in /proc)'

/** A load whose turns come out as told, billed to a process that does nothing. */
function scripted(pid: number, turns: readonly Partial<Answers>[], asked: number[]): Prepared {
  const next = turns.values()
  const generate = async (seconds: number) => {
    asked.push(seconds)
    return { succeeded: 0, refused: 0, failed: 0, seconds, ...next.next().value }
  }
  return { title: 'scripted', pid, generate, refused: false }
}

/** Disposing of it ends it. */
const idleProcess = () => Bun.spawn(['sleep', '60'])

test.skipIf(!hasProc)(`a turn in which nothing is answered goes on, and all of its time counts${where}`, async () => {
  await using idle = idleProcess()
  const asked: number[] = []
  const load = scripted(idle.pid, [{}, {}, { succeeded: 14 }], asked)
  const [figures] = await takeTurns([load], { seconds: 1, turns: 1, warmSeconds: 0 })
  expect(asked).toEqual([1, 2, 4])
  expect(figures?.perSecond).toBe(2)
})

test.skipIf(!hasProc)(`a turn in which requests fail ends the run${where}`, async () => {
  await using idle = idleProcess()
  const asked: number[] = []
  const load = scripted(idle.pid, [{ failed: 1 }], asked)
  const run = takeTurns([load], { seconds: 1, turns: 1, warmSeconds: 0 })
  expect(await run.catch(String)).toBe('Error: scripted: 1 requests failed, 0 did not')
  expect(asked).toEqual([1])
})
