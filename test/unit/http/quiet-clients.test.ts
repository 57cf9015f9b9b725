import { expect, test } from 'bun:test'
import { QuietClients } from '../../../src/http/sdk/socket/quiet-clients.ts'

const USUAL = 5000
const MOST = 1000

/** Clients of which each holds so many bytes of a message that has not ended. */
function clients(held: Readonly<Record<string, number>>) {
  const quiet = new QuietClients(MOST, USUAL)
  const holding = new Map(Object.entries(held))
  const connected = new Map<string, { messageAt: number; cut: () => void }>()
  const cut: string[] = []
  const connect = (name: string) => {
    connected.set(name, {
      messageAt: -1,
      cut: () => {
        cut.push(name)
        connected.delete(name)
        holding.delete(name)
      },
    })
  }
  for (const name of holding.keys()) connect(name)
  /** A whole message comes, and the beginning of another. */
  const message = (name: string, bytes = 0) => {
    const client = connected.get(name)
    if (client !== undefined) client.messageAt = quiet.look
    holding.set(name, bytes)
  }
  const look = (times = 1, others = 0) => {
    for (let time = 0; time < times; time++) {
      const taken = [...holding.values()].reduce((sum, bytes) => sum + bytes, 0)
      quiet.check(USUAL + others + taken, connected.values())
    }
  }
  return { cut, connect, message, look, holding }
}

test('above twice the bound the newest clients without a whole message are cut off, until it is kept', () => {
  const { cut, look } = clients({ listener: 0, a: 800, b: 800, c: 800 })
  look(10)
  expect(cut).toEqual(['c'])
})

test('above the bound they have time to end a message', () => {
  const { cut, message, look } = clients({ listener: 0, a: 800, b: 800 })
  look(59)
  message('a')
  look(100)
  expect(cut).toEqual([])
})

test('above the bound for a minute they are cut off too', () => {
  const { cut, look } = clients({ listener: 0, a: 600, b: 800 })
  look(60)
  expect(cut).toEqual([])
  look(10)
  expect(cut).toEqual(['b'])
})

test('who sends a whole message and begins a longer one is cut off with the next growth', () => {
  const { cut, message, look, holding } = clients({ listener: 1400 })
  look(59)
  message('listener', 1800)
  look(5)
  expect(cut).toEqual([])
  holding.set('listener', 3600)
  look(5)
  expect(cut).toEqual(['listener'])
})

test('memory that all clients have outlived is usual', () => {
  const { cut, connect, message, look } = clients({ listener: 0, writer: 0 })
  look(1, 1800)
  message('writer')
  look(100, 1800)
  // The listener could have held it. It connects again.
  expect(cut).toEqual(['listener'])
  connect('listener')
  look(500, 1800)
  expect(cut).toEqual(['listener'])
})

test('memory that is freed is not usual any more', () => {
  const { cut, look, message, holding } = clients({ a: 0 })
  look(1, -3000)
  message('a')
  holding.set('a', 1900)
  look(1, -2800)
  expect(cut).toEqual(['a'])
})

test('of very many clients few are cut off with one look', () => {
  const { cut, look } = clients(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 1])))
  look()
  expect(cut).toHaveLength(200)
  expect(cut).toContain('k9999')
})
