import { K, M, P } from '../data-sets.ts'
import type { Case } from '../interpreter.ts'
import { answering, choosing, inOrder } from './steps.ts'

const _x = (length: number, rest = ''): string => 'x'.repeat(length) + rest
const deep = {
  a: { b: { c: 2 } },
  d: { b: 'leaf' },
  e: { b: { c: 1, x: 1 } },
  f: 'leaf',
  g: { b: { c: { d: 1 } } },
  h: { b: { d: 1 } },
}
const names = {
  a: { __proto__x: 1, constructor: 2 },
  b: 'text',
  c: { length: 1 },
  d: { toString: 'own' },
}
const keys = { '-5': 1, '0': 1, '7': 1, '07': 1, '007': 1, '10': 1, '2147483647': 1, '2147483648': 1, A: 1, a: 1, é: 1 }

/** Sections 3.1, 3.3 and 3.4: paths of children, keys and priorities to sort by. */
export const orderQueries: readonly Case[] = [
  {
    name: '3.1 a path of children',
    data: { d: deep },
    steps: choosing('/d.json', deep, {
      'orderBy="b/c"': 'd f h e a g',
      'orderBy="/b/c"': 'd f h e a g',
      'orderBy="b/c/"': 'd f h e a g',
      'orderBy="/b/c/"&startAt=2': 'a g',
      'orderBy="b/c"&equalTo=null': 'd f h',
      'orderBy="b/c"&equalTo=null,"f"': 'f',
      'orderBy="b/c/d"&startAt=1': 'g',
      'orderBy="b"': 'f d a e g h',
      'orderBy="b\\/c"&equalTo=1': 'e',
      'orderBy="\\u0062/c"&equalTo=1': 'e',
      'orderBy="none/of/these"': 'a d e f g h',
      [`orderBy="${Array.from({ length: 32 }, () => 'k').join('/')}"`]: 'a d e f g h',
    }),
  },
  {
    name: '3.1 a path of children through arrays and priorities',
    data: {
      l: {
        a: { t: ['x', 'c'] },
        b: { t: ['x', { '.value': 'b', '.priority': 9 }], '.priority': 1 },
        c: { t: { '1': 'a', '.priority': 5 } },
        d: { t: ['x'] },
      },
    },
    steps: answering('/l.json', {
      'orderBy="t/1"': '{"d":{"t":["x"]},"c":{"t":{"1":"a"}},"b":{"t":["x","b"]},"a":{"t":["x","c"]}}',
      'orderBy="t/1"&equalTo="b"': '{"b":{"t":["x","b"]}}',
      'orderBy="t/01"&startAt="a"': '{}',
    }),
  },
  {
    name: '1.4 a twice encoded order',
    data: M,
    steps: [
      { send: 'GET /m.json?orderBy=%2522h%2522&equalTo="x"', text: inOrder(M.m, 'c') },
      { send: 'GET /m.json?orderBy=%2522%2524key%2522&limitToFirst=1', text: inOrder(M.m, 'a') },
      { send: 'GET /m.json?orderBy=%2522h%252Fz%2522&equalTo=1', text: inOrder(M.m, 'e') },
      { send: 'GET /m.json?orderBy=%22h%22&equalTo=%22x%22', text: inOrder(M.m, 'c') },
      { send: 'GET /m.json?%6FrderBy=%22h%22&equalTo=%22x%22', text: inOrder(M.m, 'c') },
    ],
  },
  {
    name: '1.1 names that are no keys of the data',
    data: { n: names },
    steps: choosing('/n.json', names, {
      'orderBy="constructor"&startAt=null': 'b c d a',
      'orderBy="constructor"&startAfter=null': 'a',
      'orderBy="length"&startAfter=null': 'c',
      'orderBy="toString"&startAfter=null': 'd',
      'orderBy="__proto__"&startAfter=null': '',
      'orderBy="0"&startAfter=null': '',
      'orderBy="hasOwnProperty"&startAfter=null': '',
    }),
  },
  {
    name: '3.3 ties in key order',
    data: { t: keys },
    steps: answering('/t.json', {
      'orderBy="$value"': '{"-5":1,"0":1,"7":1,"07":1,"007":1,"10":1,"2147483647":1,"2147483648":1,"A":1,"a":1,"é":1}',
      'orderBy="$priority"&limitToLast=4': '{"2147483648":1,"A":1,"a":1,"é":1}',
      'orderBy="$value"&startAt=1,"7"&endAt=1,"10"': '{"7":1,"07":1,"007":1,"10":1}',
      'orderBy="$value"&startAfter=1,"7"&endBefore=1,"10"': '{"07":1,"007":1}',
      'orderBy="$value"&startAt=1,"8"&limitToFirst=1': '{"10":1}',
      'orderBy="$value"&startAt=1,""': '{"2147483648":1,"A":1,"a":1,"é":1}',
      'orderBy="$value"&startAfter=1,"2147483647"&limitToFirst=1': '{"2147483648":1}',
      'orderBy="$value"&equalTo=1,"07"': '{"07":1}',
      'orderBy="$value"&equalTo=1,"00007"': '{}',
      'orderBy="$value"&endAt=1,"-6"': '{}',
      'orderBy="$value"&startAt=1,"b.#$/"': '{"é":1}',
    }),
  },
  {
    name: '3.3 bounds of keys as text',
    data: K,
    steps: answering('/k.json', {
      'orderBy="$key"&startAt="10"': '{"10":"t","9":"n","B":"b","a":"A"}',
      'orderBy="$key"&startAfter="10"': '{"9":"n","B":"b","a":"A"}',
      'orderBy="$key"&startAt="2"': '{"9":"n","B":"b","a":"A"}',
      'orderBy="$key"&endAt="9"': '{"1":"o","10":"t","9":"n"}',
      'orderBy="$key"&endBefore="9"': '{"1":"o","10":"t"}',
      'orderBy="$key"&equalTo="9"': '{"9":"n"}',
      'orderBy="$key"&equalTo="09"': '{}',
      'orderBy="$key"&equalTo="b"': '{}',
      'orderBy="$key"&startAt=""': '{"1":"o","10":"t","9":"n","B":"b","a":"A"}',
      'orderBy="$key"&endAt=""': '{}',
      'orderBy="$key"&startAt="\\u0000"&limitToFirst=1': '{"1":"o"}',
      'orderBy="$key"&startAt="1"&endAt="1\uF8FF"': '{"1":"o","10":"t"}',
      'orderBy="$key"&startAt="10"&endAt="B"&limitToLast=2': '{"9":"n","B":"b"}',
      'orderBy="$key"&startAt="b"&endAt="a"': '{}',
    }),
  },
  {
    name: '3.4 priorities of every kind',
    data: {
      p: {
        ...P.p,
        a: { '.priority': 'a', n: 1 },
        c: { '.value': 'c', '.priority': 2 },
        '3': { '.value': true, '.priority': 2 },
        d: { deep: { '.value': 1, '.priority': 1 } },
      },
    },
    steps: answering('/p.json', {
      'orderBy="$priority"': '{"d":{"deep":1},"z":3,"3":true,"c":"c","w":4,"y":2,"a":{"n":1},"x":1}',
      'orderBy="$priority"&equalTo=2': '{"3":true,"c":"c","w":4}',
      'orderBy="$priority"&equalTo="2"': '{}',
      'orderBy="$priority"&equalTo=null': '{"d":{"deep":1},"z":3}',
      'orderBy="$priority"&endAt=null': '{"d":{"deep":1},"z":3}',
      'orderBy="$priority"&endBefore=null': '{}',
      'orderBy="$priority"&startAfter=null&endAt=2': '{"3":true,"c":"c","w":4}',
      'orderBy="$priority"&startAt=null&endBefore="a"': '{"d":{"deep":1},"z":3,"3":true,"c":"c","w":4,"y":2}',
      'orderBy="$priority"&startAt=3': '{"y":2,"a":{"n":1},"x":1}',
      'orderBy="$priority"&startAt="a"': '{"a":{"n":1},"x":1}',
      'orderBy="$priority"&startAt=2,"c"&endAt=10,"y"': '{"c":"c","w":4,"y":2}',
      'orderBy="$priority"&startAfter=2,"3"&limitToFirst=1': '{"c":"c"}',
      'orderBy="$priority"&equalTo=2,"w"': '{"w":4}',
      'orderBy="$priority"&limitToLast=2': '{"a":{"n":1},"x":1}',
    }),
  },
  {
    name: '3.5 the leaf counts where a child has a priority',
    data: P,
    steps: answering('/p.json', {
      'orderBy="$value"': '{"x":1,"y":2,"z":3,"w":4}',
      'orderBy="$value"&startAt=2&endAt=3': '{"y":2,"z":3}',
      'orderBy="$key"&limitToLast=2': '{"y":2,"z":3}',
    }),
  },
  {
    name: '3 the root is a list too',
    data: M.m,
    steps: [
      ...choosing('/.json', M.m, {
        'orderBy="$key"&limitToFirst=2': 'a b',
        'orderBy="h"': 'd b f i a g c e',
        'orderBy="h"&equalTo=2&limitToLast=1': 'g',
        'orderBy="$priority"&limitToLast=1': 'i',
      }),
      { send: 'GET /.json?orderBy="h"&startAt=2&count=true', text: '4' },
      { send: 'GET /.json?shallow=true&limitToLast=2', text: '{"g":true,"i":true}' },
    ],
  },
]
