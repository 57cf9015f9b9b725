import type { Case } from '../interpreter.ts'
import { choosing, inOrder } from './steps.ts'

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
/** Two hundred children, two with each of forty fields. */
const wide = Object.fromEntries(
  Array.from({ length: 200 }, (_, index) => [`k${index}`, index < 80 ? { [`f${index % 40}`]: -index } : { g: index }]),
)

/** Sections 3.2 and 3.5: the order of values, and which of them are equal. */
export const valueQueries: readonly Case[] = [
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
    name: '3.2 one list by very many children',
    data: { w: wide },
    steps: Array.from({ length: 40 }, (_, field) => ({
      send: `GET /w.json?orderBy="f${field}"&startAfter=null`,
      text: inOrder(wide, `k${field + 40} k${field}`),
    })),
  },
]
