import type { Request } from './driver.ts'

/** A request, and what the rules say of it. */
export interface Decision {
  readonly name: string
  readonly rules: object
  readonly request: Request
  readonly allowed: boolean
  /** The verdict as long as the rules stay, whatever is written. */
  readonly fixed?: boolean
  /** The verdict whatever the time. */
  readonly timeless?: boolean
  /** Every rule that was looked at, in order. */
  readonly trace?: readonly string[]
}

const ANN = { uid: 'ann' }
const OWN = { users: { $u: { '.read': '$u === auth.uid', '.write': '$u === auth.uid' } } }

const reads: Decision[] = [
  {
    name: 'nothing is said',
    rules: {},
    request: { read: '/' },
    allowed: false,
    fixed: true,
    trace: ['/ .read: no rule'],
  },
  {
    name: 'nothing is said on the way',
    rules: OWN,
    request: { read: '/a/b' },
    allowed: false,
    fixed: true,
    trace: ['/a/b .read: no rule'],
  },
  { name: 'the root allows', rules: { '.read': true }, request: { read: '/a/b' }, allowed: true, fixed: true },
  {
    name: 'the root allows by an expression',
    rules: { '.read': 'true' },
    request: { read: '/' },
    allowed: true,
    fixed: true,
  },
  { name: 'the root denies', rules: { '.read': false }, request: { read: '/a' }, allowed: false, fixed: true },
  {
    name: 'a rule above wins over one below',
    rules: { '.read': true, a: { '.read': false } },
    request: { read: '/a' },
    allowed: true,
  },
  {
    name: 'a rule below opens',
    rules: { '.read': false, a: { '.read': true } },
    request: { read: '/a/b/c' },
    allowed: true,
  },
  { name: 'deeper rules are not looked at', rules: { a: { '.read': true } }, request: { read: '/' }, allowed: false },
  { name: 'a rule beside says nothing', rules: { a: { '.read': true } }, request: { read: '/b' }, allowed: false },
  {
    name: 'one who is named',
    rules: OWN,
    request: { read: '/users/ann/x', auth: ANN },
    allowed: true,
    fixed: true,
    trace: ['/users/$u .read: "$u === auth.uid" is true'],
  },
  {
    name: 'one who is not',
    rules: OWN,
    request: { read: '/users/bob', auth: ANN },
    allowed: false,
    fixed: true,
    trace: ['/users/$u .read: "$u === auth.uid" is false'],
  },
  { name: 'nobody', rules: OWN, request: { read: '/users/bob' }, allowed: false },
  {
    name: 'a literal key beats the wildcard',
    rules: { a: { '.read': false }, $k: { '.read': true } },
    request: { read: '/a' },
    allowed: false,
  },
  {
    name: 'the wildcard takes the others',
    rules: { a: { '.read': false }, $k: { '.read': true } },
    request: { read: '/b' },
    allowed: true,
  },
  {
    name: 'a literal key hides what is below the wildcard',
    rules: { a: {}, $k: { b: { '.read': true } } },
    request: { read: '/a/b' },
    allowed: false,
  },
  {
    name: 'keys of a prototype are keys',
    rules: { $k: { '.read': "$k == '__proto__'" } },
    request: { read: '/__proto__' },
    allowed: true,
  },
  {
    name: 'a prototype holds no rules',
    rules: { a: { '.read': true } },
    request: { read: '/constructor' },
    allowed: false,
  },
  {
    name: 'two wildcards',
    rules: { $a: { $b: { '.read': "$a + $b == 'xy'" } } },
    request: { read: '/x/y/z' },
    allowed: true,
  },
  {
    name: 'a priority is read as its node',
    rules: { a: { '.read': true } },
    request: { read: '/a/.priority' },
    allowed: true,
  },
  {
    name: 'data is that of the rule',
    rules: { a: { '.read': "data.child('open').val() == true" } },
    request: { read: '/a/b', before: { a: { open: true } } },
    allowed: true,
    fixed: false,
  },
  {
    name: 'data that is closed',
    rules: { a: { '.read': "data.child('open').val() == true" } },
    request: { read: '/a/b', before: { a: { open: false } } },
    allowed: false,
    fixed: false,
    timeless: true,
  },
  {
    name: 'an answer about the time is not fixed',
    rules: { '.read': 'now < 2000' },
    request: { read: '/' },
    allowed: true,
    fixed: false,
    timeless: false,
  },
  {
    name: 'a refusal for the time',
    rules: { '.read': 'now > 2000', a: { '.read': false } },
    request: { read: '/a' },
    allowed: false,
    fixed: false,
    timeless: false,
  },
  {
    name: 'a rule that failed after it saw the time',
    rules: { '.read': 'now > auth.uid' },
    request: { read: '/' },
    allowed: false,
    timeless: false,
  },
  {
    name: 'a rule about data after one about the time',
    rules: { '.read': 'now > 2000', a: { '.read': 'data.exists()' } },
    request: { read: '/a', before: { a: 1 } },
    allowed: true,
    fixed: false,
    timeless: true,
  },
  {
    name: 'time that did not matter',
    rules: { '.read': 'auth == null || now < 2000' },
    request: { read: '/' },
    allowed: true,
    fixed: true,
    timeless: true,
  },
  {
    name: 'a fixed rule after one that is not',
    rules: { '.read': 'data.val() == 1', a: { '.read': true } },
    request: { read: '/a', before: { b: 1 } },
    allowed: true,
    fixed: true,
  },
  {
    name: 'no after one that is not fixed',
    rules: { '.read': 'data.val() == 1', a: { '.read': false } },
    request: { read: '/a' },
    allowed: false,
    fixed: false,
  },
  {
    name: 'a rule that fails is false, the next one counts',
    rules: { '.read': '1 < null', a: { '.read': true } },
    request: { read: '/a' },
    allowed: true,
    trace: ['/ .read: "1 < null" failed: < needs two numbers or two strings (line 1)', '/a .read: "true" is true'],
  },
  {
    name: 'a membership kept elsewhere',
    rules: { rooms: { $r: { '.read': "root.child('members').child($r).hasChild(auth.uid)" } } },
    request: { read: '/rooms/r1', auth: ANN, before: { members: { r1: { ann: true } } } },
    allowed: true,
    fixed: false,
  },
  {
    name: 'the same for nobody',
    rules: { rooms: { $r: { '.read': "root.child('members').child($r).hasChild(auth.uid)" } } },
    request: { read: '/rooms/r1', before: { members: { r1: { ann: true } } } },
    allowed: false,
  },
  {
    name: 'the same name at another depth',
    rules: { a: { $k: { '.read': "$k == 'x'" } }, b: { c: { $k: { '.read': "$k == 'x'" } } } },
    request: { read: '/b/c/x' },
    allowed: true,
  },
]

