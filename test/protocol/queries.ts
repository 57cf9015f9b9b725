import { K, M, P, S } from './data-sets.ts'
import type { Case } from './interpreter.ts'
import { queryAnswers } from './query-answers.ts'
import { answering, choosing, inOrder } from './query-steps.ts'
import { queryWrites } from './query-writes.ts'
import { sortedQueries } from './sorted-queries.ts'

/** Conformance examples of section 9. */
const examples: readonly Case[] = [
  {
    name: '41 count with an order and a bound',
    data: S,
    steps: [{ send: 'GET /scores.json?orderBy="$value"&startAt=50&count=true', text: '3' }],
  },
  {
    name: '49 the last three',
    data: S,
    steps: [{ send: 'GET /scores.json?orderBy="$value"&limitToLast=3', text: '{"ann":55,"cat":80,"dan":93}' }],
  },
  {
    name: '50 the first two',
    data: S,
    steps: [{ send: 'GET /scores.json?orderBy="$value"&limitToFirst=2', text: '{"eve":5,"bob":21}' }],
  },
  {
    name: '51 a range of values',
    data: S,
    steps: [{ send: 'GET /scores.json?orderBy="$value"&startAt=21&endAt=55', text: '{"bob":21,"ann":55}' }],
  },
  {
    name: '52 a text is no number',
    data: S,
    steps: [{ send: 'GET /scores.json?orderBy="$value"&equalTo="55"', text: '{}' }],
  },
  {
    name: '53 a range of keys',
    data: S,
    steps: [{ send: 'GET /scores.json?orderBy="$key"&startAt="b"&endAt="d"', text: '{"bob":21,"cat":80}' }],
  },
  {
    name: '54 behind a value',
    data: S,
    steps: [{ send: 'GET /scores.json?orderBy="$value"&startAfter=21&limitToFirst=1', text: '{"ann":55}' }],
  },
  {
    name: '55 values of every kind',
    data: M,
    steps: [{ send: 'GET /m.json?orderBy="h"', text: inOrder(M.m, 'd b f i a g c e') }],
  },
  {
    name: '56 children without the value',
    data: M,
    steps: [{ send: 'GET /m.json?orderBy="h"&equalTo=null', text: inOrder(M.m, 'd') }],
  },
  {
    name: '57 text and objects are above numbers',
    data: M,
    steps: [{ send: 'GET /m.json?orderBy="h"&startAt=2', text: inOrder(M.m, 'a g c e') }],
  },
  {
    name: '58 nothing and booleans are below numbers',
    data: M,
    steps: [{ send: 'GET /m.json?orderBy="h"&endAt=2', text: inOrder(M.m, 'd b f i a g') }],
  },
  {
    name: '60 keys as text',
    data: K,
    steps: [{ send: 'GET /k.json?orderBy="$key"', text: '{"1":"o","10":"t","9":"n","B":"b","a":"A"}' }],
  },
  {
    name: '62 priorities',
    data: P,
    steps: [{ send: 'GET /p.json?orderBy="$priority"', text: '{"z":3,"w":4,"y":2,"x":1}' }],
  },
  {
    name: '75 a leaf',
    data: S,
    steps: [
      { send: 'GET /scores/ann.json?orderBy="$key"', text: '55' },
      { send: 'GET /scores/ann.json?orderBy="$key"&limitToFirst=1', text: 'null' },
    ],
  },
  {
    name: '78 text in UTF-16 order',
    data: { s: { x: 'b\uF8FF', y: 'b😀', z: 'c' } },
    steps: [
      { send: 'GET /s.json', text: '{"x":"b\uF8FF","y":"b😀","z":"c"}' },
      {
        send: 'GET /s.json?orderBy="$value"&startAt="b"&endAt="b%EF%A3%BF"',
        text: '{"y":"b😀","x":"b\uF8FF"}',
      },
    ],
  },
]

