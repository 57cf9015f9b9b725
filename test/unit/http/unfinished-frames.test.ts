import { expect, test } from 'bun:test'
import { MemoryBudget } from '../../../src/http/limits/memory-budget.ts'
import { UnfinishedFrames, type WatchedFrames } from '../../../src/http/sdk/socket/unfinished-frames.ts'

const NEVER = Number.POSITIVE_INFINITY

/** Clients whose memory is set by the test; those of `silent` answer no ping. */
function clients(names: readonly string[], silent: ReadonlySet<string>) {
  const budget = new MemoryBudget(1000)
  let used = 5000
  const asked: string[] = []
  const cut: string[] = []
  const watched = new Map<string, WatchedFrames>()
  const reserve = (...given: Parameters<MemoryBudget['reserve']>) => budget.reserve(...given)
  const frames = new UnfinishedFrames(reserve, 100, NEVER, () => ({ used, reserved: budget.bytes }))
  for (const name of names) {
    const ping = () => {
      asked.push(name)
      if (!silent.has(name)) watched.get(name)?.answer()
    }
    watched.set(name, frames.watch({ ping, terminate: () => cut.push(name) }))
  }
  /** Looks several times, with this much more memory than at first. */
  const checkWith = async (more: number, times = 3) => {
    used = 5000 + more
    for (let time = 0; time < times; time++) await frames.check()
  }
  const end = () => {
    for (const each of watched.values()) frames.forget(each)
  }
  return { budget, asked, cut, watched, checkWith, end }
}

test('while the process takes what it usually does, no client is asked', async () => {
  const { asked, checkWith, end } = clients(['ann', 'bob'], new Set(['bob']))
  await checkWith(100)
  expect(asked).toEqual([])
  end()
})

test('memory beyond that is reserved for those who answer no ping', async () => {
  const { asked, cut, budget, checkWith, end } = clients(['ann', 'bob', 'cat'], new Set(['bob', 'cat']))
  await checkWith(600)
  expect({ asked, cut, bytes: budget.bytes }).toEqual({ asked: ['ann', 'bob', 'cat'], cut: [], bytes: 600 })
  end()
  expect(budget.bytes).toBe(0)
})

test('a client whose frame has come holds nothing any more', async () => {
  const { watched, budget, checkWith, end } = clients(['ann', 'bob'], new Set(['bob']))
  await checkWith(600)
  watched.get('bob')?.message()
  expect(budget.bytes).toBe(0)
  // More of the same is usual now.
  await checkWith(700)
  expect(budget.bytes).toBe(0)
  end()
})

test('beyond the bound of all reservations they are cut off, and no other client', async () => {
  const { cut, checkWith, end } = clients(['ann', 'bob', 'cat'], new Set(['bob', 'cat']))
  await checkWith(1500)
  expect(cut).toEqual(['bob'])
  await checkWith(2500)
  expect(cut.toSorted()).toEqual(['bob', 'cat'])
  end()
})

test('memory that is reserved for other things is no reason to ask', async () => {
  const { asked, budget, checkWith, end } = clients(['ann'], new Set(['ann']))
  const body = budget.reserve({}, 500, () => {})
  await checkWith(500)
  expect(asked).toEqual([])
  body.release()
  end()
})

test('a frame that was begun after its client answered is not taken for what the process usually takes', async () => {
  const silent = new Set<string>()
  const { watched, budget, checkWith, end } = clients(['ann', 'bob'], silent)
  await checkWith(600, 1)
  // Both have answered. Bob begins a frame before anything is concluded.
  silent.add('bob')
  await checkWith(1100, 2)
  expect(budget.bytes).toBe(0)
  await checkWith(1100, 3)
  expect(budget.bytes).toBe(500)
  watched.get('bob')?.message()
  end()
})
