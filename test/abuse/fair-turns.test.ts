import { expect, spyOn, test } from 'bun:test'
import { FairTurns, type Waiting } from '../../src/http/fair-turns.ts'
import { http2Client } from '../support/http2-client.ts'
import { startServer } from '../support/https-server.ts'

/** More than are begun in one turn, however fast they are. */
const MANY = 64

type Answer = string | number

/** A request of somebody who waits for it. */
function asking(network: string, answer: () => Answer): Waiting<Answer> {
  return { network: () => network, isGone: () => false, answer }
}

/** A turn that has lasted longer than it may. */
function longTurn(): { readonly turns: FairTurns<Answer>; readonly end: () => void } {
  const turns = new FairTurns<Answer>()
  const clock = spyOn(performance, 'now').mockReturnValue(1000)
  for (let count = 0; count < MANY; count++) expect(turns.isOver()).toBe(false)
  clock.mockReturnValue(1010)
  while (!turns.isOver());
  return { turns, end: () => clock.mockRestore() }
}

test('who asks once does not wait behind who asks a hundred times', async () => {
  const { turns, end } = longTurn()
  const order: string[] = []
  const ask = (network: string, name: string) => turns.later(asking(network, () => order.push(name)))
  const all = Array.from({ length: 100 }, (_, at) => ask('10.0.0.1', `first ${at}`))
  all.push(ask('10.0.0.2', 'second 0'), ask('10.0.0.3', 'third 0'), ask('10.0.0.2', 'second 1'))
  end()
  await Promise.all(all)
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
  expect(turns.isOver()).toBe(false)
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

test('who has come meanwhile does not wait for those that wait', async () => {
  const { turns, end } = longTurn()
  const order: string[] = []
  const answer = turns.later(asking('10.0.0.1', () => order.push('waiting')))
  setImmediate(() => order.push('come meanwhile'))
  end()
  await answer
  expect(order).toEqual(['come meanwhile', 'waiting'])
})

test('whose a request was is not asked when it was broken off', async () => {
  const { turns, end } = longTurn()
  const network = () => expect.unreachable()
  const answer = turns.later({ network, isGone: () => true, answer: () => 'nobody gets it' })
  end()
  expect(await answer).toBe('nobody gets it')
})

test('a hundred requests at once over one connection are all answered, and done', async () => {
  await using server = await startServer()
  await using client = http2Client(server.url, server.ca)
  const numbers = Array.from({ length: 100 }, (_, at) => at)
  const answers = await Promise.all(numbers.map((at) => client.call('PUT', `/n/k${at}.json`, { body: String(at) })))
  expect(answers.map(({ status, text }) => `${status} ${text}`)).toEqual(numbers.map((at) => `200 ${at}`))
  const { text } = await server.call('GET', '/n.json')
  expect(JSON.parse(text)).toEqual(Object.fromEntries(numbers.map((at) => [`k${at}`, at])))
})
