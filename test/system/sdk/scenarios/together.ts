import { awaited, inStep, type Scenarios } from './scenario.ts'

const CLIENTS = 4
const EACH = 15

export const TOGETHER: Scenarios = {
  'clients that count together lose nothing': {
    async run({ client, at }) {
      const clients = Array.from({ length: CLIENTS }, () => client())
      const outcomes = await Promise.allSettled(
        clients.flatMap((one) =>
          Array.from({ length: EACH }, () => one.transaction(`${at}/n`, (n: number | null) => (n ?? 0) + 1)),
        ),
      )
      const failed = outcomes.filter(({ status }) => status === 'rejected').length
      return { failed, n: (await client().get(`${at}/n`)).value }
    },
    expected: { failed: 0, n: CLIENTS * EACH },
  },

  'a transaction that gives up changes nothing': {
    async run({ client, at }) {
      const [one, two] = [client(), client()]
      await two.set(at, { seats: 0 })
      const taken = (value: { readonly seats: number } | null) =>
        value === null ? null : value.seats === 0 ? undefined : { seats: value.seats - 1 }
      const refused = await one.transaction(at, taken)
      await two.set(at, { seats: 1 })
      await inStep(one, two, at)
      const done = await one.transaction(at, taken)
      return [refused, done, (await two.get(at)).value]
    },
    expected: [{ committed: false, value: { seats: 0 } }, { committed: true, value: { seats: 0 } }, { seats: 0 }],
  },

  'a transaction with priorities and texts of any kind': {
    async run({ client, at }) {
      const one = client()
      await one.setWithPriority(`${at}/a`, { 'key 狗': 0.1, '10': false, '9': 'päivä 🐕' }, 2.5)
      await one.setWithPriority(`${at}/b`, 63.99999999999999, 'rank')
      const { committed } = await client().transaction(at, (value: object | null) => value && { ...value, c: -0.25 })
      return [committed, (await client().get(`${at}/c`)).value, (await client().get(`${at}/a`)).children]
    },
    expected: [true, -0.25, ['9', '10', 'key 狗']],
  },

  'a disconnected client is seen as gone, and as back': {
    async run({ client, at }) {
      const [one, two] = [client(), client()]
      one.on('.info/connected', 'value', ({ value }) => {
        if (value !== true) return
        void one.onDisconnect(at).remove()
        void one.set(at, 'here')
      })
      const seen: unknown[] = []
      two.on(at, 'value', ({ value }) => seen.push(value))
      await awaited(two, at, (value) => value === 'here')
      for (const _ of [1, 2]) {
        one.goOffline()
        await awaited(two, at, (value) => value === null)
        one.goOnline()
        await awaited(two, at, (value) => value === 'here')
      }
      return seen.slice(seen.indexOf('here'))
    },
    expected: ['here', null, 'here', null, 'here'],
  },
}

const MANY = 1000

export const MANY_LISTENS: Scenarios = {
  'a thousand listens on one connection': {
    async run({ client, at }) {
      const [one, two] = [client(), client()]
      await two.set(at, Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`k${index}`, { n: index }])))
      const told = Array.from({ length: MANY }, (_, index) => {
        const path = `${at}/k${index}`
        return awaited(one, path, (value) => (value as { readonly n: number } | null)?.n === -index)
      })
      await inStep(one, two, at)
      await two.update(at, Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`k${index}/n`, -index])))
      return (await Promise.all(told)).length
    },
    expected: MANY,
  },
}
