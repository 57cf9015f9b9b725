import { ETAG } from './data-sets.ts'
import { errors } from './errors.ts'
import type { Case } from './interpreter.ts'

const tagged = { 'X-Firebase-ETag': 'true' }
const data = { n: { a: 1 } }

/** Section 2.7: tags and conditions. */
export const conditional: readonly Case[] = [
  {
    name: '2.7 the tag is that of the data now there',
    data,
    steps: [
      {
        send: 'PUT /n.json',
        body: '{"b":[1,{"c":"x"}],"a":null}',
        headers: tagged,
        reply: { ETag: ETAG },
        keep: { E: 'etag' },
      },
      { send: 'GET /n.json', headers: tagged, reply: { ETag: '{E}' } },
      { send: 'GET /n.json', reply: { ETag: undefined } },
      { send: 'GET /n.json', headers: { 'X-Firebase-ETag': 'false' }, reply: { ETag: undefined } },
      { send: 'POST /n.json', body: '{"c":1,".priority":2}', headers: tagged, keep: { K: 'name', C: 'etag' } },
      { send: 'GET /n/{K}.json', headers: tagged, reply: { ETag: '{C}' } },
      { send: 'DELETE /n.json', headers: tagged, reply: { ETag: 'null_etag' } },
      { send: 'GET /n.json', headers: tagged, text: 'null', reply: { ETag: 'null_etag' } },
      { send: 'POST /n.json', body: 'null', headers: tagged, reply: { ETag: 'null_etag' } },
      { send: 'PUT /n.json', body: '{}', headers: tagged, reply: { ETag: 'null_etag' } },
      { send: 'PUT /n.json', body: '1', reply: { ETag: undefined } },
      { send: 'PUT /n.json', body: '{".sv":{"increment":4}}', headers: tagged, text: '5', keep: { I: 'etag' } },
      { send: 'GET /n.json', headers: tagged, text: '5', reply: { ETag: '{I}' } },
    ],
  },
  {
    name: '2.7 a priority below changes the tag',
    data: { n: { a: 1 } },
    steps: [
      { send: 'GET /n.json', headers: tagged, keep: { E: 'etag' } },
      { send: 'PUT /n/a/.priority.json', body: '1' },
      { send: 'PUT /n.json', body: '2', headers: { 'if-match': '{E}' }, status: 412, text: '{"a":1}' },
      { send: 'DELETE /n/a/.priority.json' },
      { send: 'PUT /n.json', body: '2', headers: { 'if-match': '{E}' }, text: '2' },
    ],
  },
  {
    name: '2.7 a change elsewhere does not',
    data: { n: 1, m: 1 },
    steps: [
      { send: 'GET /n.json', headers: tagged, keep: { E: 'etag' } },
      { send: 'PUT /m.json', body: '2' },
      { send: 'GET /n.json', headers: { 'If-None-Match': '{E}' }, status: 304, reply: { ETag: '{E}' } },
    ],
  },
  {
    name: '2.7 a number and its text have different tags',
    data: { n: 1 },
    steps: [
      { send: 'GET /n.json', headers: tagged, keep: { E: 'etag' } },
      { send: 'PUT /n.json', body: '"1"' },
      { send: 'GET /n.json', headers: { 'If-None-Match': '{E}' }, text: '"1"', reply: { ETag: ETAG } },
    ],
  },
  {
    name: '2.7 the tag comes back in any dress',
    data,
    steps: [
      { send: 'GET /n.json', headers: tagged, keep: { E: 'etag' } },
      ...['"{E}"', 'W/"{E}"', '*'].map((tag) => ({
        send: 'PUT /n.json',
        body: '{"a":1}',
        headers: { 'if-match': tag },
        reply: { ETag: '{E}' },
      })),
      { send: 'GET /n.json', headers: { 'If-None-Match': '"{E}"' }, status: 304 },
      { send: 'GET /n.json', headers: { 'If-None-Match': '*' }, status: 304 },
    ],
  },
  {
    // The tag of this number is a hash that begins with W/: that is no mark of a weak tag.
    name: '2.7 a tag that begins with W/ comes back in any dress',
    data: { n: 7130 },
    steps: [
      { send: 'GET /n.json', headers: tagged, reply: { ETag: /^W\/[^"]/ }, keep: { E: 'etag' } },
      ...['{E}', '"{E}"', 'W/"{E}"'].flatMap((tag) => [
        { send: 'GET /n.json', headers: { 'If-None-Match': tag }, status: 304, reply: { ETag: '{E}' } },
        { send: 'PUT /n.json', body: '7130', headers: { 'if-match': tag }, text: '7130', reply: { ETag: '{E}' } },
      ]),
      { send: 'PUT /n.json', body: '1', headers: { 'if-match': 'W/another' }, status: 412, text: '7130' },
      { send: 'DELETE /n.json', headers: { 'if-match': '{E}' }, text: 'null' },
    ],
    after: { '/n.json': null },
  },
  {
    name: '2.7 * matches nothing where nothing is',
    steps: [
      {
        send: 'PUT /n.json',
        body: '1',
        headers: { 'if-match': '*' },
        status: 412,
        text: 'null',
        reply: { ETag: 'null_etag' },
      },
      { send: 'DELETE /n.json', headers: { 'if-match': '*' }, status: 412, text: 'null' },
      { send: 'GET /n.json', headers: { 'If-None-Match': '*' }, text: 'null', reply: { ETag: 'null_etag' } },
      { send: 'GET /n.json', headers: { 'If-None-Match': 'null_etag' }, status: 304 },
    ],
    after: { '/.json': null },
  },
  {
    name: '2.7 DELETE with a condition',
    data,
    steps: [
      { send: 'GET /n.json', headers: tagged, keep: { E: 'etag' } },
      { send: 'DELETE /n.json', headers: { 'if-match': 'x' }, status: 412, text: '{"a":1}', reply: { ETag: '{E}' } },
      { send: 'DELETE /n.json', headers: { 'if-match': 'null_etag' }, status: 412, text: '{"a":1}' },
      { send: 'DELETE /n.json', headers: { 'if-match': '{E}' }, text: 'null', reply: { ETag: 'null_etag' } },
      { send: 'DELETE /n.json', headers: { 'if-match': 'null_etag' }, text: 'null', reply: { ETag: 'null_etag' } },
    ],
    after: { '/.json': null },
  },
  {
    name: '2.7 conditions that go with no method',
    data,
    steps: [
      { send: 'PATCH /n.json', body: '{"a":2}', headers: tagged, error: errors.patchEtag },
      { send: 'PATCH /n.json', body: '{"a":2}', headers: { 'if-match': '*' }, error: errors.patchEtag },
      { send: 'POST /n.json', body: '2', headers: { 'if-match': '*' }, error: errors.postIfMatch },
      { send: 'GET /n.json', headers: { 'if-match': '*' }, error: errors.getIfMatch },
    ],
    after: { '/.json': data },
  },
  {
    name: '2.7 with print',
    data,
    steps: [
      { send: 'PUT /n.json?print=silent', body: '1', headers: { 'if-match': '*' }, status: 204, reply: { ETag: ETAG } },
      { send: 'PUT /n.json?print=silent', body: '2', headers: { 'if-match': 'x' }, status: 412, text: '1' },
      { send: 'PUT /n.json?print=pretty', body: '2', headers: { 'if-match': 'x' }, status: 412, text: '1\n' },
      { send: 'GET /n.json?print=silent', headers: tagged, status: 204, reply: { ETag: ETAG } },
      { send: 'GET /n.json?print=pretty', headers: tagged, text: '1\n', reply: { ETag: ETAG } },
    ],
    after: { '/n.json': 1 },
  },
  {
    name: '2.7 the tag of a priority',
    data: { n: { '.value': 1, '.priority': 2 } },
    steps: [
      { send: 'GET /n/.priority.json', headers: tagged, text: '2', keep: { E: 'etag' } },
      { send: 'PUT /n/.priority.json', body: '3', headers: { 'if-match': 'x' }, status: 412, text: '2' },
      { send: 'PUT /n/.priority.json', body: '3', headers: { 'if-match': '{E}' }, text: '3', keep: { F: 'etag' } },
      { send: 'GET /n/.priority.json', headers: { 'If-None-Match': '{F}' }, status: 304 },
    ],
  },
]
