import { errors } from './errors.ts'
import type { Case } from './interpreter.ts'

/** Targets that name the same node as a key of the data, percent escapes and all. */
const sameNode: readonly (readonly [target: string, key: string])[] = [
  ['/a.json', 'a'],
  ['/a/.json', 'a'],
  ['//a.json', 'a'],
  ['/a//.json', 'a'],
  ['/%61.json', 'a'],
  ['/a%20b.json', 'a b'],
  ['/a+b.json', 'a+b'],
  ['/a%2Bb.json', 'a+b'],
  ['/%25.json', '%'],
  ['/%2525.json', '%25'],
  ['/%22.json', '"'],
  ["/it's.json", "it's"],
  ['/x:y.json', 'x:y'],
  ['/%F0%9F%98%80.json', '😀'],
  ['/😀.json', '😀'],
  ['/a%5Cb.json', 'a\\b'],
  ['/a%3Fb.json', 'a?b'],
  ['/a&b=c;d,e@f!~*().json', 'a&b=c;d,e@f!~*()'],
  ['/__proto__.json', '__proto__'],
  ['/constructor.json', 'constructor'],
]

const illegal: readonly string[] = [
  '/a%2F..%2Fb.json',
  '/.settings%2Frules.json',
  '/a.b.json',
  '/a%2Eb.json',
  '/a$.json',
  '/a%23.json',
  '/a[0].json',
  '/a%5B.json',
  '/a%00.json',
  '/a%1F.json',
  '/a%7F.json',
  '/%.json',
  '/%4.json',
  '/%zz.json',
  '/%C3.json',
  '/%FF.json',
  '/%ED%A0%80.json',
  '/%C0%AF.json',
  '/a.json/b.json',
  '/...json',
]

/** Targets that name the child `b` of `a`. */
const encodedSlashes: readonly string[] = [
  '/a%2Fb.json',
  '/a%2fb.json',
  '/%2Fa%2Fb.json',
  '/a%2F/b%2F.json',
  '/%2F%2Fa%2F%2Fb.json',
  '/%61%2F%62.json',
]

/** Section 1.4: from the URL to a path. */
export const urlPaths: readonly Case[] = [
  ...encodedSlashes.map((target) => ({
    name: `1.4 ${target} has two keys`,
    data: { a: { b: 'found', c: 1 } },
    steps: [
      { send: `GET ${target}`, text: '"found"' },
      { send: `PUT ${target}`, body: '2', text: '2' },
    ],
    after: { '/.json': { a: { b: 2, c: 1 } } },
  })),
  {
    name: '1.4 %2F before a priority, below /.info and in a key of PATCH',
    data: { a: { b: { '.value': 1, '.priority': 5 } } },
    steps: [
      { send: 'GET /a%2Fb%2F.priority.json', text: '5' },
      { send: 'GET /.info%2Fconnected.json', text: 'true' },
      { send: 'GET /a%252Fb.json', text: 'null' },
      { send: 'PATCH /.json', body: '{"a%2Fb":3}', text: '{"a%2Fb":3}' },
    ],
    after: { '/.json': { a: { b: 1 }, 'a%2Fb': 3 } },
  },
  ...sameNode.map(([target, key]) => ({
    name: `1.4 ${target}`,
    data: Object.fromEntries([[key, 'found']]),
    steps: [{ send: `GET ${target}`, text: '"found"' }],
  })),
  ...illegal.flatMap((target) => [
    { name: `1.4 GET ${target} is refused`, steps: [{ send: `GET ${target}`, error: errors.pathKey }] },
    {
      name: `1.4 PUT ${target} is refused`,
      steps: [{ send: `PUT ${target}`, body: '1', error: errors.pathKey }],
      after: { '/.json': null },
    },
  ]),
  {
    name: '1.4 a request to the path of sockets asks for one',
    steps: ['/.ws', '/.ws?v=5'].flatMap((target) => [
      { send: `GET ${target}`, error: errors.noSockets },
      { send: `POST ${target}`, body: '1', error: errors.noSockets },
      {
        send: `GET ${target}`,
        headers: { 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version': '13' },
        error: errors.noSockets,
      },
    ]),
  },
  ...[
    '/',
    '/a',
    '/.ws/a',
    '/.wsa',
    '/.lp/',
    '/a.jso',
    '/a.json/',
    '/a.json/b',
    '/a.JSON',
    '/json',
    '/a?x=.json',
    '/a%2Ejson',
  ].map((target) => ({
    name: `1.4 ${target} has no suffix`,
    steps: [
      { send: `GET ${target}`, error: errors.noSuffix },
      { send: `PUT ${target}`, body: '1', error: errors.noSuffix },
    ],
  })),
]
