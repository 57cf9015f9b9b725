import { errors } from './errors.ts'
import type { Case, Step } from './interpreter.ts'

const key = { 'Idempotency-Key': '{RUN}' }
const other = { 'Idempotency-Key': '{RUN}-other' }
const tagged = { 'X-Firebase-ETag': 'true' }
const first = { 'Idempotency-Replayed': undefined }
const again = { 'Idempotency-Replayed': 'true' }
/** Stored with their quotes: the longest that is remembered of a condition that did not hold, and one too long for it. */
const REMEMBERED = 'x'.repeat(510)
const LONG = 'x'.repeat(511)

/** The same request twice, answered the same. */
function twice(step: Step): readonly Step[] {
  return [
    { ...step, reply: { ...step.reply, ...first } },
    { ...step, reply: { ...step.reply, ...again } },
  ]
}

/** A header of HTTP as a client may write it, and one that means the same. */
const SPELLINGS: readonly (readonly [string, string])[] = [
  ['{RUN}', '"{RUN}"'],
  ['{RUN}"a\\b', '"{RUN}\\"a\\\\b"'],
  ['{RUN} ,;=~', '"{RUN} ,;=~"'],
]
const WRONG = ['', '""', 'k'.repeat(256), `"${'k'.repeat(256)}"`, 'k\u00e9y', 'a\tb']

