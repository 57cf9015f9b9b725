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
  '/a%2Fb.json',
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

/** Section 1.4: from the URL to a path. */
export const urlPaths: readonly Case[] = [
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
  ...['/', '/a', '/a.jso', '/a.json/', '/a.json/b', '/a.JSON', '/json', '/a?x=.json', '/a%2Ejson'].map((target) => ({
    name: `1.4 ${target} has no suffix`,
    steps: [
      { send: `GET ${target}`, error: errors.noSuffix },
      { send: `PUT ${target}`, body: '1', error: errors.noSuffix },
    ],
  })),
]
