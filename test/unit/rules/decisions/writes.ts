import type { Decision } from './decision.ts'

const ANN = { uid: 'ann' }
const OWN = { users: { $u: { '.read': '$u === auth.uid', '.write': '$u === auth.uid' } } }

export const writes: readonly Decision[] = [
  {
    name: 'nothing is said',
    rules: {},
    request: { writes: { '/a': 1 } },
    allowed: false,
    trace: ['/a .write: no rule'],
  },
  { name: 'the root allows', rules: { '.write': true }, request: { writes: { '/a/b': 1 } }, allowed: true },
  { name: 'reading is not writing', rules: { '.read': true }, request: { writes: { '/a': 1 } }, allowed: false },
  {
    name: 'a rule above wins',
    rules: { '.write': true, a: { '.write': false } },
    request: { writes: { '/a': 1 } },
    allowed: true,
  },
  {
    name: 'a rule below does not count',
    rules: { a: { '.write': true } },
    request: { writes: { '/': { a: 1 } } },
    allowed: false,
  },
  { name: 'one who is named', rules: OWN, request: { auth: ANN, writes: { '/users/ann/x': 1 } }, allowed: true },
  { name: 'one who is not', rules: OWN, request: { auth: ANN, writes: { '/users/bob/x': 1 } }, allowed: false },
  {
    name: 'a delete needs .write too',
    rules: OWN,
    request: { auth: ANN, writes: { '/users/bob': null } },
    allowed: false,
  },
  {
    name: 'a priority needs .write of its node',
    rules: OWN,
    request: { auth: ANN, writes: { '/users/ann/.priority': 1 } },
    allowed: true,
  },
  {
    name: 'a priority of another',
    rules: OWN,
    request: { auth: ANN, writes: { '/users/bob/.priority': 1 } },
    allowed: false,
  },
  {
    name: 'every place of a patch',
    rules: OWN,
    request: { auth: ANN, writes: { '/users/ann/x': 1, '/users/bob/x': 1 } },
    allowed: false,
  },
  {
    name: 'every place of a patch, in the other order',
    rules: OWN,
    request: { auth: ANN, writes: { '/users/bob/x': 1, '/users/ann/x': 1 } },
    allowed: false,
  },
  {
    name: 'a patch within',
    rules: OWN,
    request: { auth: ANN, writes: { '/users/ann/x': 1, '/users/ann/y/z': 2 } },
    allowed: true,
    trace: ['/users/$u .write: "$u === auth.uid" is true'],
  },
  {
    name: 'a patch below no rule',
    rules: { a: { '.write': true } },
    request: { writes: { '/a/x': 1, '/b/x': 1 } },
    allowed: false,
  },
  { name: 'a patch of nothing', rules: { '.write': false }, request: { writes: {} }, allowed: true },
  {
    name: 'a rule over two places is asked once',
    rules: { '.write': false, a: { '.write': true }, b: { '.write': true } },
    request: { writes: { '/a': 1, '/b': 1 } },
    allowed: true,
    trace: ['/ .write: "false" is false', '/a .write: "true" is true', '/b .write: "true" is true'],
  },
  {
    name: 'newData stands at the rule',
    rules: { '.write': "newData.child('a/b').val() == 1" },
    request: { writes: { '/a/b': 1 } },
    allowed: true,
  },
  {
    name: 'newData is all of a patch',
    rules: { a: { '.write': "newData.parent().child('b').val() == 2" }, b: { '.write': true } },
    request: { writes: { '/a': 1, '/b': 2 } },
    allowed: true,
  },
  {
    name: 'data is before all of a patch',
    rules: { a: { '.write': "!data.parent().child('b').exists()" }, b: { '.write': true } },
    request: { writes: { '/a': 1, '/b': 2 } },
    allowed: true,
  },
  {
    name: 'only new nodes',
    rules: { $k: { '.write': '!data.exists()' } },
    request: { before: { a: 1 }, writes: { '/a': 2 } },
    allowed: false,
  },
  {
    name: 'no deletes',
    rules: { $k: { '.write': '!data.exists() || newData.exists()' } },
    request: { before: { a: 1 }, writes: { '/a': null } },
    allowed: false,
  },
  {
    name: 'time is that of the write',
    rules: { '.write': "newData.child('at').val() == now" },
    request: { now: 7, writes: { '/at': 7 } },
    allowed: true,
    timeless: false,
  },
]
