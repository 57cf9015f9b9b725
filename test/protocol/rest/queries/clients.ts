import { SECRET } from '../../../support/https-server.ts'
import { K, M, P, S } from '../data-sets.ts'
import { errors, noIndex } from '../errors.ts'
import type { Case } from '../interpreter.ts'
import { firebaseSortedQueries } from './sorted.ts'
import { answering, choosing } from './steps.ts'

/** What Firebase clients, and all clients of an application of that profile, are answered. */
export const firebaseQueries: readonly Case[] = [
  {
    name: '61 keys that are integers come first, by value',
    data: K,
    steps: [{ send: 'GET /k.json?orderBy="$key"', text: '{"1":"o","9":"n","10":"t","B":"b","a":"A"}' }],
  },
  ...firebaseSortedQueries,
  {
    name: '3.3 bounds of keys in key order',
    data: K,
    steps: answering('/k.json', {
      'orderBy="$key"&startAt="9"': '{"9":"n","10":"t","B":"b","a":"A"}',
      'orderBy="$key"&startAt="2"': '{"9":"n","10":"t","B":"b","a":"A"}',
      'orderBy="$key"&startAfter="09"': '{"10":"t","B":"b","a":"A"}',
      'orderBy="$key"&endAt="10"': '{"1":"o","9":"n","10":"t"}',
      'orderBy="$key"&endBefore="9"': '{"1":"o"}',
      'orderBy="$key"&startAt="A"': '{"B":"b","a":"A"}',
      'orderBy="$key"&startAt=""': '{"B":"b","a":"A"}',
      'orderBy="$key"&startAt="\\u0001"': '{"B":"b","a":"A"}',
      'orderBy="$key"&endAt="\\u00014294967295"': '{"1":"o","9":"n","10":"t"}',
      'orderBy="$key"&equalTo="10"': '{"10":"t"}',
      'orderBy="$key"&equalTo="010"': '{}',
      'orderBy="$key"&startAt="2147483648"': '{"B":"b","a":"A"}',
      'orderBy="$key"&startAt="1"&endAt="1\uF8FF"': '{"1":"o","9":"n","10":"t"}',
      'orderBy="$key"&endAt="9"&count=true': '2',
      'orderBy="$key"&startAt="[MIN_NAME]"&limitToFirst=1': '{"1":"o"}',
      'orderBy="$key"&endAt="[MAX_NAME]"&limitToLast=1': '{"a":"A"}',
      'orderBy="$key"&endBefore="[MIN_NAME]"': '{}',
      'orderBy="$key"&startAfter="[MAX_NAME]"': '{}',
      'orderBy="$value"&startAfter="o","[MAX_NAME]"': '{"10":"t"}',
    }),
  },
  {
    name: '1.1 eleven elements are in order as numbers',
    data: { l: Array.from({ length: 11 }, (_, index) => index) },
    steps: answering('/l.json', {
      'orderBy="$key"': '[0,1,2,3,4,5,6,7,8,9,10]',
      'orderBy="$key"&limitToLast=1': '{"10":10}',
    }),
  },
  {
    name: '3.1 ranges that begin or end at a boolean',
    data: M,
    steps: choosing('/m.json', M.m, {
      'orderBy="h"&startAt=false': 'b f i a g c e',
      'orderBy="h"&startAt=true': 'f i a g c e',
      'orderBy="h"&endAt=true': 'd b f',
      'orderBy="h"&endAt=false': 'd b',
      'orderBy="h"&startAt=false&endAt=true': 'b f',
      'orderBy="h"&startAt=null&endAt=false': 'd b',
      'orderBy="h"&startAt=true,"f"&limitToFirst=2': 'f i',
      'orderBy="h"&startAt=true,"g"&limitToFirst=1': 'i',
      'orderBy="h"&endAt=true,"e"': 'd b',
      'orderBy="$value"&startAt=true': 'a b c d e f g i',
      'orderBy="$value"&endAt=true': '',
    }),
  },
  {
    name: '3.1 ranges with ends of two types',
    data: { ...M, ...P },
    steps: [
      ...choosing('/m.json', M.m, {
        'orderBy="h"&startAt=2&endAt="x"': 'a g c',
        'orderBy="h"&startAt=true&endAt=0': 'f i',
        'orderBy="h"&startAt="a"&endAt=5': '',
        'orderBy="h"&startAt=2,"g"&endAt="x","c"': 'g c',
      }),
      { send: 'GET /p.json?orderBy="$priority"&startAt=10&endAt="b"', text: '{"y":2,"x":1}' },
    ],
  },
  {
    name: '3.1 what is refused all the same',
    data: { ...M, ...K },
    steps: [
      { send: 'GET /m.json?limitToFirst=1', error: errors.noOrder },
      { send: 'GET /m.json?orderBy="h"&orderBy="h"', error: errors.order },
      { send: 'GET /m.json?orderBy="$priority"&startAt=true', error: errors.priorityBoolean },
      { send: 'GET /k.json?orderBy="$key"&startAt=true', error: errors.keyBound },
      { send: 'GET /m.json?orderBy="h"&equalTo=2&startAt=1', error: errors.bounds },
    ],
  },
]

