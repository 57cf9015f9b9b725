import { SECRET } from '../../support/https-server.ts'
import { NAME, S } from './data-sets.ts'
import { errors, readSizeWith } from './errors.ts'
import type { Case, Step } from './interpreter.ts'

const FILTERS = ['orderBy', 'limitToFirst', 'limitToLast', 'startAt', 'startAfter', 'endAt', 'endBefore', 'equalTo']
const SECRET_TEXT = encodeURIComponent(SECRET)
const data = { a: { b: 1 } }
const after = { '/.json': data }

function refused(targets: readonly string[]): Step[] {
  return targets.map((target) => ({ send: `GET ${target}`, error: errors.parameter }))
}

/** Section 0.9 and 2.4: the parameters of every method. */
export const parameters: readonly Case[] = [
  {
    name: '0.9 unknown parameters are ignored',
    data,
    steps: [
      { send: 'GET /a.json?_=1&_=2&foo&=&&__proto__=1&constructor=2', text: '{"b":1}' },
      { send: 'GET /a.json?', text: '{"b":1}' },
      { send: 'GET /a.json?ac=1&disableTriggers=true', text: '{"b":1}' },
      { send: 'GET /a.json?%ff=%zz', text: '{"b":1}' },
    ],
  },
  {
    name: '0.9 filters on writes',
    data,
    steps: [...FILTERS, 'shallow', 'count'].flatMap((name) => [
      { send: `PUT /a.json?${name}=true`, body: '2', error: errors.writeFilter },
      { send: `POST /a.json?${name}=true`, body: '2', error: errors.writeFilter },
      { send: `PATCH /a.json?${name}=true`, body: '{"b":2}', error: errors.writeFilter },
      { send: `DELETE /a.json?${name}=true`, error: errors.writeFilter },
    ]),
    after,
  },
  {
    name: '2.4 a parameter given twice',
    data,
    steps: refused(['/a.json?print=silent&print=silent', '/a.json?shallow=true&shallow=true', '/a.json?ns=app&ns=app']),
  },
  {
    name: '2.4 print=pretty',
    data,
    steps: [
      { send: 'GET /.json?print=pretty', text: '{\n  "a" : {\n    "b" : 1\n  }\n}\n' },
      { send: 'PUT /c.json?print=pretty', body: '{"d":[1,2]}', text: '{\n  "d" : [ 1, 2 ]\n}\n' },
      { send: 'POST /l.json?print=pretty', body: '1', text: /^\{\n {2}"name" : "[-\w]{20}"\n\}\n$/ },
      { send: 'PATCH /c.json?print=pretty', body: '{"e":null}', text: '{\n  "e" : null\n}\n' },
      { send: 'DELETE /c.json?print=pretty', text: 'null\n' },
      { send: 'GET /none.json?print=pretty', text: 'null\n' },
      { send: 'GET /a.json?print=pretty&shallow=true', text: '{\n  "b" : true\n}\n' },
      {
        send: 'GET /a?print=pretty',
        status: 400,
        text: '{\n  "errcode" : 20102,\n  "message" : "The url requested must end with \'.json\'",\n  "error" : "append .json to your request URI to use the REST API."\n}\n',
      },
    ],
  },
  {
    name: '2.4 print=silent',
    data,
    steps: [
      { send: 'GET /a.json?print=silent', status: 204, text: '' },
      { send: 'PUT /c.json?print=silent', body: '1', status: 204 },
      { send: 'POST /l.json?print=silent', body: '1', status: 204 },
      { send: 'PATCH /c.json?print=silent', body: '{"x":1}', status: 204 },
      { send: 'PATCH /c.json?print=silent', body: 'null', status: 204 },
      { send: 'DELETE /l.json?print=silent', status: 204 },
      { send: 'PUT /c.json?print=silent', body: '{', error: errors.data },
    ],
    after,
  },
  {
    name: '2.4 other values of print and format',
    data,
    steps: refused([
      '/a.json?print=',
      '/a.json?print=PRETTY',
      '/a.json?print=x',
      '/a.json?format=strict',
      '/a.json?format=x',
    ]),
  },
  {
    name: '2.4 timeout',
    data,
    steps: [
      ...['1ms', '3s', '1min', '15min', '900s', '0.5s'].map((timeout) => ({
        send: `GET /a.json?timeout=${timeout}`,
        text: '{"b":1}',
      })),
      ...refused(
        ['', '0s', '0ms', '3', 's', '-1s', '1h', '15.1min', '901s', '900001ms', '1e3ms', 'NaNs', '1%20s'].map(
          (timeout) => `/a.json?timeout=${timeout}`,
        ),
      ),
    ],
  },
  {
    name: '2.4 writeSizeLimit',
    steps: [
      ...['tiny', 'small', 'medium', 'large', 'unlimited'].map((limit) => ({
        send: `PUT /a/b.json?writeSizeLimit=${limit}`,
        body: '1',
        text: '1',
      })),
      { send: 'PUT /a/b.json?writeSizeLimit=huge', body: '2', error: errors.parameter },
      { send: 'PUT /a/b.json?writeSizeLimit=', body: '2', error: errors.parameter },
    ],
    after,
  },
  {
    name: '2.4 readSizeLimit',
    data,
    steps: [
      ...refused([
        ...['', '=', '=large', '=1', '=UNLIMITED'].map((value) => `/a.json?format=export&readSizeLimit${value}`),
        '/a.json?format=export&readSizeLimit=unlimited&readSizeLimit=unlimited',
      ]),
      { send: 'GET /a.json?readSizeLimit=unlimited', error: errors.readSizeAlone },
      ...[...FILTERS, 'shallow', 'count', 'print', 'timeout', 'sv', 'resume', 'writeSizeLimit'].map((name) => ({
        send: `GET /a.json?format=export&readSizeLimit=unlimited&${name}=true`,
        error: readSizeWith(name),
      })),
      ...[['X-Firebase-ETag', 'true'] as const, ['If-None-Match', 'null_etag'] as const].map(([name, value]) => ({
        send: 'GET /a.json?format=export&readSizeLimit=unlimited',
        headers: { [name]: value },
        error: errors.readSizeEtag,
      })),
      ...['PUT', 'POST', 'PATCH', 'DELETE'].map((method) => ({
        send: `${method} /a.json?format=export&readSizeLimit=unlimited`,
        body: '{"c":1}',
        error: errors.writeFilter,
      })),
      {
        send: 'GET /a.json?format=export&readSizeLimit=unlimited&callback=cb',
        status: 400,
        text: /^\/\*\*\/cb\(\{"errcode":20201,.*"callback is not supported with readSizeLimit"\}\);$/,
      },
      { send: 'GET /a.json?format=export&readSizeLimit=unlimited', error: errors.denied },
      {
        send: `GET /a.json?format=export&readSizeLimit=unlimited&auth=${SECRET_TEXT}&auth_variable_override=null`,
        error: errors.denied,
      },
    ],
    after,
  },
  {
    name: '2.4 format=export',
    data: { l: ['a', { '.value': 'b', '.priority': 1 }], o: { '.priority': 'p', x: true } },
    steps: [
      {
        send: 'GET /.json?format=export',
        text: '{"l":{"0":"a","1":{".priority":1,".value":"b"}},"o":{".priority":"p","x":true}}',
      },
      { send: 'GET /.json', text: '{"l":["a","b"],"o":{"x":true}}' },
    ],
  },
  {
    name: '2.4 callback',
    data: { a: '</script><!--\u2028\u2029' },
    steps: [
      { send: 'GET /a.json?callback=a.b_$1.c[0]', text: '/**/a.b_$1.c[0]("\\u003c/script>\\u003c!--\\u2028\\u2029");' },
      { send: 'GET /none.json?callback=cb', text: '/**/cb(null);' },
      { send: 'GET /.json?callback=cb&count=true', text: '/**/cb(1);' },
      { send: 'GET /.json?callback=cb&shallow=true', text: '/**/cb({"a":true});' },
      { send: 'GET /n.json?callback=cb&print=pretty', text: '/**/cb(null\n);' },
      {
        send: 'GET /a?callback=cb',
        status: 400,
        text: '/**/cb({"errcode":20102,"message":"The url requested must end with \'.json\'","error":"append .json to your request URI to use the REST API."});',
        reply: { 'Content-Type': 'application/javascript; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
      },
      { send: 'GET /a.json?callback=cb&auth=wrong', status: 401, text: /^\/\*\*\/cb\(\{"errcode":20510,.*\}\);$/ },
      { send: `GET /n.json?callback=${'c'.repeat(128)}`, text: `/**/${'c'.repeat(128)}(null);` },
      ...refused(
        ['', '1a', 'a-b', 'a.', 'a[b]', 'a[0', 'a%20b', 'a%0Ab', 'cb;', 'a..b', 'é', 'c'.repeat(129)].map(
          (name) => `/a.json?callback=${name}`,
        ),
      ),
      { send: 'PUT /a.json?callback=cb', body: '{', error: errors.data },
      { send: 'PUT /w.json?callback=cb&download=x', body: '1', text: '1', reply: { 'Content-Disposition': undefined } },
      { send: 'POST /n.json?callback=cb&x-http-method-override=GET', text: '/**/cb(null);' },
      { send: 'POST /n?callback=cb&x-http-method-override=GET', status: 400, text: /^\/\*\*\/cb\(\{"errcode":20102,/ },
      { send: 'POST /n.json?callback=cb&x-http-method-override=nothing', body: '1', error: errors.parameter },
    ],
  },
  {
    name: '2.4 download',
    data,
    steps: [
      ['s.txt', `filename="s.txt"; filename*=UTF-8''s.txt`],
      ['', `filename="data.json"; filename*=UTF-8''data.json`],
      ['..%2F..%5Cetc%2Fpasswd', `filename="....etcpasswd"; filename*=UTF-8''....etcpasswd`],
      ['a%22b%0D%0AX-Evil:%201', `filename="abX-Evil: 1"; filename*=UTF-8''abX-Evil%3A%201`],
      ['%22%2F%00', `filename="data.json"; filename*=UTF-8''data.json`],
      ['%C3%A9.json', `filename="_.json"; filename*=UTF-8''%C3%A9.json`],
      ["it's+(1).json", `filename="it's (1).json"; filename*=UTF-8''it%27s%20%281%29.json`],
    ].map(([name, disposition]) => ({
      send: `GET /a.json?download=${name}`,
      text: '{"b":1}',
      reply: { 'Content-Disposition': `attachment; ${disposition}`, 'X-Evil': undefined },
    })),
  },
  {
    name: '2.4 sv',
    data,
    steps: [
      { send: 'GET /any/path.json?sv=timestamp', text: /^\d{13}$/ },
      { send: 'GET /a.json?sv=timestamp&callback=cb', text: /^\/\*\*\/cb\(\d{13}\);$/ },
      { send: 'GET /a.json?sv=date', error: errors.serverValue },
      { send: 'GET /a?sv=timestamp', error: errors.noSuffix },
    ],
  },
  {
    name: '2.4 shallow and count',
    data: {
      l: ['a', 'b'],
      o: { b: { c: 1 }, '10': 1, '9': 1, a: 1 },
      p: { '.value': 1, '.priority': 2 },
      q: { '.priority': 1, r: 1 },
    },
    steps: [
      { send: 'GET /l.json?shallow=true', text: '{"0":true,"1":true}' },
      { send: 'GET /o.json?shallow=true', text: '{"9":true,"10":true,"a":true,"b":true}' },
      { send: 'GET /p.json?shallow=true', text: '1' },
      { send: 'GET /q.json?shallow=true', text: '{"r":true}' },
      { send: 'GET /none.json?shallow=true', text: 'null' },
      { send: 'GET /o.json?shallow=false', json: { '9': 1, '10': 1, a: 1, b: { c: 1 } } },
      { send: 'GET /l.json?count=true', text: '2' },
      { send: 'GET /o.json?count=true', text: '4' },
      { send: 'GET /p.json?count=true', text: '0' },
      { send: 'GET /q.json?count=true', text: '1' },
      { send: 'GET /none.json?count=true', text: '0' },
      { send: 'GET /.json?count=true', text: '4' },
      ...refused(['/o.json?shallow=1', '/o.json?count=x']),
    ],
  },
  {
    name: '2.4 the header of Firebase clients is accepted',
    data: S,
    steps: [
      { send: 'GET /scores/ann.json', headers: { 'X-Firebase-Decoding': '1' }, text: '55' },
      { send: 'POST /l.json', body: '1', headers: { 'X-Firebase-Decoding': '1' }, text: NAME },
    ],
  },
]
