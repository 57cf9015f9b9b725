import { awaited, failureOf, inStep, type Scenarios } from './scenario.ts'

const VALUE = { text: 'päivä 狗 🐕', number: 1.5, yes: true, deep: { a: { b: 'c' } }, list: [1, 2, 3] }
const LARGE = 5_000_000
const KEYS = ['-5', '01', '9', '10', '2147483648', 'a b', 'b', 'ä', '狗', '🐕']

export const DATA: Scenarios = {
  'values of every kind come back': {
    async run({ client, at }) {
      const one = client()
      await one.set(at, VALUE)
      const written = (await one.get(at)).value
      await one.update(at, { 'deep/a/b': 'd', number: null, more: { x: 0 } })
      const updated = (await client().get(at)).value
      await one.remove(`${at}/deep`)
      await one.set(`${at}/list`, { 0: 'a', 2: 'c', empty: {} })
      const removed = (await client().once(at)).value
      await one.set(at, null)
      return [written, updated, removed, (await client().get(at)).value]
    },
    expected: [
      VALUE,
      { text: VALUE.text, yes: true, deep: { a: { b: 'd' } }, list: [1, 2, 3], more: { x: 0 } },
      { text: VALUE.text, yes: true, list: ['a', null, 'c'], more: { x: 0 } },
      null,
    ],
  },

  'keys of every kind have their order': {
    async run({ client, at }) {
      const value = Object.fromEntries(KEYS.toReversed().map((key) => [key, true]))
      await client().set(at, value)
      return (await client().get(at)).children
    },
    expected: KEYS,
  },

  'generated keys have the order of the calls': {
    async run({ client, at }) {
      const one = client()
      const made = Array.from({ length: 50 }, (_, index) => one.push(at, index))
      await Promise.all(made.map(({ done }) => done))
      const { children, value } = await client().get(at)
      const values = children.map((key) => (value as Record<string, unknown>)[key ?? ''])
      return { areSorted: children.join() === made.map(({ key }) => key).join(), values }
    },
    expected: { areSorted: true, values: Array.from({ length: 50 }, (_, index) => index) },
  },

  'priorities order a list': {
    async run({ client, at }) {
      const one = client()
      await one.setWithPriority(`${at}/a`, { x: 1 }, 3)
      await one.setWithPriority(`${at}/b`, 'leaf', 'text')
      await one.set(`${at}/c`, true)
      await one.setWithPriority(`${at}/d`, 0, 1)
      const first = await client().get(at)
      await one.setPriority(`${at}/a`, null)
      await one.setPriority(`${at}/c`, 'zz')
      const then = await client().get(at)
      return [first.children, first.exported, then.children]
    },
    expected: [
      ['c', 'd', 'a', 'b'],
      {
        a: { '.priority': 3, x: 1 },
        b: { '.priority': 'text', '.value': 'leaf' },
        c: true,
        d: { '.priority': 1, '.value': 0 },
      },
      ['a', 'd', 'b', 'c'],
    ],
  },

  'the time of the server is filled in': {
    async run({ client, at, sdk }) {
      const one = client()
      await one.set(at, { at: sdk.timestamp, x: 1 })
      await one.setWithPriority(`${at}/x`, 2, sdk.timestamp)
      const { value, exported } = await client().get(at)
      const { at: time } = value as { readonly at: number }
      const { x } = exported as { readonly x: { readonly '.priority': number } }
      const isTime = Number.isInteger(time) && time > Date.UTC(2020, 0)
      return { isTime, isLater: x['.priority'] >= time }
    },
    expected: { isTime: true, isLater: true },
  },

  'the server increments numbers': {
    needs: 'increment',
    async run({ client, at, sdk }) {
      const [one, two] = [client(), client()]
      const seen: unknown[] = []
      one.on(`${at}/n`, 'value', ({ value }) => seen.push(value))
      await one.set(at, { n: 1 })
      await Promise.all([1, 2, 3].map(() => two.update(at, { n: sdk.increment(1) })))
      await inStep(one, two, at)
      await one.set(`${at}/n`, sdk.increment(-0.5))
      const { value } = await two.get(`${at}/n`)
      return { value, seen: seen.filter((shown, index) => shown !== null && shown !== seen[index - 1]) }
    },
    expected: { value: 3.5, seen: [1, 2, 3, 4, 3.5] },
  },

  'a write that is too large fails, is undone, and others go on': {
    async run({ client, at }) {
      const part = 'x'.repeat(6_000_000)
      const [one, two] = [client(), client()]
      const seen: unknown[] = []
      const connected: unknown[] = []
      one.on(at, 'value', ({ value }) => seen.push(typeof value === 'object' && value !== null ? 'all' : value))
      one.on('.info/connected', 'value', ({ value }) => connected.push(value))
      await one.set(at, 1)
      const large = failureOf(() => one.set(at, { a: part, b: part, c: part }))
      const behind = one.set(`${at}-behind`, 2)
      const failure = await large
      await behind
      await one.set(at, 3)
      await inStep(two, one, at)
      return {
        failure,
        seen: seen.filter((value) => value !== null),
        connected: connected.filter((value) => value !== false),
        values: [(await two.once(at)).value, (await two.once(`${at}-behind`)).value],
      }
    },
    expected: {
      failure: 'TOO_BIG TOO_BIG: Data to write exceeds the maximum size that can be modified with a single request.',
      // It is shown until it is refused.
      seen: [1, 'all', 1, 3],
      connected: [true],
      values: [3, 2],
    },
  },

  'a value of five million characters': {
    async run({ client, at }) {
      const text = 'x狗'.repeat(LARGE / 2)
      const [one, two] = [client(), client()]
      const told = awaited(two, at, (value) => value !== null)
      await one.set(at, text)
      const isTold = (await told) === text
      return { isTold, isRead: (await client().get(at)).value === text }
    },
    expected: { isTold: true, isRead: true },
  },
}
