import type { Step } from './client.ts'
import { inStep, type Scenario, type Scenarios, watchChildren } from './scenario.ts'

const PEOPLE = {
  ann: { age: 30, home: { town: 'Oulu' } },
  bob: { age: 20 },
  cat: { age: 30, home: { town: 'Espoo' } },
  dan: { age: 40 },
  eve: { '.priority': 5, name: 'no age' },
}
const VALUES = { a: 3, b: 'text', c: true, d: 1, e: false, f: 3 }

/** Steps, the list that they are of, and the children that they choose. */
type Row = readonly [list: 'people' | 'values', steps: readonly Step[], chosen: string]

const QUERIES: readonly Row[] = [
  ['people', [['orderByKey'], ['limitToFirst', 2]], 'ann bob'],
  ['people', [['limitToLast', 2]], 'dan eve'],
  ['people', [['orderByKey'], ['startAt', 'bob'], ['endAt', 'cat']], 'bob cat'],
  ['people', [['orderByKey'], ['equalTo', 'dan']], 'dan'],
  [
    'people',
    [
      ['orderByChild', 'age'],
      ['equalTo', 30],
    ],
    'ann cat',
  ],
  [
    'people',
    [
      ['orderByChild', 'age'],
      ['equalTo', 30, 'cat'],
    ],
    'cat',
  ],
  [
    'people',
    [
      ['orderByChild', 'age'],
      ['startAt', 30],
      ['limitToFirst', 2],
    ],
    'ann cat',
  ],
  [
    'people',
    [
      ['orderByChild', 'age'],
      ['startAt', 30, 'cat'],
    ],
    'cat dan',
  ],
  [
    'people',
    [
      ['orderByChild', 'age'],
      ['endAt', 20],
    ],
    'eve bob',
  ],
  [
    'people',
    [
      ['orderByChild', 'age'],
      ['endAt', 30],
      ['limitToLast', 1],
    ],
    'cat',
  ],
  [
    'people',
    [
      ['orderByChild', 'age'],
      ['equalTo', null],
    ],
    'eve',
  ],
  [
    'people',
    [
      ['orderByChild', 'home/town'],
      ['startAt', 'F'],
    ],
    'ann',
  ],
  ['people', [['orderByPriority'], ['startAt', 1]], 'eve'],
  ['people', [['orderByPriority'], ['limitToLast', 2]], 'dan eve'],
  ['values', [['orderByValue'], ['limitToLast', 3]], 'a f b'],
  ['values', [['orderByValue'], ['equalTo', 3]], 'a f'],
  ['values', [['orderByValue'], ['startAt', true], ['endAt', 2]], 'c d'],
  ['values', [['orderByValue'], ['equalTo', 'nothing']], ''],
]

const LATER: readonly Row[] = [
  ['people', [['orderByKey'], ['startAfter', 'bob'], ['endBefore', 'eve']], 'cat dan'],
  [
    'people',
    [
      ['orderByChild', 'age'],
      ['startAfter', 20],
      ['limitToFirst', 1],
    ],
    'ann',
  ],
  [
    'people',
    [
      ['orderByChild', 'age'],
      ['startAfter', 30, 'ann'],
      ['limitToFirst', 1],
    ],
    'cat',
  ],
  [
    'people',
    [
      ['orderByChild', 'age'],
      ['endBefore', 30],
    ],
    'eve bob',
  ],
  [
    'people',
    [
      ['orderByChild', 'age'],
      ['endBefore', 30, 'cat'],
      ['limitToLast', 1],
    ],
    'ann',
  ],
  ['values', [['orderByValue'], ['startAfter', 3]], 'b'],
  ['values', [['orderByValue'], ['endBefore', 3]], 'e c d'],
]

/** What each query chooses, by `get` and by a listener. */
function choosing(rows: readonly Row[]): Pick<Scenario, 'run' | 'expected'> {
  return {
    async run({ client, at }) {
      const one = client()
      await one.set(at, { people: PEOPLE, values: VALUES })
      // Every query on a connection of its own list: a client answers from what it has.
      return Promise.all(
        rows.map(async ([list, steps]) => {
          const [read, told] = [await client().get(`${at}/${list}`, steps), await client().once(`${at}/${list}`, steps)]
          return [steps.flat().join(' '), read.children.join(' '), told.children.join(' ')]
        }),
      )
    },
    expected: rows.map(([, steps, chosen]) => [steps.flat().join(' '), chosen, chosen]),
  }
}

const CHANGES: readonly (readonly [path: string, value: unknown])[] = [
  ['dan/age', 10],
  ['fay', { age: 50 }],
  ['bob', null],
  ['cat/age', 35],
]

/** Steps of a window, and its events from the beginning through all changes. */
const WINDOWS: readonly (readonly [steps: readonly Step[], events: string])[] = [
  [
    [
      ['orderByChild', 'age'],
      ['limitToLast', 2],
    ],
    'added cat after null, added dan after cat, removed dan, added ann after null, removed ann, added fay after cat, moved cat after null, changed cat after null',
  ],
  [
    [
      ['orderByChild', 'age'],
      ['limitToFirst', 2],
    ],
    'added eve after null, added bob after eve, removed bob, added dan after eve',
  ],
  [
    [
      ['orderByChild', 'age'],
      ['startAt', 30],
      ['endAt', 45],
    ],
    'added ann after null, added cat after ann, added dan after cat, removed dan, moved cat after ann, changed cat after ann',
  ],
  [
    [['orderByKey'], ['limitToFirst', 2]],
    'added ann after null, added bob after ann, removed bob, added cat after ann, changed cat after ann',
  ],
]

const windows: Scenario = {
  async run({ client, at }) {
    const writer = client()
    await writer.set(at, PEOPLE)
    const readers = WINDOWS.map(([steps]) => {
      const reader = client()
      return { reader, events: watchChildren(reader, at, steps) }
    })
    const allInStep = async () => {
      for (const { reader } of readers) await inStep(reader, writer, at)
    }
    await allInStep()
    for (const [path, value] of CHANGES) {
      await writer.set(`${at}/${path}`, value)
      // Changes that come together may be one event.
      await allInStep()
    }
    return readers.map(({ events }) => events.join(', '))
  },
  expected: WINDOWS.map(([, events]) => events),
}

export const CHOICES: Scenarios = {
  'queries choose children in order': choosing(QUERIES),
  'queries with bounds that are left out': { needs: 'startAfter', ...choosing(LATER) },
  'children enter and leave what queries choose': windows,
}
