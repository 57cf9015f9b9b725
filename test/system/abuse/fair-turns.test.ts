import { expect, spyOn, test } from 'bun:test'
import fc from 'fast-check'
import { FairQueue } from '../../../src/http/limits/fair-queue.ts'
import { http2Client } from '../../support/http2-client.ts'
import { startInProcess } from '../../support/https-server.ts'

/** More than are begun in one turn, however fast they are. */
const MANY = 64

type Answer = string | number

/** A request that waits. */
interface Waiting {
  connection(): string | undefined
  network(): string
  answer(): Answer
}

/** A request of somebody who waits for it, over a connection of his own. */
function asking(network: string, answer: () => Answer): Waiting {
  return { connection: () => network, network: () => network, answer }
}

const anybody = asking('10.0.0.9', () => 0)

function queue(): FairQueue<Waiting, Answer> {
  return new FairQueue<Waiting, Answer>({
    connection: (request) => request.connection(),
    network: (request) => request.network(),
    answer: (request) => request.answer(),
  })
}

/** A turn that has lasted longer than it may. */
function longTurn(): { readonly turns: FairQueue<Waiting, Answer>; readonly end: () => void } {
  const turns = queue()
  const clock = spyOn(performance, 'now').mockReturnValue(1000)
  for (let count = 0; count < MANY; count++) expect(turns.isOver(anybody)).toBe(false)
  clock.mockReturnValue(1010)
  while (!turns.isOver(anybody));
  return { turns, end: () => clock.mockRestore() }
}

test('who asks once does not wait behind who asks a hundred times', async () => {
  const { turns, end } = longTurn()
  const order: string[] = []
  const ask = (network: string, name: string) => turns.later(asking(network, () => order.push(name)))
  const all = Array.from({ length: 100 }, (_, at) => ask('10.0.0.1', `first ${at}`))
  all.push(ask('10.0.0.2', 'second 0'), ask('10.0.0.3', 'third 0'), ask('10.0.0.2', 'second 1'))
  // No time passes: how much starts in one turn is bounded by time.
  await Promise.all(all)
  end()
  expect(order.slice(0, 6)).toEqual(['first 0', 'second 0', 'third 0', 'first 1', 'second 1', 'first 2'])
  expect(order.filter((name) => name.startsWith('first'))).toEqual(
    Array.from({ length: 100 }, (_, at) => `first ${at}`),
  )
})

test('the next turn begins anew', async () => {
  const { turns, end } = longTurn()
  const answer = turns.later(asking('10.0.0.1', () => 'answered'))
  end()
  expect(await answer).toBe('answered')
  expect(turns.isOver(anybody)).toBe(false)
})

test('what is thrown in a turn to come reaches whoever asked', async () => {
  const { turns, end } = longTurn()
  const thrower = asking('10.0.0.1', () => {
    throw new Error('thrown')
  })
  const answer = turns.later(thrower)
  end()
  expect(await answer.catch((thrown: unknown) => thrown)).toEqual(new Error('thrown'))
})

test('while there is one network, more of its requests start in the turn in which they come', async () => {
  const clock = spyOn(performance, 'now')
  let now = 1000
  const turns = queue()
  /** Whether a turn that has lasted so long is over, where requests of these networks come. */
  const isOverAfter = async (milliseconds: number, networks: readonly string[]) => {
    const requests = networks.map((network) => asking(network, () => 0))
    await new Promise(setImmediate)
    now += 100
    clock.mockReturnValue(now)
    for (let count = 0; count < MANY; count++) for (const request of requests) turns.isOver(request)
    clock.mockReturnValue(now + milliseconds)
    return Array.from({ length: MANY }, () => requests.map((request) => turns.isOver(request)))
      .flat()
      .includes(true)
  }
  const [one, two] = [['10.0.0.1'], ['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.2']]
  try {
    expect(await isOverAfter(0.9, one)).toBe(false)
    // Whether there are others is not known yet.
    expect(await isOverAfter(1.1, one)).toBe(true)
    now += 1000
    expect(await isOverAfter(3.9, one)).toBe(false)
    expect(await isOverAfter(4.1, one)).toBe(true)
    expect(await isOverAfter(0.9, two)).toBe(false)
    expect(await isOverAfter(1.1, two)).toBe(true)
    expect(await isOverAfter(1.1, one)).toBe(true)
    now += 1000
    expect(await isOverAfter(3.9, one)).toBe(false)
  } finally {
    clock.mockRestore()
  }
})