const mixed = { a: 'x', b: 1, c: true, d: '1', e: false, f: { z: 1 }, g: -1.5, i: '', j: 0, k: { a: 'b' } }
const surrogates = {
  a: '\uE000',
  b: '😀',
  c: '\uFFFD',
  d: '\u{10FFFF}',
  e: '\uD7FF',
  f: '\uFFFF',
  g: '\u{10000}',
  h: '\u{10FFFF}\u0001',
}
const x = (length: number, rest = ''): string => 'x'.repeat(length) + rest
const long = {
  a: x(2000, 'a'),
  b: x(2000, 'b'),
  c: x(2000, 'b'),
  d: x(2000),
  e: x(1024),
  f: x(1025),
  g: x(1023),
  h: x(2000, '😀'),
  i: x(2000, '\uF8FF'),
  // The 1024th unit is half a character here.
  j: x(1023, '😀a'),
  k: x(1023, '😀b'),
  l: x(1023, '\uE000'),
  m: 'é'.repeat(600),
  n: `${'é'.repeat(600)}a`,
}
const numbers = {
  a: 2 ** 53,
  b: 2 ** 53 - 2,
  c: 1e21,
  d: -1e21,
  e: 5e-324,
  f: 0,
  g: -5e-324,
  h: 1.7976931348623157e308,
  i: 0.1,
  j: 2 ** 63,
  k: 1e15,
  l: -0.5,
}
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

/** Two hundred children, two with each of forty fields. */
const wide = Object.fromEntries(
  Array.from({ length: 200 }, (_, index) => [`k${index}`, index < 80 ? { [`f${index % 40}`]: -index } : { g: index }]),
)