const writes: Decision[] = [
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

const USER = { u: { '.write': true, $x: { '.validate': "newData.hasChildren(['name', 'age'])" } } }
const FOO = { foo: { '.write': true, '.validate': 'newData.isString() && newData.val().length < 3' } }
const NUMBERS = { '.write': true, $k: { '.validate': 'newData.isNumber()' } }

const validations: Decision[] = [
  { name: 'a short string', rules: FOO, request: { writes: { '/foo': 'ab' } }, allowed: true },
  { name: 'a longer one', rules: FOO, request: { writes: { '/foo': 'abc' } }, allowed: false },
  { name: 'a delete is free', rules: FOO, request: { before: { foo: 'ab' }, writes: { '/foo': null } }, allowed: true },
  { name: 'below a place that must be a string', rules: FOO, request: { writes: { '/foo/a': 'ab' } }, allowed: false },
  { name: 'above it', rules: { '.write': true, ...FOO }, request: { writes: { '/': { foo: 'abc' } } }, allowed: false },
  {
    name: 'above it, without it',
    rules: { '.write': true, ...FOO },
    request: { writes: { '/': { bar: 'abc' } } },
    allowed: true,
  },
  { name: 'above it, a leaf', rules: { '.write': true, ...FOO }, request: { writes: { '/': 1 } }, allowed: true },
  {
    name: 'an ancestor stays valid',
    rules: USER,
    request: { before: { u: { f: { name: 'F', age: 26 } } }, writes: { '/u/f/age': 27 } },
    allowed: true,
  },
  {
    name: 'an ancestor becomes invalid',
    rules: USER,
    request: { before: { u: { f: { name: 'F', age: 26 } } }, writes: { '/u/f/name': null } },
    allowed: false,
  },
  {
    name: 'an ancestor ceases to exist',
    rules: USER,
    request: { before: { u: { f: { name: 'F' } } }, writes: { '/u/f/name': null } },
    allowed: true,
    trace: ['/u .write: "true" is true'],
  },
  {
    name: 'a delete below a leaf changes nothing, which is not valid',
    rules: USER,
    request: { before: { u: { f: 5 } }, writes: { '/u/f/name': null } },
    allowed: false,
  },
  {
    name: 'a patch makes an ancestor valid at once',
    rules: USER,
    request: { writes: { '/u/f/name': 'F', '/u/f/age': 1 } },
    allowed: true,
  },
  {
    name: 'an ancestor of two places is asked once',
    rules: USER,
    request: { writes: { '/u/f/name': 'F', '/u/f/age': 1 } },
    allowed: true,
    trace: ['/u .write: "true" is true', "/u/$x .validate: \"newData.hasChildren(['name', 'age'])\" is true"],
  },
  { name: 'half of it is not enough', rules: USER, request: { writes: { '/u/f/name': 'F' } }, allowed: false },
  { name: 'every child of a payload', rules: NUMBERS, request: { writes: { '/': { a: 1, b: 2 } } }, allowed: true },
  { name: 'one child of a payload', rules: NUMBERS, request: { writes: { '/': { a: 1, b: 'x' } } }, allowed: false },
  {
    name: 'children that are not written are not asked',
    rules: NUMBERS,
    request: { before: { a: 'x' }, writes: { '/b': 1 } },
    allowed: true,
  },
  {
    name: 'a priority is no child',
    rules: NUMBERS,
    request: { writes: { '/': { a: 1, '.priority': 'p' } } },
    allowed: true,
  },
  {
    name: 'a leaf with a priority is a leaf',
    rules: NUMBERS,
    request: { writes: { '/a': { '.value': 1, '.priority': 'p' } } },
    allowed: true,
  },
  {
    name: 'such a leaf has no children',
    rules: { '.write': true, a: { $k: { '.validate': false } } },
    request: { writes: { '/a': { '.value': 1, '.priority': 'p' } } },
    allowed: true,
  },
  {
    name: 'a literal key beats the wildcard',
    rules: { '.write': true, a: {}, $k: { '.validate': false } },
    request: { writes: { '/': { a: 1 } } },
    allowed: true,
  },
  {
    name: 'no other children',
    rules: { '.write': true, a: {}, $other: { '.validate': false } },
    request: { writes: { '/': { a: 1, b: 1 } } },
    allowed: false,
  },
  {
    name: 'children of a prototype',
    rules: { '.write': true, $k: { '.validate': "$k == '__proto__'" } },
    request: { writes: { '/': JSON.parse('{"__proto__":1}') } },
    allowed: true,
  },
  {
    name: 'inherited members are no children',
    rules: { '.write': true, toString: { '.validate': false } },
    request: { writes: { '/': { a: 1 } } },
    allowed: true,
  },
  {
    name: 'the key that is matched',
    rules: { '.write': true, a: { $k: { '.validate': '$k.matches(/^[a-z]+$/)' } } },
    request: { writes: { '/a': { abc: 1, A1: 2 } } },
    allowed: false,
  },
  {
    name: 'data of a validation is before',
    rules: { '.write': true, $k: { '.validate': '!data.exists() || newData.val() > data.val()' } },
    request: { before: { a: 1 }, writes: { '/': { a: 2, b: 1 } } },
    allowed: true,
  },
  {
    name: 'a counter that falls',
    rules: { '.write': true, $k: { '.validate': '!data.exists() || newData.val() > data.val()' } },
    request: { before: { a: 1 }, writes: { '/a': 1 } },
    allowed: false,
  },
  {
    name: 'another place of the payload',
    rules: { '.write': true, a: { '.validate': "newData.parent().child('b').exists()" } },
    request: { writes: { '/': { a: 1, b: 1 } } },
    allowed: true,
  },
  {
    name: 'another place of the patch',
    rules: { '.write': true, a: { '.validate': "newData.parent().child('b').exists()" } },
    request: { writes: { '/a': 1, '/b': 1 } },
    allowed: true,
  },
  {
    name: 'another place that is deleted',
    rules: { '.write': true, a: { '.validate': "newData.parent().child('b').exists()" } },
    request: { before: { b: 1 }, writes: { '/a': 1, '/b': null } },
    allowed: false,
  },
  {
    name: 'a rule that fails is not valid',
    rules: { '.write': true, '.validate': '1 < null' },
    request: { writes: { '/a': 1 } },
    allowed: false,
  },
  {
    name: 'nothing below is said by the validation above',
    rules: { '.write': true, '.validate': true, a: { '.validate': false } },
    request: { writes: { '/a': 1 } },
    allowed: false,
  },
  { name: '.validate allows nothing', rules: { '.validate': true }, request: { writes: { '/a': 1 } }, allowed: false },
  {
    name: 'a priority validates its node',
    rules: { '.write': true, a: { '.validate': 'newData.getPriority() < 5' } },
    request: { before: { a: 1 }, writes: { '/a/.priority': 5 } },
    allowed: false,
  },
  {
    name: 'a priority keeps the value',
    rules: { '.write': true, a: { '.validate': 'newData.getPriority() < 5 && newData.val() == 1' } },
    request: { before: { a: 1 }, writes: { '/a/.priority': 4 } },
    allowed: true,
  },
  {
    name: 'a priority of nothing',
    rules: { '.write': true, a: { '.validate': false } },
    request: { writes: { '/a/.priority': 4 } },
    allowed: true,
  },
  {
    name: 'a priority beside a child',
    rules: { '.write': true, a: { '.validate': "newData.getPriority() == 4 && newData.child('b').val() == 1" } },
    request: { writes: { '/a/.priority': 4, '/a/b': 1 } },
    allowed: true,
  },
  {
    name: 'writing below a leaf keeps its priority',
    rules: {
      '.write': true,
      a: { '.validate': 'newData.getPriority() == 4 && newData.hasChildren() && !newData.isNumber()' },
    },
    request: { before: { a: { '.value': 1, '.priority': 4 } }, writes: { '/a/b': 1 } },
    allowed: true,
  },
  {
    name: 'writing over a node loses its priority',
    rules: { '.write': true, a: { '.validate': 'newData.getPriority() == null' } },
    request: { before: { a: { '.value': 1, '.priority': 4 } }, writes: { '/a': 2 } },
    allowed: true,
  },
  {
    name: 'the root is asked for whatever is below',
    rules: { '.write': true, '.validate': "newData.hasChild('a')" },
    request: { before: { a: 1 }, writes: { '/b/c/d': 1 } },
    allowed: true,
  },
  {
    name: 'the root is asked when a child goes',
    rules: { '.write': true, '.validate': "newData.hasChild('a')" },
    request: { before: { a: 1, b: 1 }, writes: { '/a': null } },
    allowed: false,
  },
  {
    name: 'the root goes',
    rules: { '.write': true, '.validate': "newData.hasChild('a')" },
    request: { before: { a: 1 }, writes: { '/a': null } },
    allowed: true,
  },
  {
    name: 'deep below the wildcards',
    rules: { '.write': true, $a: { $b: { c: { '.validate': '$a == newData.val() && $b.length == 1' } } } },
    request: { writes: { '/': { x: { y: { c: 'x' } }, z: { w: { c: 'z' }, v: { d: 1 } } } } },
    allowed: true,
  },
]

export const DECISIONS: Readonly<Record<string, readonly Decision[]>> = { reads, writes, validations }
