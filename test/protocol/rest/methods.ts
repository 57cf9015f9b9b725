import { A, NAME, U } from './data-sets.ts'
import { errors } from './errors.ts'
import type { Case } from './interpreter.ts'

const ALLOW = 'GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS'

function gzip(text: string): Uint8Array<ArrayBuffer> {
  return Bun.gzipSync(new TextEncoder().encode(text))
}

const zipped = { 'Content-Encoding': 'gzip' }

/** Section 2, 2.1, 2.2, 2.5 and 2.6: methods, bodies, PATCH, overrides, preflight. */
export const methods: readonly Case[] = [
  {
    name: '2 POST null makes a name and stores nothing',
    steps: [{ send: 'POST /list.json', body: 'null', text: NAME }],
    after: { '/.json': null },
  },
  {
    name: '2 POST of what prunes to nothing',
    steps: [{ send: 'POST /list.json', body: '{"a":{}}', text: NAME }],
    after: { '/.json': null },
  },
  {
    name: '2 POST to a leaf',
    data: { a: 5 },
    steps: [{ send: 'POST /a.json', body: '1', text: NAME, keep: { K: 'name' } }],
    after: { '/a.json?count=true': 1, '/a/{K}.json': 1 },
  },
  {
    name: '2 POST null to a leaf leaves it',
    data: { a: 5 },
    steps: [{ send: 'POST /a.json', body: 'null', text: NAME }],
    after: { '/a.json': 5 },
  },
  {
    name: '2 POST with server values and a priority',
    steps: [
      {
        send: 'POST /l.json',
        body: '{".priority":1,"at":{".sv":"timestamp"},"n":{".sv":{"increment":3}}}',
        text: NAME,
        keep: { K: 'name' },
      },
      { send: 'GET /l/{K}.json?format=export', text: /^\{"\.priority":1,"at":\d{13},"n":3\}$/ },
    ],
  },
  {
    name: '2 POST to the root',
    steps: [{ send: 'POST /.json', body: '1', text: NAME, keep: { K: 'name' } }],
    after: { '/{K}.json': 1 },
  },
  {
    name: '2 DELETE ignores its body',
    data: { a: 1, b: 2 },
    steps: [{ send: 'DELETE /a.json', body: '{"not json', text: 'null' }],
    after: { '/.json': { b: 2 } },
  },
  {
    name: '2 DELETE of the root',
    data: U,
    steps: [{ send: 'DELETE /.json', text: 'null' }],
    after: { '/.json': null },
  },
  {
    name: '2 a leaf at the root',
    steps: [{ send: 'PUT /.json', body: '"leaf"', text: '"leaf"' }],
    after: { '/.json': 'leaf' },
  },
  {
    name: '2 PUT echoes nulls, arrays and empty objects',
    steps: [{ send: 'PUT /a.json', body: '{"a":[null,{}],"b":null}', text: '{"a":[null,{}],"b":null}' }],
    after: { '/.json': null },
  },
  {
    name: '2 the echo is compact',
    steps: [{ send: 'PUT /a.json', body: ' { "a" : [ 1 , 2 ] } ', text: '{"a":[1,2]}' }],
  },
  {
    name: '2 the method is judged after the path',
    steps: [
      { send: 'LOCK /a.json', error: errors.method, reply: { Allow: ALLOW } },
      { send: 'PROPFIND /a.json', error: errors.method, reply: { Allow: ALLOW } },
      { send: 'LOCK /a', error: errors.noSuffix, reply: { Allow: undefined } },
    ],
  },
  {
    name: '2 the parameters are judged after application, path and method',
    steps: [
      { send: 'GET /a?print=x', error: errors.noSuffix },
      { send: 'GET /a?print=pretty&print=pretty', text: /20102/, status: 400 },
      { send: 'GET /a.json?ns=other&print=x', error: errors.unknownApplication },
      { send: 'LOCK /a.json?print=x', error: errors.method },
      { send: 'GET /a.json?auth=wrong&print=x', error: errors.parameter },
      { send: 'PUT /a.json?auth=wrong', body: '{', error: errors.token },
    ],
  },
  {
    name: '2.1 any content type',
    steps: [
      'text/plain',
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'x',
    ].map((type) => ({
      send: 'PUT /a.json',
      body: '{"a":"b=c&d"}',
      headers: { 'Content-Type': type },
      json: { a: 'b=c&d' },
    })),
  },
  {
    name: '2.1 empty bodies',
    steps: [
      { send: 'PUT /a.json', body: '', error: errors.noData },
      { send: 'POST /a.json', error: errors.noData },
      { send: 'PATCH /a.json', error: errors.noData },
      { send: 'PUT /a.json', body: gzip(''), headers: zipped, error: errors.noData },
    ],
    after: { '/.json': null },
  },
  {
    name: '2.1 no JSON',
    steps: [
      { send: 'PUT /a.json', body: 'a=b', error: errors.data },
      { send: 'POST /a.json', body: 'a=b', error: errors.data },
      { send: 'PATCH /a.json', body: 'a=b', error: errors.patchData },
      { send: 'PUT /a.json', body: '   ', error: errors.data },
      { send: 'PUT /a.json', body: new Uint8Array([0x22, 0xff, 0x22]), error: errors.data },
      { send: 'PUT /a.json', body: new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), error: errors.data },
      { send: 'PATCH /a.json', body: new Uint8Array([0xc3, 0x28]), error: errors.patchData },
      { send: 'PUT /a.json', body: '"\u0001"', error: errors.data },
    ],
    after: { '/.json': null },
  },
  {
    name: '2.1 a byte order mark and white space',
    steps: [
      { send: 'PUT /a.json', body: '\uFEFF 1', text: '1' },
      { send: 'PUT /a.json', body: '\r\n\t {"a" : 1}\n', text: '{"a":1}' },
    ],
  },
  {
    name: '2.1 gzip',
    steps: [
      { send: 'PUT /a.json', body: gzip('{"a":1}'), headers: zipped, text: '{"a":1}' },
      { send: 'PATCH /a.json', body: gzip('{"b":2}'), headers: { 'Content-Encoding': 'GZIP' }, text: '{"b":2}' },
      { send: 'PUT /a.json', body: gzip('{"a":2}').slice(0, -9), headers: zipped, error: errors.data },
      { send: 'PATCH /a.json', body: gzip('{"a":2}').slice(0, -9), headers: zipped, error: errors.patchData },
      { send: 'PUT /a.json', body: '{"a":2}', headers: zipped, error: errors.data },
      { send: 'PUT /a.json', body: gzip('{"a":2}'), error: errors.data },
      { send: 'PUT /a.json', body: '{"c":3}', headers: { 'Content-Encoding': 'identity' }, text: '{"c":3}' },
      { send: 'PUT /a.json', body: '{"a":2}', headers: { 'Content-Encoding': 'br' }, status: 400, text: /20202/ },
    ],
    after: { '/a.json': { c: 3 } },
  },
  {
    name: '2.2 what a PATCH must be',
    data: A,
    steps: [
      ...['1', '"a"', 'true', '[]'].map((body) => ({ send: 'PATCH /a.json', body, error: errors.patchData })),
      { send: 'PATCH /a.json', body: '{"b":1e999}', error: errors.patchData },
      { send: 'PATCH /a.json', body: '{"b":"\\ud800"}', error: errors.patchData },
      { send: 'PATCH /a.json', body: '{}', text: '{}' },
    ],
    after: { '/.json': A },
  },
  {
    name: '2.2 keys of a PATCH',
    data: A,
    steps: [
      { send: 'PATCH /a.json', body: '{"":1}', error: errors.emptyKey },
      { send: 'PATCH /a.json', body: '{"/":1}', error: errors.emptyKey },
      { send: 'PATCH /a.json', body: '{"b/$":1}', error: errors.bodyKey },
      { send: 'PATCH /a.json', body: '{"b/.value":1}', error: errors.bodyKey },
      { send: 'PATCH /a.json', body: '{".priority/b":1}', error: errors.bodyKey },
      { send: 'PATCH /a.json', body: '{".sv":"timestamp"}', error: errors.bodyKey },
      { send: 'PATCH /a.json', body: '{"b":{"c/d":1}}', error: errors.bodyKey },
      { send: 'PATCH /a.json', body: `{"b/${'k'.repeat(769)}":1}`, error: errors.keyLength },
    ],
    after: { '/.json': A },
  },
  {
    name: '2.2 slashes around and within a key',
    steps: [{ send: 'PATCH /a.json', body: '{"/b//c/":1,"d/":2}', json: { '/b//c/': 1, 'd/': 2 } }],
    after: { '/a.json': { b: { c: 1 }, d: 2 } },
  },
  {
    name: '2.2 paths that cover one another',
    data: A,
    steps: [
      '{"b":1,"b/c":2}',
      '{"b/c":1,"b":2}',
      '{"b/c":1,"/b/c/":2}',
      '{"b/c/d/e":1,"b/c":null}',
      '{"b":{},"b/c":2}',
    ].map((body) => ({ send: 'PATCH /a.json', body, error: errors.parameter })),
    after: { '/.json': A },
  },
  {
    name: '2.2 nearly covering paths',
    steps: [{ send: 'PATCH /a.json', body: '{"b":1,"bc":2,"b-c":3,"b c/d":4}', status: 200 }],
    after: { '/a.json': { b: 1, bc: 2, 'b-c': 3, 'b c': { d: 4 } } },
  },
  {
    name: '2.2 priorities in a PATCH',
    data: { a: { b: 1, c: { d: 2 } } },
    steps: [
      { send: 'PATCH /a.json', body: '{".priority":3,"c/.priority":"p","b/.priority":null}', status: 200 },
      { send: 'GET /a.json?format=export', json: { '.priority': 3, b: 1, c: { '.priority': 'p', d: 2 } } },
      { send: 'PATCH /a.json', body: '{"c/.priority":true}', error: errors.priorityBoolean },
      { send: 'PATCH /a.json', body: '{"c/.priority":{}}', error: errors.priorityType },
      { send: 'PATCH /a.json', body: '{"b":7,"none/.priority":1}', error: errors.priorityOnNothing },
      { send: 'GET /a/b.json', text: '1' },
    ],
  },
  {
    name: '2.2 a priority beside what gets it',
    data: { a: { b: 1 } },
    steps: [
      { send: 'PATCH /.json', body: '{"a":1,"a/.priority":2}', error: errors.parameter },
      { send: 'PATCH /.json', body: '{"a":null,"a/.priority":2}', error: errors.parameter },
      { send: 'PATCH /.json', body: '{"n/b":1,"n/.priority":2}', status: 200 },
      { send: 'GET /n.json?format=export', json: { '.priority': 2, b: 1 } },
      { send: 'PATCH /n.json', body: '{"b":null,"c":3}', status: 200 },
      { send: 'GET /n.json?format=export', json: { '.priority': 2, c: 3 } },
      { send: 'PATCH /none.json', body: '{".priority":null}', text: '{".priority":null}' },
    ],
    after: { '/.json?format=export': { a: { b: 1 }, n: { '.priority': 2, c: 3 } } },
  },
  {
    name: '2.2 a priority on what the same PATCH empties goes with it',
    data: { a: { b: 1 }, z: 1 },
    steps: [{ send: 'PATCH /a.json', body: '{"b":null,".priority":2}' }],
    after: { '/.json?format=export': { z: 1 } },
  },
  {
    name: '2.2 all or nothing',
    data: A,
    steps: [
      { send: 'PATCH /.json', body: '{"a/b/c":"new","q":{"x":{".sv":"no"}}}', error: errors.serverValue },
      { send: 'PATCH /.json', body: '{"a/b/c":"new","q/.priority":1}', error: errors.priorityOnNothing },
    ],
    after: { '/.json': A },
  },
  {
    name: '2.2 many places at once, some deleted',
    data: A,
    steps: [{ send: 'PATCH /.json', body: '{"a/b":null,"a/x/y":null,"n/e/w":[1,2]}', status: 200 }],
    after: { '/.json': { a: { x: { z: 'zz' } }, n: { e: { w: [1, 2] } } } },
  },
  {
    name: '2.5 every method by override',
    data: { a: { b: 1 } },
    steps: [
      { send: 'POST /a.json', headers: { 'X-HTTP-Method-Override': 'get' }, text: '{"b":1}' },
      { send: 'POST /a.json', body: '{"c":2}', headers: { 'X-HTTP-Method-Override': 'Patch' }, json: { c: 2 } },
      { send: 'POST /l.json?X-HTTP-METHOD-OVERRIDE=post', body: '1', text: NAME },
      { send: 'POST /a.json?x-http-method-override=get', text: '{"b":1,"c":2}' },
      { send: 'POST /a/c.json?X-Http-Method-Override=delete', text: 'null' },
      { send: 'POST /a.json', body: '{', headers: { 'X-HTTP-Method-Override': 'PATCH' }, error: errors.patchData },
    ],
    after: { '/a.json': { b: 1 } },
  },
  {
    name: '2.5 the header wins',
    data: { a: 1 },
    steps: [
      {
        send: 'POST /a.json?x-http-method-override=DELETE',
        headers: { 'X-HTTP-Method-Override': 'GET' },
        text: '1',
      },
    ],
    after: { '/a.json': 1 },
  },
  {
    name: '2.5 unknown overrides',
    data: { a: 1 },
    steps: [
      { send: 'POST /a.json', body: '2', headers: { 'X-HTTP-Method-Override': 'HEAD' }, error: errors.parameter },
      { send: 'POST /a.json?x-http-method-override=OPTIONS', body: '2', error: errors.parameter },
      { send: 'POST /a.json?x-http-method-override=', body: '2', error: errors.parameter },
    ],
    after: { '/.json': { a: 1 } },
  },
  {
    name: '2.5 ignored on other methods',
    data: { a: 1 },
    steps: [
      { send: 'GET /a.json', headers: { 'X-HTTP-Method-Override': 'DELETE' }, text: '1' },
      { send: 'PUT /a.json?x-http-method-override=DELETE', body: '2', text: '2' },
      { send: 'PUT /a.json?x-http-method-override=FOO', body: '3', text: '3' },
    ],
    after: { '/a.json': 3 },
  },
  {
    name: '2.5 an override obeys the rules of its method',
    data: { a: 1 },
    steps: [
      {
        send: 'POST /a.json?orderBy="$key"',
        headers: { 'X-HTTP-Method-Override': 'DELETE' },
        error: errors.writeFilter,
      },
      {
        send: 'POST /a.json',
        headers: { 'X-HTTP-Method-Override': 'PUT', 'if-match': 'x' },
        body: '2',
        status: 412,
        text: '1',
      },
      { send: 'POST /a.json', headers: { 'X-HTTP-Method-Override': 'GET', 'if-match': 'x' }, error: errors.getIfMatch },
    ],
    after: { '/a.json': 1 },
  },
  {
    name: '2.6 preflight',
    steps: ['/a.json', '/no-suffix', '/a.json?ns=other'].map((target) => ({
      send: `OPTIONS ${target}`,
      headers: { Origin: 'https://example.org', 'Access-Control-Request-Method': 'PUT' },
      status: 204,
      text: '',
      reply: {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Allow-Methods': 'GET, HEAD, PUT, PATCH, POST, DELETE, OPTIONS',
        'Access-Control-Allow-Headers':
          'Content-Type, Authorization, X-Firebase-ETag, If-Match, If-None-Match, X-HTTP-Method-Override, X-Firebase-Decoding, Last-Event-ID, Cache-Control, Idempotency-Key, X-Request-Id, X-Dhole-After',
        'Access-Control-Max-Age': '3600',
      },
    })),
  },
]