/** Sections 3.2 to 3.5: what is chosen and in which order. */
const choices: readonly Case[] = [
  {
    name: '3.2 values of every kind, children themselves',
    data: { v: mixed },
    steps: choosing('/v.json', mixed, {
      'orderBy="$value"': 'e c g j b i d a f k',
      'orderBy="$value"&startAt=1': 'b i d a f k',
      'orderBy="$value"&endAt="z"': 'e c g j b i d a',
      'orderBy="$value"&startAt=""': 'i d a f k',
      'orderBy="$value"&startAfter="x"': 'f k',
      'orderBy="$value"&startAfter=true&endBefore=1': 'g j',
      'orderBy="$value"&startAt=null': 'e c g j b i d a f k',
      'orderBy="$value"&startAfter=null': 'e c g j b i d a f k',
      'orderBy="$value"&endAt=null': '',
      'orderBy="$value"&equalTo=null': '',
      'orderBy="$value"&endBefore=false': '',
      'orderBy="$value"&endBefore=true': 'e',
      'orderBy="$value"&startAt=0&endAt=-1': '',
      'orderBy="$value"&startAt=0&endAt=0': 'j',
    }),
  },
  {
    name: '3.5 only equal values of one type are equal',
    data: { v: { ...mixed, l: 1, m: '1', n: 'true', o: 'null' } },
    steps: [
      ...choosing(
        '/v.json',
        { ...mixed, l: 1, m: '1', n: 'true', o: 'null' },
        {
          'orderBy="$value"&equalTo=1': 'b l',
          'orderBy="$value"&equalTo=1.0': 'b l',
          'orderBy="$value"&equalTo=10e-1': 'b l',
          'orderBy="$value"&equalTo="1"': 'd m',
          'orderBy="$value"&equalTo=true': 'c',
          'orderBy="$value"&equalTo="true"': 'n',
          'orderBy="$value"&equalTo=false': 'e',
          'orderBy="$value"&equalTo="null"': 'o',
          'orderBy="$value"&equalTo=-0': 'j',
          'orderBy="$value"&equalTo=0': 'j',
          'orderBy="$value"&equalTo=""': 'i',
          'orderBy="$value"&equalTo=1,"l"': 'l',
          'orderBy="$value"&equalTo=1,"a"': '',
          'orderBy="$value"&equalTo="1","l"': '',
          'orderBy="$value"&equalTo=1&limitToLast=1': 'l',
          'orderBy="$value"&equalTo=1&limitToFirst=1': 'b',
        },
      ),
      // A plus is a space in a query string, and white space is nothing in JSON.
      { send: 'GET /v.json?orderBy="$value"&equalTo=+1+', text: '{"b":1,"l":1}' },
      { send: 'GET /v.json?orderBy=+%22$value%22&equalTo=1+,+%22l%22', text: '{"l":1}' },
    ],
  },
  {
    name: '3.2 numbers of every size',
    data: { n: numbers },
    steps: choosing('/n.json', numbers, {
      'orderBy="$value"': 'd l g f e i k b a j c h',
      'orderBy="$value"&startAfter=9007199254740990': 'a j c h',
      'orderBy="$value"&equalTo=9007199254740992': 'a',
      'orderBy="$value"&equalTo=9223372036854775808': 'j',
      'orderBy="$value"&startAt=9223372036854775807': 'j c h',
      'orderBy="$value"&endBefore=0': 'd l g',
      'orderBy="$value"&startAfter=0&endAt=0.1': 'e i',
      'orderBy="$value"&equalTo=1e15': 'k',
      'orderBy="$value"&equalTo=1000000000000000': 'k',
      'orderBy="$value"&equalTo=-1000000000000000000000': 'd',
      'orderBy="$value"&startAt=1.7976931348623157e308': 'h',
    }),
  },
  {
    name: '3.2 text by UTF-16 code unit',
    data: { s: surrogates },
    steps: choosing('/s.json', surrogates, {
      'orderBy="$value"': 'e g b d h a c f',
      'orderBy="$value"&startAt="😀"': 'b d h a c f',
      'orderBy="$value"&endBefore="\uE000"': 'e g b d h',
      'orderBy="$value"&startAfter="\u{10FFFF}"': 'h a c f',
      'orderBy="$value"&equalTo="\u{10FFFF}"': 'd',
      'orderBy="$value"&startAt="\\ud83d\\ude00"&limitToFirst=1': 'b',
    }),
  },
  {
    name: '3.2 text with unusual characters',
    data: {
      s: { a: 'a', b: 'a\u0000', c: 'a\u0000b', d: 'a\u0001', e: '', f: '\u0000', g: 'A', h: "'", i: '"', j: '%_' },
    },
    steps: choosing(
      '/s.json',
      { a: 'a', b: 'a\u0000', c: 'a\u0000b', d: 'a\u0001', e: '', f: '\u0000', g: 'A', h: "'", i: '"', j: '%_' },
      {
        'orderBy="$value"': 'e f i j h g a b c d',
        'orderBy="$value"&startAfter="a"': 'b c d',
        'orderBy="$value"&equalTo="a\\u0000"': 'b',
        'orderBy="$value"&equalTo="a"': 'a',
        'orderBy="$value"&equalTo=""': 'e',
        'orderBy="$value"&startAt="a\\u0000b"': 'c d',
        'orderBy="$value"&equalTo="\'"': 'h',
        'orderBy="$value"&equalTo="\\""': 'i',
        'orderBy="$value"&equalTo="%_"': 'j',
        'orderBy="$value"&endBefore="\\u0000"': 'e',
      },
    ),
  },
  {
    name: '3.2 long text that differs late',
    data: { s: long, o: { a: { t: long.b }, b: { t: long.a }, c: { t: long.d }, d: { t: long.h } } },
    steps: [
      ...choosing('/s.json', long, {
        'orderBy="$value"': 'g e f d a b c h i j k l m n',
        [`orderBy="$value"&equalTo="${x(2000, 'b')}"`]: 'b c',
        [`orderBy="$value"&equalTo="${x(2000, 'b')}","c"`]: 'c',
        [`orderBy="$value"&equalTo="${x(1024)}"`]: 'e',
        [`orderBy="$value"&equalTo="${x(1500)}"`]: '',
        [`orderBy="$value"&equalTo="${'é'.repeat(600)}"`]: 'm',
        [`orderBy="$value"&equalTo="${x(1023, '😀b')}"`]: 'k',
        [`orderBy="$value"&startAt="${x(2000)}"&endAt="${x(2000, 'a')}"`]: 'd a',
        [`orderBy="$value"&startAt="${x(1999, 'w')}"&endAt="${x(1999, 'y')}"`]: 'd a b c h i',
        [`orderBy="$value"&startAfter="${x(2000)}"`]: 'a b c h i j k l m n',
        [`orderBy="$value"&startAt="${x(2000, 'b')}","c"`]: 'c h i j k l m n',
        [`orderBy="$value"&startAfter="${x(2000, 'b')}","b"&limitToFirst=2`]: 'c h',
        [`orderBy="$value"&endBefore="${x(2000, 'a')}"`]: 'g e f d',
        [`orderBy="$value"&endAt="${x(2000, 'b')}","b"&limitToLast=2`]: 'a b',
        [`orderBy="$value"&endBefore="${x(1024)}"`]: 'g',
        [`orderBy="$value"&startAfter="${x(1023, '😀a')}"&endBefore="${x(1023, '\uE000')}"`]: 'k',
        [`orderBy="$value"&startAfter="${x(1500)}"&limitToFirst=1`]: 'd',
        [`orderBy="$value"&startAt="${x(2000)}"&endAt="${x(2000, '\uF8FF')}"`]: 'd a b c h i',
        [`orderBy="$value"&startAfter="${'é'.repeat(600)}"`]: 'n',
      }),
      { send: `GET /s.json?orderBy="$value"&startAt="${x(1024)}"&count=true`, text: '13' },
      { send: `GET /s.json?orderBy="$value"&equalTo="${x(2000, 'b')}"&count=true`, text: '2' },
      ...choosing(
        '/o.json',
        { a: { t: long.b }, b: { t: long.a }, c: { t: long.d }, d: { t: long.h } },
        {
          'orderBy="t"': 'c b a d',
          [`orderBy="t"&startAfter="${x(2000)}"&limitToFirst=1`]: 'b',
          [`orderBy="t"&equalTo="${x(2000, 'b')}"`]: 'a',
        },
      ),
    ],
  },
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
    name: '3.5 cursors among equal values',
    data: M,
    steps: choosing('/m.json', M.m, {
      'orderBy="h"&startAt=2,"b"': 'g c e',
      'orderBy="h"&startAt=2,"a"': 'a g c e',
      'orderBy="h"&startAfter=2,"a"': 'g c e',
      'orderBy="h"&startAfter=2': 'c e',
      'orderBy="h"&startAfter=2,"g"': 'c e',
      'orderBy="h"&endAt=2,"a"': 'd b f i a',
      'orderBy="h"&endBefore=2,"g"': 'd b f i a',
      'orderBy="h"&endBefore=2': 'd b f i',
      'orderBy="h"&equalTo=2': 'a g',
      'orderBy="h"&equalTo=2,"g"': 'g',
      'orderBy="h"&equalTo=2,"h"': '',
      'orderBy="h"&startAfter=null': 'b f i a g c e',
      'orderBy="h"&startAfter=null,"d"': 'b f i a g c e',
      'orderBy="h"&startAt=null,"c"&endAt=null,"z"': 'd',
      'orderBy="h"&startAfter="x"': 'e',
      'orderBy="h"&startAfter=false&endBefore=2': 'f i',
      'orderBy="h"&startAfter=true,"f"&endBefore="x","c"': 'i a g',
      'orderBy="h"&equalTo=true': 'f',
      'orderBy="h"&equalTo=false,"b"': 'b',
      'orderBy="h"&startAt=-1.5&endAt=2&limitToLast=2': 'a g',
      'orderBy="h"&startAt=-1.5&endAt=2&limitToFirst=2': 'i a',
      'orderBy="h"&startAt=3&endAt=1': '',
      'orderBy="h"&startAt=3&endAt=1&limitToLast=1': '',
    }),
  },
  {
    name: '3.1 open ends may be booleans and of two types',
    data: M,
    steps: choosing('/m.json', M.m, {
      'orderBy="h"&startAfter=false': 'f i a g c e',
      'orderBy="h"&endBefore=true': 'd b',
      'orderBy="h"&startAfter=false&endBefore=true': '',
      'orderBy="h"&startAfter=1&endBefore="y"': 'a g c',
      'orderBy="h"&startAt=1&endBefore="y"': 'a g c',
      'orderBy="h"&startAfter=1&endAt="x"': 'a g c',
      'orderBy="h"&startAt=null&endAt=2': 'd b f i a g',
      'orderBy="h"&startAt=2&endAt=null': '',
      'orderBy="h"&startAt=null&endAt="x"': 'd b f i a g c',
    }),
  },
  {
    name: '3.2 one list by very many children',
    data: { w: wide },
    steps: Array.from({ length: 40 }, (_, field) => ({
      send: `GET /w.json?orderBy="f${field}"&startAfter=null`,
      text: inOrder(wide, `k${field + 40} k${field}`),
    })),
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

/** Section 3, answered to clients of the Wilddog family. */
export const queries: readonly Case[] = [...examples, ...choices, ...sortedQueries, ...queryAnswers, ...queryWrites]
