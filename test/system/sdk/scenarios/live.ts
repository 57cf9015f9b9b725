import { awaited, inStep, type Scenarios, watchChildren } from './scenario.ts'

export const LIVE: Scenarios = {
  'a value is told to another client in order': {
    async run({ client, at }) {
      const [one, two] = [client(), client()]
      const seen: unknown[] = []
      one.on(at, 'value', ({ value }) => seen.push(value))
      await inStep(one, two, at)
      for (const n of [1, 2, 3]) await two.set(at, { n })
      await two.update(at, { m: true })
      await two.remove(at)
      await inStep(one, two, at)
      return seen
    },
    expected: [null, { n: 1 }, { n: 2 }, { n: 3 }, { n: 3, m: true }, null],
  },

  'children come, change and go': {
    async run({ client, at }) {
      const [one, two] = [client(), client()]
      await two.set(at, { a: 1, c: 3 })
      const events = watchChildren(one, at)
      await inStep(one, two, at)
      await two.set(`${at}/b`, 2)
      await two.set(`${at}/c`, 4)
      await two.remove(`${at}/a`)
      await two.update(at, { b: null, d: 5 })
      await inStep(one, two, at)
      return events
    },
    expected: [
      'added a after null',
      'added c after a',
      'added b after a',
      'changed c after b',
      'removed a',
      'removed b',
      'added d after c',
    ],
  },

  'children move': {
    async run({ client, at }) {
      const [one, two] = [client(), client()]
      await two.set(at, { a: 1, b: 2, c: 3 })
      const events = watchChildren(one, at, [['orderByValue']])
      await inStep(one, two, at)
      await two.set(`${at}/a`, 9)
      await inStep(one, two, at)
      return events
    },
    expected: ['added a after null', 'added b after a', 'added c after b', 'moved a after c', 'changed a after c'],
  },

  'a client knows its connection and the time of the server': {
    async run({ client, at }) {
      const one = client()
      const seen: unknown[] = []
      one.on('.info/connected', 'value', ({ value }) => {
        if (value !== seen.at(-1)) seen.push(value)
      })
      await one.set(at, 1)
      const offset = (await one.once('.info/serverTimeOffset')).value
      one.goOffline()
      one.goOnline()
      await one.set(at, 2)
      return { seen: seen.slice(seen.indexOf(true)), isNear: Math.abs(Number(offset)) < 60_000 }
    },
    expected: { seen: [true, false, true], isNear: true },
  },

  'what is written offline is seen at once, and arrives in order': {
    async run({ client, at }) {
      const [one, two] = [client(), client()]
      const [own, others]: [unknown[], unknown[]] = [[], []]
      await one.set(at, { n: 0 })
      one.on(`${at}/n`, 'value', ({ value }) => own.push(value))
      two.on(`${at}/n`, 'value', ({ value }) => others.push(value))
      await inStep(two, one, at)
      one.goOffline()
      const written = [1, 2, 3].map((n) => one.update(at, { n, [`w${n}`]: true }))
      const seen = own.join()
      await two.set(`${at}/other`, 'kept')
      one.goOnline()
      await Promise.all(written)
      await inStep(two, one, at)
      return { seen, own: own.join(), others: others.join(), value: (await two.get(at)).value }
    },
    expected: {
      seen: '0,1,2,3',
      own: '0,1,2,3',
      others: '0,1,2,3',
      value: { n: 3, w1: true, w2: true, w3: true, other: 'kept' },
    },
  },

  'what changed while a client was offline is told when it is back': {
    async run({ client, at }) {
      const [one, two] = [client(), client()]
      await two.set(at, { a: 1, b: 2 })
      const events = watchChildren(one, at)
      await inStep(one, two, at)
      one.goOffline()
      await two.update(at, { a: null, b: 3, c: 4 })
      one.goOnline()
      await inStep(one, two, at)
      return events.toSorted()
    },
    expected: ['added a after null', 'added b after a', 'added c after b', 'changed b after null', 'removed a'],
  },

  'a client leaves what it wanted when it goes': {
    async run({ client, at, sdk }) {
      const [one, two] = [client(), client()]
      await one.set(at, { state: 'here', kept: 1, left: 1, forgotten: 1 })
      await one.onDisconnect(`${at}/state`).set('gone')
      await one.onDisconnect(at).update({ at: sdk.timestamp, left: null })
      await one.onDisconnect(`${at}/forgotten`).set(2)
      await one.onDisconnect(`${at}/forgotten`).cancel()
      one.goOffline()
      const isLeft = (value: unknown) => {
        const { at: time, left } = value as { readonly at?: unknown; readonly left?: unknown }
        return typeof time === 'number' && left === undefined
      }
      const { at: time, ...rest } = (await awaited(two, at, isLeft)) as { readonly at: number }
      await two.set(`${at}/state`, 'again')
      one.goOnline()
      await one.set(`${at}/kept`, 2)
      one.goOffline()
      one.goOnline()
      await one.set(`${at}/kept`, 3)
      return { rest, isTime: time > 0, state: (await two.get(`${at}/state`)).value }
    },
    expected: { rest: { state: 'gone', kept: 1, forgotten: 1 }, isTime: true, state: 'again' },
  },
}
