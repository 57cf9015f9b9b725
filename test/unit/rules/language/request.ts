import type { Value } from '../../../../src/tree/value.ts'

/** An expression and what it says: a boolean, or why it has no answer. */
export type Row = readonly [expression: string, says: boolean | string]

/** The tree before the write that the expressions below are asked about. */
export const BEFORE: Value = {
  users: {
    ann: { name: 'Ann', age: 30, tags: { a: true, b: false }, note: { '.value': 'n', '.priority': 5 } },
    bob: { name: 'Bob', '.priority': 'low' },
  },
  n: 7,
  zero: 0,
  s: 'Hello world',
  e: '',
  t: true,
  f: false,
  big: { '1': 'one', __proto__x: 1 },
}

export const AUTH = {
  uid: 'ann',
  provider: 'custom',
  n: 5,
  ok: true,
  no: false,
  nil: null,
  key: 'uid',
  'a-b': 'dash',
  token: { email: 'ann@x.io', admin: true, list: ['a', 'b'], deep: { x: { y: 1 } }, empty: {} },
}

/** Where it goes and what it leaves behind. The rule stands at `/users/$u`. */
export const PLACE = '/users/ann'
export const WRITTEN: Value = {
  name: 'Anna',
  age: 31,
  extra: { x: 1, y: { '.value': 2, '.priority': 'p' } },
  '.priority': 9,
}
export const NOW = 1000
