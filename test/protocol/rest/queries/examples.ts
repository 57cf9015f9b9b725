import { K, M, P, S } from '../data-sets.ts'
import type { Case } from '../interpreter.ts'
import { inOrder } from './steps.ts'

/** One request each: its name, the tree, what is sent and the text of the answer. */
const ONE_REQUEST: readonly (readonly [name: string, data: unknown, send: string, text: string])[] = [
  ['41 count with an order and a bound', S, 'GET /scores.json?orderBy="$value"&startAt=50&count=true', '3'],
  ['49 the last three', S, 'GET /scores.json?orderBy="$value"&limitToLast=3', '{"ann":55,"cat":80,"dan":93}'],
  ['50 the first two', S, 'GET /scores.json?orderBy="$value"&limitToFirst=2', '{"eve":5,"bob":21}'],
  ['51 a range of values', S, 'GET /scores.json?orderBy="$value"&startAt=21&endAt=55', '{"bob":21,"ann":55}'],
  ['52 a text is no number', S, 'GET /scores.json?orderBy="$value"&equalTo="55"', '{}'],
  ['53 a range of keys', S, 'GET /scores.json?orderBy="$key"&startAt="b"&endAt="d"', '{"bob":21,"cat":80}'],
  ['54 behind a value', S, 'GET /scores.json?orderBy="$value"&startAfter=21&limitToFirst=1', '{"ann":55}'],
  ['55 values of every kind', M, 'GET /m.json?orderBy="h"', inOrder(M.m, 'd b f i a g c e')],
  ['56 children without the value', M, 'GET /m.json?orderBy="h"&equalTo=null', inOrder(M.m, 'd')],
  ['57 text and objects are above numbers', M, 'GET /m.json?orderBy="h"&startAt=2', inOrder(M.m, 'a g c e')],
  ['58 nothing and booleans are below numbers', M, 'GET /m.json?orderBy="h"&endAt=2', inOrder(M.m, 'd b f i a g')],
  ['60 keys as text', K, 'GET /k.json?orderBy="$key"', '{"1":"o","10":"t","9":"n","B":"b","a":"A"}'],
  ['62 priorities', P, 'GET /p.json?orderBy="$priority"', '{"z":3,"w":4,"y":2,"x":1}'],
]

/** Conformance examples of section 9. */
export const queryExamples: readonly Case[] = [
  ...ONE_REQUEST.map(([name, data, send, text]) => ({ name, data, steps: [{ send, text }] })),
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