test('who has come meanwhile does not wait for those that wait', async () => {
  const { turns, end } = longTurn()
  const order: string[] = []
  const answer = turns.later(asking('10.0.0.1', () => order.push('waiting')))
  setImmediate(() => order.push('come meanwhile'))
  end()
  await answer
  expect(order).toEqual(['come meanwhile', 'waiting'])
})

test('after hundreds had to wait at once, turns are over sooner for a while', async () => {
  const { turns, end } = longTurn()
  // The clock stands still until it is told to go on.
  const clock = spyOn(performance, 'now')
  const now = performance.now()
  await Promise.all(Array.from({ length: 300 }, (_, at) => turns.later(asking('10.0.0.1', () => at))))
  /** Whether a turn that has lasted half a millisecond is over. */
  const isOverAt = async (now: number) => {
    await new Promise(setImmediate)
    clock.mockReturnValue(now)
    for (let count = 0; count < MANY; count++) turns.isOver(anybody)
    clock.mockReturnValue(now + 0.5)
    return Array.from({ length: MANY }, () => turns.isOver(anybody)).includes(true)
  }
  const soonAndLater = [await isOverAt(now + 100), await isOverAt(now + 5000)]
  end()
  expect(soonAndLater).toEqual([true, false])
})

test('of hundreds that come by one connection few are asked whose they are', async () => {
  const { turns, end } = longTurn()
  let asked = 0
  const who = () => {
    asked++
    return '10.0.0.1'
  }
  const numbers = Array.from({ length: 300 }, (_, at) => at)
  const all = numbers.map((at) => turns.later({ connection: who, network: who, answer: () => at }))
  end()
  expect(await Promise.all(all)).toEqual(numbers)
  expect(asked).toBeLessThan(50)
})

test('who speaks through a proxy does not wait behind others who do', async () => {
  const { turns, end } = longTurn()
  const order: string[] = []
  const connection = () => undefined
  const ask = (network: string) => turns.later({ ...asking(network, () => order.push(network)), connection })
  const all = ['a', 'a', 'a', 'b', 'a', 'a', 'a'].map(ask)
  end()
  await Promise.all(all)
  expect(order).toEqual(['a', 'b', 'a', 'a', 'a', 'a', 'a'])
})

/** What comes in a turn: so many by one connection, of one network or, through a proxy, of any. */
const coming = fc.uniqueArray(
  fc.record({
    connection: fc.integer({ min: 0, max: 30 }),
    network: fc.integer({ min: 0, max: 3 }),
    count: fc.integer({ min: 1, max: 40 }),
    isProxy: fc.boolean(),
  }),
  { selector: ({ connection }) => connection, minLength: 1 },
)

test('whatever comes in how many turns, everybody is answered in the order of his network', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(coming, { minLength: 1, maxLength: 3 }), async (several) => {
      const { turns, end } = longTurn()
      const order: string[] = []
      const came = new Map<string, number>()
      const ask = (network: string, connection: string | undefined) => {
        const nth = came.get(network) ?? 0
        came.set(network, nth + 1)
        const entry = asking(network, () => order.push(`${network} ${nth}`))
        return turns.later({ ...entry, connection: () => connection })
      }
      const all: Promise<Answer>[] = []
      for (const connections of several) {
        for (const { connection, network, count, isProxy } of connections) {
          for (let nth = 0; nth < count; nth++) {
            all.push(isProxy ? ask(`n${(network + nth) % 4}`, undefined) : ask(`n${network}`, String(connection)))
          }
        }
        // The clock stands still here, so all turns are over at once.
        await new Promise(setImmediate)
      }
      end()
      await Promise.all(all)
      for (const [network, count] of came) {
        const own = order.filter((name) => name.startsWith(`${network} `))
        expect(own).toEqual(Array.from({ length: count }, (_, nth) => `${network} ${nth}`))
      }
    }),
  )
})

test('a hundred requests at once over one connection are all answered, and done', async () => {
  await using server = await startInProcess()
  await using client = http2Client(server.url, server.ca)
  const numbers = Array.from({ length: 100 }, (_, at) => at)
  const answers = await Promise.all(numbers.map((at) => client.call('PUT', `/n/k${at}.json`, { body: String(at) })))
  expect(answers.map(({ status, text }) => `${status} ${text}`)).toEqual(numbers.map((at) => `200 ${at}`))
  const { text } = await server.call('GET', '/n.json')
  expect(JSON.parse(text)).toEqual(Object.fromEntries(numbers.map((at) => [`k${at}`, at])))
})