const posts = { a: { n: 2, o: { p: 1 } }, b: { n: 1 } }

/** Declared indexes for `indexedQueries`. */
export const declaredIndexes = {
  '/scores': ['.value'],
  '/m': ['h', 'a/b'],
  '/users/$u/posts': ['n', 'o/p'],
} as const

/** Section 3.7 where an index is required and some are declared. */
export const indexedQueries: readonly Case[] = [
  {
    name: '77 a declared index',
    data: S,
    steps: [{ send: 'GET /scores.json?orderBy="$value"', text: '{"eve":5,"bob":21,"ann":55,"cat":80,"dan":93}' }],
  },
  {
    name: '3.7 child paths that are declared',
    data: M,
    steps: [
      ...choosing('/m.json', M.m, {
        'orderBy="h"&startAt=2': 'a g c e',
        'orderBy="/h/"&startAt=2&limitToFirst=1': 'a',
        'orderBy="a/b"&limitToFirst=1': 'a',
      }),
      { send: 'GET /m.json?orderBy="h"&startAt=2&count=true', text: '4' },
      { send: 'GET /m.json?orderBy="a"', error: noIndex('a', '/m') },
      { send: 'GET /m.json?orderBy="b"', error: noIndex('b', '/m') },
      { send: 'GET /m.json?orderBy="h/z"', error: noIndex('h/z', '/m') },
      { send: 'GET /m.json?orderBy="$value"', error: noIndex('.value', '/m') },
      { send: 'GET /m/a.json?orderBy="h"', error: noIndex('h', '/m/a') },
      { send: 'GET /.json?orderBy="h"', error: noIndex('h', '/') },
    ],
  },
  {
    name: '3.7 a key that stands for all',
    data: { users: { ann: { posts }, bob: { posts, drafts: posts } } },
    steps: [
      ...['/users/ann/posts', '/users/bob/posts'].flatMap((path) =>
        choosing(`${path}.json`, posts, { 'orderBy="n"': 'b a', 'orderBy="o/p"&startAt=1': 'a' }),
      ),
      { send: 'GET /users/nobody/posts.json?orderBy="n"', text: 'null' },
      { send: 'GET /users/ann/posts.json?orderBy="o"', error: noIndex('o', '/users/ann/posts') },
      { send: 'GET /users/bob/drafts.json?orderBy="n"', error: noIndex('n', '/users/bob/drafts') },
      { send: 'GET /users/ann.json?orderBy="n"', error: noIndex('n', '/users/ann') },
      { send: 'GET /users/ann/posts/a.json?orderBy="n"', error: noIndex('n', '/users/ann/posts/a') },
      { send: 'GET /users/ann/more/posts.json?orderBy="n"', error: noIndex('n', '/users/ann/more/posts') },
    ],
  },
  {
    name: '3.7 keys and priorities are always indexed',
    data: { ...K, ...P },
    steps: [
      { send: 'GET /k.json?orderBy="$key"&limitToFirst=1', text: '{"1":"o"}' },
      { send: 'GET /p.json?orderBy="$priority"&limitToFirst=1', text: '{"z":3}' },
      { send: 'GET /.json?orderBy="$key"&count=true', text: '2' },
      { send: 'GET /k.json?shallow=true&limitToFirst=1', text: '{"1":true}' },
      { send: 'GET /k.json?count=true', text: '5' },
    ],
  },
]

/** Section 3.7 where an index is required and none is declared. */
export const requiredIndexes: readonly Case[] = [
  {
    name: '76 an index that is missing',
    data: S,
    steps: [{ send: 'GET /scores.json?orderBy="$value"', error: noIndex('.value', '/scores') }],
  },
  {
    name: '3.7 whoever asks, whatever is there',
    data: S,
    steps: [
      {
        send: `GET /scores.json?orderBy="$value"&auth=${encodeURIComponent(SECRET)}`,
        error: noIndex('.value', '/scores'),
      },
      { send: 'GET /scores.json?orderBy="$value"&ns=app', error: noIndex('.value', '/scores') },
      { send: 'GET /scores.json?orderBy="$value"&startAt=50&count=true', error: noIndex('.value', '/scores') },
      { send: 'GET /none.json?orderBy="h"', error: noIndex('h', '/none') },
      { send: 'GET /a/b%20c/.json?orderBy="/d/e/"', error: noIndex('d/e', '/a/b c') },
      { send: 'GET /scores.json?orderBy="$value"&auth=wrong', error: errors.token },
      { send: 'GET /scores.json?orderBy="$value"&startAt=x', error: errors.bound },
      { send: 'GET /scores.json?limitToFirst=1', error: errors.noOrder },
    ],
  },
  {
    name: '3.7 keys and priorities need no declaration',
    data: S,
    steps: [
      { send: 'GET /scores.json?orderBy="$key"&limitToLast=1', text: '{"eve":5}' },
      { send: 'GET /scores.json?orderBy="$priority"&limitToLast=1', text: '{"eve":5}' },
    ],
  },
]
