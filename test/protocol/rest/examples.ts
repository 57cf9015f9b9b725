import { A, deepPath, ETAG, NAME, P, S, U } from './data-sets.ts'
import { errors } from './errors.ts'
import type { Case } from './interpreter.ts'

/**
 * Conformance examples 1-48, 63-67 and 80-83. Number 12 (a thousand names) is a test of its own; 41 and all others of
 * ordered queries stand in `queries.ts`.
 */
export const examples: readonly Case[] = [
  {
    name: '1 a subtree',
    data: U,
    steps: [{ send: 'GET /users/jack/name.json', json: { first: 'Jack', last: 'Sparrow' } }],
  },
  {
    name: '2 a slash before the suffix',
    data: U,
    steps: [{ send: 'GET /users/jack/name/.json', json: { first: 'Jack', last: 'Sparrow' } }],
  },
  { name: '3 the empty root', steps: [{ send: 'GET /.json', text: 'null' }] },
  { name: '4 nothing there', data: U, steps: [{ send: 'GET /users/nobody/x.json', text: 'null' }] },
  {
    name: '5 PUT replaces',
    data: U,
    steps: [{ send: 'PUT /users/jack/name.json', body: '{"first":"Al"}', json: { first: 'Al' } }],
    after: { '/users/jack/name.json': { first: 'Al' } },
  },
  {
    name: '6 nulls and empty members are echoed, not kept',
    steps: [
      {
        send: 'PUT /a.json',
        body: '{"b":null,"c":{},"d":[],"e":1}',
        json: { b: null, c: {}, d: [], e: 1 },
      },
    ],
    after: { '/a.json': { e: 1 } },
  },
  {
    name: '7 what prunes to nothing is nothing',
    steps: [{ send: 'PUT /a.json', body: '{"b":{"c":null}}', json: { b: { c: null } } }],
    after: { '/.json': null },
  },
  {
    name: '8 PUT null deletes',
    data: U,
    steps: [{ send: 'PUT /users/jack/age.json', body: 'null', text: 'null' }],
    after: { '/users/jack.json': { name: { first: 'Jack', last: 'Sparrow' } } },
  },
  {
    name: '9 ancestors vanish',
    data: U,
    steps: [{ send: 'DELETE /users/jack.json', text: 'null' }],
    after: { '/.json': null },
  },
  { name: '10 DELETE of nothing', steps: [{ send: 'DELETE /none.json', text: 'null' }], after: { '/.json': null } },
  {
    name: '11 POST appends',
    steps: [{ send: 'POST /list.json', body: '{"t":"Ahoy"}', text: NAME, keep: { K: 'name' } }],
    after: { '/list/{K}.json': { t: 'Ahoy' } },
  },
  {
    name: '13 POST with the content type of a form',
    steps: [
      {
        send: 'POST /list.json',
        body: '{"t":1}',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        text: NAME,
        keep: { K: 'name' },
      },
    ],
    after: { '/list/{K}.json': { t: 1 } },
  },
  {
    name: '14 PATCH leaves siblings',
    data: U,
    steps: [{ send: 'PATCH /users/jack/name.json', body: '{"last":"Jones"}', json: { last: 'Jones' } }],
    after: { '/users/jack/name.json': { first: 'Jack', last: 'Jones' } },
  },
  {
    name: '15 PATCH null deletes',
    data: U,
    steps: [{ send: 'PATCH /users/jack.json', body: '{"age":null,"nick":"J"}', json: { age: null, nick: 'J' } }],
    after: { '/users/jack.json': { name: { first: 'Jack', last: 'Sparrow' }, nick: 'J' } },
  },
  {
    name: '16 PATCH of several paths',
    data: A,
    steps: [{ send: 'PATCH /a.json', body: '{"b/d":"D","x/z":"Z"}', json: { 'b/d': 'D', 'x/z': 'Z' } }],
    after: { '/a.json': { b: { c: 'cc', d: 'D' }, x: { y: 'yy', z: 'Z' } } },
  },
  {
    name: '17 PATCH replaces a plain key wholly',
    data: A,
    steps: [{ send: 'PATCH /a.json', body: '{"b":{"d":"D"}}', json: { b: { d: 'D' } } }],
    after: { '/a.json': { b: { d: 'D' }, x: { y: 'yy', z: 'zz' } } },
  },
  {
    name: '18 PATCH with a path above another',
    data: A,
    steps: [{ send: 'PATCH /a.json', body: '{"b":1,"b/d":2}', error: errors.parameter }],
    after: { '/.json': A },
  },
  {
    name: '19 PATCH with an array',
    data: A,
    steps: [{ send: 'PATCH /a.json', body: '[1]', error: errors.patchData }],
    after: { '/.json': A },
  },
  {
    name: '20 PATCH null',
    data: A,
    steps: [{ send: 'PATCH /a.json', body: 'null', text: 'null' }],
    after: { '/.json': null },
  },
  { name: '21 a dot in a PATCH key', steps: [{ send: 'PATCH /a.json', body: '{"b.c":1}', error: errors.bodyKey }] },
  {
    name: '22 writing below a leaf',
    data: { a: 5 },
    steps: [{ send: 'PUT /a/b.json', body: '1', text: '1' }],
    after: { '/a.json': { b: 1 } },
  },
  {
    name: '23 deleting below a leaf',
    data: { a: 5 },
    steps: [{ send: 'DELETE /a/b.json', text: 'null' }],
    after: { '/a.json': 5 },
  },
  { name: '24 no body', steps: [{ send: 'PUT /a.json', error: errors.noData }] },
  { name: '25 half a body', steps: [{ send: 'PUT /a.json', body: '{"x"', error: errors.data }] },
  { name: '26 a number out of range', steps: [{ send: 'PUT /a.json', body: '1e400', error: errors.data }] },
  { name: '27 an empty key', steps: [{ send: 'PUT /a.json', body: '{"":1}', error: errors.emptyKey }] },
  { name: '28 a # in the path', steps: [{ send: 'PUT /a/b%23c.json', body: '1', error: errors.pathKey }] },
  {
    name: '29 depth',
    steps: [
      { send: `PUT ${deepPath(33)}.json`, body: '1', error: errors.depth },
      { send: `PUT ${deepPath(32)}.json`, body: '1', text: '1' },
    ],
    after: { [`${deepPath(32)}.json`]: 1 },
  },
  {
    name: '30 length of a key',
    steps: [{ send: `PUT /${'k'.repeat(769)}.json`, body: '1', error: errors.keyLength }],
    after: { '/.json': null },
  },
  { name: '31 no suffix', steps: [{ send: 'GET /a', error: errors.noSuffix }] },
  {
    name: '32 a hole in an array',
    steps: [
      { send: 'PUT /l.json', body: '["a","b","c"]', json: ['a', 'b', 'c'] },
      { send: 'DELETE /l/1.json', text: 'null' },
      { send: 'GET /l.json', text: '["a",null,"c"]' },
    ],
  },
  {
    name: '33 too few left for an array',
    steps: [
      { send: 'PUT /l.json', body: '["a","b","c","d","e"]' },
      { send: 'PATCH /l.json', body: '{"0":null,"1":null,"3":null}' },
      { send: 'GET /l.json', text: '{"2":"c","4":"e"}' },
    ],
  },
  {
    name: '34 a single second element',
    steps: [
      { send: 'PUT /l/1.json', body: '"x"' },
      { send: 'GET /l.json', text: '{"1":"x"}' },
    ],
  },
  {
    name: '35 DELETE by header',
    data: U,
    steps: [{ send: 'POST /users/jack/age.json', headers: { 'X-HTTP-Method-Override': 'DELETE' }, text: 'null' }],
    after: { '/users/jack/age.json': null },
  },
  {
    name: '36 PUT by parameter',
    data: U,
    steps: [{ send: 'POST /users/jack/age.json?x-http-method-override=PUT', body: '7', text: '7' }],
    after: { '/users/jack/age.json': 7 },
  },
  {
    name: '37 print=silent',
    data: U,
    steps: [{ send: 'PUT /users/jack/age.json?print=silent', body: '9', status: 204, text: '' }],
    after: { '/users/jack/age.json': 9 },
  },
  {
    name: '38 print=pretty',
    data: S,
    steps: [
      { send: 'GET /scores/ann.json?print=pretty', text: '55\n' },
      {
        send: 'GET /scores.json?print=pretty',
        text: '{\n  "ann" : 55,\n  "bob" : 21,\n  "cat" : 80,\n  "dan" : 93,\n  "eve" : 5\n}\n',
      },
    ],
  },
  {
    name: '39 shallow',
    data: U,
    steps: [
      { send: 'GET /users.json?shallow=true', text: '{"jack":true}' },
      { send: 'GET /users/jack/age.json?shallow=true', text: '40' },
    ],
  },
  { name: '40 count', data: S, steps: [{ send: 'GET /scores.json?count=true', text: '5' }] },
  {
    name: '42 callback',
    data: S,
    steps: [
      {
        send: 'GET /scores.json?callback=cb',
        text: '/**/cb({"ann":55,"bob":21,"cat":80,"dan":93,"eve":5});',
        reply: { 'Content-Type': 'application/javascript; charset=utf-8' },
      },
    ],
  },
  {
    name: '43 a callback that is no name',
    data: S,
    steps: [
      {
        send: 'GET /scores.json?callback=alert(1)',
        error: errors.parameter,
        reply: { 'Content-Type': 'application/json; charset=utf-8' },
      },
    ],
  },
  {
    name: '44 download',
    data: S,
    steps: [
      {
        send: 'GET /scores.json?download=s.txt',
        json: S.scores,
        reply: { 'Content-Disposition': /^attachment; filename="s\.txt"(;|$)/ },
      },
    ],
  },
  { name: '45 time of the server', steps: [{ send: 'GET /.json?sv=timestamp', text: /^\d{13}$/ }] },
  {
    name: '46 the commit time',
    steps: [
      { send: 'PUT /t.json', body: '{".sv":"timestamp"}', text: /^\d{13}$/, keep: { T: 'body' } },
      { send: 'GET /t.json', text: '{T}' },
    ],
  },
  {
    name: '47 increment',
    data: { n: 5 },
    steps: [{ send: 'PUT /n.json', body: '{".sv":{"increment":2}}', text: '7' }],
    after: { '/n.json': 7 },
  },
  {
    name: '48 an unknown server value',
    steps: [{ send: 'PUT /t.json', body: '{".sv":"date"}', error: errors.serverValue }],
  },
  {
    name: '63 format=export',
    data: P,
    steps: [{ send: 'GET /p.json?format=export', json: P.p }],
  },
  {
    name: '64 the priority as a path',
    data: P,
    steps: [
      { send: 'GET /p/x/.priority.json', text: '"b"' },
      { send: 'PUT /p/x/.priority.json', body: 'true', error: errors.priorityBoolean },
      { send: 'PUT /p/x/.priority.json', body: '{}', error: errors.priorityType },
    ],
    after: { '/p.json?format=export': P.p },
  },
  {
    name: '65 a priority on nothing',
    steps: [{ send: 'PUT /q/.priority.json', body: '1', error: errors.priorityOnNothing }],
    after: { '/.json': null },
  },
  {
    name: '66 POST to a priority',
    data: P,
    steps: [{ send: 'POST /p/x/.priority.json', body: '1', error: errors.priorityMethod }],
    after: { '/p.json?format=export': P.p },
  },
  {
    name: '67 PUT takes the priority away',
    data: P,
    steps: [
      { send: 'PUT /p/x.json', body: '7' },
      { send: 'GET /p/x/.priority.json', text: 'null' },
    ],
  },
  {
    name: '80 compare and set',
    data: { n: 10 },
    steps: [
      {
        send: 'GET /n.json',
        headers: { 'X-Firebase-ETag': 'true' },
        text: '10',
        reply: { ETag: ETAG },
        keep: { E: 'etag' },
      },
      { send: 'PUT /n.json', body: '11', headers: { 'if-match': '{E}' }, text: '11', keep: { F: 'etag' } },
      {
        send: 'PUT /n.json',
        body: '12',
        headers: { 'if-match': '{E}' },
        status: 412,
        text: '11',
        reply: { ETag: '{F}' },
      },
    ],
    after: { '/n.json': 11 },
  },
  {
    name: '81 only if nothing is there',
    steps: [
      { send: 'PUT /n.json', body: '1', headers: { 'if-match': 'null_etag' }, text: '1' },
      { send: 'PUT /n.json', body: '1', headers: { 'if-match': 'null_etag' }, status: 412, text: '1' },
    ],
    after: { '/n.json': 1 },
  },
  {
    name: '82 If-None-Match',
    data: { n: 10 },
    steps: [
      { send: 'GET /n.json', headers: { 'X-Firebase-ETag': 'true' }, keep: { E: 'etag' } },
      { send: 'GET /n.json', headers: { 'If-None-Match': '{E}' }, status: 304, text: '', reply: { ETag: '{E}' } },
      { send: 'GET /n.json', headers: { 'If-None-Match': 'x' }, text: '10', reply: { ETag: '{E}' } },
    ],
  },
  {
    name: '83 GET with if-match',
    data: { n: 10 },
    steps: [{ send: 'GET /n.json', headers: { 'if-match': 'E' }, error: errors.getIfMatch }],
  },
]