export const idempotent: readonly Case[] = [
  {
    name: 'a PUT that comes again writes nothing',
    data: { n: 1 },
    steps: [
      { send: 'PUT /n.json', body: '2', headers: { ...key, ...tagged }, text: '2', reply: first, keep: { E: 'etag' } },
      { send: 'PUT /n.json', body: '3' },
      { send: 'PUT /n.json', body: '2', headers: { ...key, ...tagged }, text: '2', reply: { ...again, ETag: '{E}' } },
    ],
    after: { '/n.json': 3 },
  },
  {
    name: 'a POST that comes again makes no other key',
    steps: [
      { send: 'POST /n.json', body: '{"a":1}', headers: key, reply: first, keep: { N: 'name', B: 'body' } },
      { send: 'POST /n.json', body: '{"a":1}', headers: key, text: '{B}', reply: again },
      { send: 'POST /n.json', body: '{"a":1}', headers: { ...key, ...tagged }, reply: again, keep: { E: 'etag' } },
      { send: 'GET /n/{N}.json', headers: tagged, reply: { ETag: '{E}' } },
      { send: 'GET /n.json?count=true', text: '1' },
    ],
  },
  {
    name: 'a POST of null that comes again names the same key',
    steps: [
      { send: 'POST /n.json', body: 'null', headers: key, reply: first, keep: { B: 'body' } },
      { send: 'POST /n.json', body: 'null', headers: key, text: '{B}', reply: again },
    ],
    after: { '/n.json': null },
  },
  {
    name: 'a PATCH that comes again adds nothing, and tells the sums of then',
    data: { n: { a: 1, b: 0.5 } },
    steps: [
      ...twice({
        send: 'PATCH /n.json',
        body: '{"a":{".sv":{"increment":2}},"b":{".sv":{"increment":-1}},"c/d":{".sv":{"increment":5}},"e":null}',
        headers: key,
        text: '{"a":3,"b":-0.5,"c/d":5,"e":null}',
      }),
      { send: 'PATCH /n.json', body: '{"a":100,"c":null}' },
      {
        send: 'PATCH /n.json',
        body: '{"a":{".sv":{"increment":2}},"b":{".sv":{"increment":-1}},"c/d":{".sv":{"increment":5}},"e":null}',
        headers: key,
        text: '{"a":3,"b":-0.5,"c/d":5,"e":null}',
        reply: again,
      },
    ],
    after: { '/n.json': { a: 100, b: -0.5 } },
  },
  {
    name: 'a DELETE that comes again takes nothing away',
    data: { n: 1 },
    steps: [
      { send: 'DELETE /n.json', headers: key, text: 'null', reply: first },
      { send: 'PUT /n.json', body: '"new"' },
      { send: 'DELETE /n.json', headers: key, text: 'null', reply: again },
    ],
    after: { '/n.json': 'new' },
  },
  {
    name: 'a DELETE of nothing is remembered',
    steps: twice({ send: 'DELETE /n.json', headers: key, text: 'null' }),
  },
  {
    name: 'a timestamp is the one of then',
    steps: [
      { send: 'PUT /n/t.json', body: '{".sv":"timestamp"}', headers: key, text: /^\d{13}$/, keep: { T: 'body' } },
      { send: 'PUT /n/t.json', body: '1' },
      { send: 'PUT /n/t.json', body: '{".sv":"timestamp"}', headers: key, text: '{T}', reply: again },
      { send: 'PUT /n.json', body: '{"a":1,".priority":{".sv":"timestamp"}}', headers: other, keep: { P: 'body' } },
      {
        send: 'PUT /n.json',
        body: '{"a":1,".priority":{".sv":"timestamp"}}',
        headers: other,
        text: '{P}',
        reply: again,
      },
    ],
    after: { '/n.json': { a: 1 } },
  },
  {
    name: 'a priority is a write too',
    data: { n: 1 },
    steps: [
      ...twice({ send: 'PUT /n/.priority.json', body: '{".sv":{"increment":4}}', headers: key, text: '4' }),
      { send: 'GET /n/.priority.json', text: '4' },
      ...twice({ send: 'DELETE /n/.priority.json', headers: other, text: 'null' }),
    ],
  },
  {
    name: 'a condition that held holds when it comes again, and one that did not does not',
    data: { n: { a: 1, '.priority': 7 } },
    steps: [
      { send: 'GET /n.json', headers: tagged, keep: { E: 'etag' } },
      ...twice({
        send: 'PUT /n.json',
        body: '2',
        headers: { ...other, 'if-match': 'null_etag' },
        status: 412,
        text: '{"a":1}',
        reply: { ETag: '{E}' },
      }),
      ...twice({ send: 'PUT /n.json', body: '2', headers: { ...key, 'if-match': '{E}' }, text: '2' }),
      { send: 'DELETE /n.json' },
      {
        send: 'PUT /n.json',
        body: '2',
        headers: { ...other, 'if-match': 'null_etag' },
        status: 412,
        text: '{"a":1}',
        reply: { ETag: '{E}', ...again },
      },
      { send: 'PUT /n.json', body: '2', headers: { ...key, 'if-match': '{E}' }, text: '2', reply: again },
    ],
    after: { '/n.json': null },
  },
  {
    name: 'a condition that did not hold for nothing',
    steps: twice({
      send: 'DELETE /n.json',
      headers: { ...key, 'if-match': '*' },
      status: 412,
      text: 'null',
      reply: { ETag: 'null_etag' },
    }),
  },
  {
    name: 'a condition that did not hold for a value of 512 characters is told again',
    data: { n: REMEMBERED },
    steps: [
      { send: 'PUT /n.json', body: '2', headers: { ...key, 'if-match': 'x' }, status: 412, text: `"${REMEMBERED}"` },
      { send: 'PUT /n.json', body: '1' },
      {
        send: 'PUT /n.json',
        body: '2',
        headers: { ...key, 'if-match': 'x' },
        status: 412,
        text: `"${REMEMBERED}"`,
        reply: again,
      },
    ],
  },
  {
    name: 'a condition that did not hold for a long value is looked at again',
    data: { n: LONG },
    steps: [
      { send: 'PUT /n.json', body: '2', headers: { ...key, 'if-match': 'x' }, status: 412, text: `"${LONG}"` },
      { send: 'PUT /n.json', body: '1' },
      { send: 'PUT /n.json', body: '2', headers: { ...key, 'if-match': 'x' }, status: 412, text: '1', reply: first },
      { send: 'PUT /n.json', body: '2', headers: { ...key, 'if-match': 'x' }, status: 412, text: '1', reply: again },
    ],
  },
  {
    name: 'what is refused is not remembered',
    steps: [
      { send: 'PUT /n.json', body: '{', headers: key, error: errors.data },
      { send: 'PUT /n/.priority.json', body: '1', headers: key, error: errors.priorityOnNothing },
      { send: 'PUT /n.json', body: '1', headers: key, text: '1', reply: first },
    ],
    after: { '/n.json': 1 },
  },
  {
    name: 'a PATCH of {} is not remembered',
    steps: [
      { send: 'PATCH /n.json', body: '{}', headers: key, text: '{}', reply: first },
      { send: 'PATCH /n.json', body: '{"a":1}', headers: key, text: '{"a":1}', reply: first },
      { send: 'PATCH /n.json', body: '{}', headers: key, text: '{}', reply: first },
    ],
    after: { '/n.json': { a: 1 } },
  },
  {
    name: 'another request may not have the key, and writes nothing',
    data: { n: 1 },
    steps: [
      { send: 'PUT /n.json', body: '{"a":2}', headers: key },
      { send: 'PUT /n.json', body: '{"a":3}', headers: key, error: errors.keyReused, reply: first },
      { send: 'PUT /n.json', body: '{ "a":2}', headers: key, error: errors.keyReused },
      { send: 'PUT /m.json', body: '{"a":2}', headers: key, error: errors.keyReused },
      { send: 'POST /n.json', body: '{"a":2}', headers: key, error: errors.keyReused },
      { send: 'PATCH /n.json', body: '{"a":2}', headers: key, error: errors.keyReused },
      { send: 'DELETE /n.json', headers: key, error: errors.keyReused },
      { send: 'PUT /n.json', body: '{"a":2}', headers: { ...key, 'if-match': '*' }, error: errors.keyReused },
      { send: 'PUT /n/.priority.json', body: '1', headers: key, error: errors.keyReused },
      { send: 'PUT /n.json', body: '{"a":2}', headers: key, text: '{"a":2}', reply: again },
      { send: 'PUT /n.json', body: '{"a":3}', headers: { 'Idempotency-Key': '{RUN}x' }, reply: first },
    ],
    after: { '/.json': { n: { a: 3 } } },
  },
  {
    name: 'the dress is that of the request at hand, and no part of it',
    steps: [
      { send: 'PUT /n.json', body: '{"a":1}', headers: key, text: '{"a":1}', reply: { ...first, ETag: undefined } },
      { send: 'PUT //n/.json?print=silent', body: '{"a":1}', headers: key, status: 204, reply: again },
      { send: 'PUT /n.json?print=pretty', body: '{"a":1}', headers: key, text: '{\n  "a" : 1\n}\n', reply: again },
      { send: 'PUT /%6E.json?writeSizeLimit=tiny&_=1', body: '{"a":1}', headers: key, reply: again },
      { send: 'PUT /n.json', body: '{"a":1}', headers: { ...key, ...tagged }, reply: { ...again, ETag: /^.{44}$/ } },
      {
        send: 'PUT /n.json',
        body: Bun.gzipSync('{"a":1}'),
        headers: { ...key, 'Content-Encoding': 'gzip' },
        reply: again,
      },
      {
        send: 'POST /n.json',
        body: '{"a":1}',
        headers: { ...key, 'X-HTTP-Method-Override': 'PUT' },
        text: '{"a":1}',
        reply: again,
      },
      { send: 'GET /n.json', text: '{"a":1}', headers: key, reply: first },
    ],
  },
  {
    name: 'reading does not mind the key',
    data: { n: 1 },
    steps: [
      { send: 'GET /n.json', headers: { 'Idempotency-Key': '' }, text: '1', reply: first },
      { send: 'GET /n.json', headers: key, text: '1', reply: first },
      { send: 'PUT /n.json', body: '2', headers: key, reply: first },
      {
        send: 'OPTIONS /n.json',
        headers: key,
        status: 204,
        reply: { 'Access-Control-Allow-Headers': /Idempotency-Key/ },
      },
    ],
  },
  ...SPELLINGS.map(
    ([bare, same]): Case => ({
      name: `${bare} is the same key as ${same}`,
      steps: [
        { send: 'POST /n.json', body: '1', headers: { 'Idempotency-Key': bare }, reply: first },
        { send: 'POST /n.json', body: '1', headers: { 'Idempotency-Key': same }, reply: again },
      ],
    }),
  ),
  {
    name: 'quotes that do not belong together are part of the key',
    steps: ['"{RUN}', '{RUN}"', '{RUN}', '"{RUN}"x'].map((sent) => ({
      send: 'POST /n.json',
      body: '1',
      headers: { 'Idempotency-Key': sent },
      reply: first,
    })),
  },
  {
    name: '255 characters are a key',
    steps: twice({
      send: 'POST /n.json',
      body: '1',
      headers: { 'Idempotency-Key': '{RUN}'.padEnd(255 - 36 + 5, '.') },
    }),
  },
  ...WRONG.map(
    (sent): Case => ({
      name: `${JSON.stringify(sent).slice(0, 20)} is no key`,
      data: { n: 1 },
      steps: ['PUT', 'POST', 'PATCH', 'DELETE'].map((method) => ({
        send: `${method} /n.json`,
        ...(method === 'DELETE' ? {} : { body: '{"a":2}' }),
        headers: { 'Idempotency-Key': sent },
        error: errors.idempotencyKey,
      })),
      after: { '/n.json': 1 },
    }),
  ),
]
