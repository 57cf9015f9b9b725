import { SECRET } from '../../../support/https-server.ts'
import { K, M, P, S } from '../data-sets.ts'
import { errors } from '../errors.ts'
import type { Case } from '../interpreter.ts'
import { answering } from './steps.ts'

const nested = { l: { x: { l: ['a', null, 'c'] }, y: { l: ['a'] } } }
const eleven = Array.from({ length: 11 }, (_, index) => index)

/** Section 3.6 and 2.4: the shape of the answer. */
export const queryAnswers: readonly Case[] = [
  {
    name: '3.6 nothing chosen, nothing there',
    data: S,
    steps: [
      ...['orderBy="$value"&startAt=94', 'orderBy="$key"&equalTo="zed"', 'orderBy="h"&equalTo=1'].map((query) => ({
        send: `GET /scores.json?${query}`,
        text: '{}',
      })),
      ...['"$key"', '"$value"', '"$priority"', '"h"'].flatMap((order) => [
        { send: `GET /none.json?orderBy=${order}`, text: 'null' },
        { send: `GET /scores/none.json?orderBy=${order}&limitToLast=1`, text: 'null' },
        { send: `GET /scores/ann/deeper.json?orderBy=${order}&startAt="a"`, text: 'null' },
        { send: `GET /none.json?orderBy=${order}&count=true`, text: '0' },
      ]),
    ],
  },
  {
    name: '3.6 an empty root',
    steps: [
      { send: 'GET /.json?orderBy="$key"', text: 'null' },
      { send: 'GET /.json?orderBy="$value"&limitToFirst=1', text: 'null' },
      { send: 'GET /.json?orderBy="$value"&count=true', text: '0' },
      { send: 'GET /.json?shallow=true&limitToFirst=1', text: 'null' },
    ],
  },
  {
    name: '3.6 a leaf is its own answer, and no child of any range',
    data: { l: { s: 'text', n: 5, b: false, p: { '.value': 'v', '.priority': 1 } } },
    steps: ['"$key"', '"$value"', '"$priority"', '"h"'].flatMap((order) => [
      { send: `GET /l/s.json?orderBy=${order}`, text: '"text"' },
      { send: `GET /l/n.json?orderBy=${order}`, text: '5' },
      { send: `GET /l/b.json?orderBy=${order}&print=pretty`, text: 'false\n' },
      { send: `GET /l/p.json?orderBy=${order}`, text: '"v"' },
      { send: `GET /l/p.json?orderBy=${order}&format=export`, text: '"v"' },
      { send: `GET /l/p.json?orderBy=${order}&format=export&limitToLast=1`, text: 'null' },
      { send: `GET /l/n.json?orderBy=${order}&count=true`, text: '0' },
      { send: `GET /l/n.json?orderBy=${order}&startAt="a"&count=true`, text: '0' },
      ...['startAt', 'startAfter', 'endAt', 'endBefore', 'equalTo'].map((name) => ({
        send: `GET /l/s.json?orderBy=${order}&${name}="text"`,
        text: 'null',
      })),
      { send: `GET /l/s.json?orderBy=${order}&limitToFirst=1`, text: 'null' },
      { send: `GET /l/s.json?orderBy=${order}&limitToLast=5`, text: 'null' },
    ]),
  },
  {
    name: '3.6 a priority as a path is a leaf',
    data: P,
    steps: [
      { send: 'GET /p/x/.priority.json?orderBy="$key"', text: '"b"' },
      { send: 'GET /p/y/.priority.json?orderBy="$value"', text: '10' },
      { send: 'GET /p/x/.priority.json?orderBy="$key"&limitToFirst=1', text: 'null' },
      { send: 'GET /p/x/.priority.json?orderBy="$value"&equalTo="b"', text: 'null' },
      { send: 'GET /p/z/.priority.json?orderBy="$key"', text: 'null' },
      { send: 'GET /.priority.json?orderBy="$key"', text: 'null' },
      { send: 'GET /.priority.json?orderBy="$key"&limitToFirst=1', text: 'null' },
    ],
  },
  {
    name: '1.1 an array only where the keys are 0 to n-1 in that order',
    data: { l: ['c', 'b', 'a'], up: [1, 2, 3], holes: ['x', null, 'z'], zeros: { '0': 1, '00': 2 }, one: { '1': 1 } },
    steps: [
      ...answering('/l.json', {
        'orderBy="$key"': '["c","b","a"]',
        'orderBy="$value"': '{"2":"a","1":"b","0":"c"}',
        'orderBy="$key"&limitToFirst=2': '["c","b"]',
        'orderBy="$key"&limitToFirst=1': '["c"]',
        'orderBy="$key"&limitToLast=2': '{"1":"b","2":"a"}',
        'orderBy="$key"&startAt="1"': '{"1":"b","2":"a"}',
        'orderBy="$key"&equalTo="0"': '["c"]',
        'orderBy="$key"&startAt="9"': '{}',
        'orderBy="$value"&equalTo="c"': '["c"]',
        'orderBy="$value"&startAt="b"': '{"1":"b","0":"c"}',
        'orderBy="$priority"': '["c","b","a"]',
        'orderBy="none"': '["c","b","a"]',
        'orderBy="$key"&format=export': '{"0":"c","1":"b","2":"a"}',
        'orderBy="$key"&limitToFirst=2&print=pretty': '[ "c", "b" ]\n',
      }),
      ...answering('/up.json', {
        'orderBy="$value"': '[1,2,3]',
        'orderBy="$value"&endAt=2': '[1,2]',
        'orderBy="$value"&startAt=2': '{"1":2,"2":3}',
        'orderBy="$value"&endAt=2&format=export': '{"0":1,"1":2}',
      }),
      ...answering('/holes.json', {
        'orderBy="$key"': '{"0":"x","2":"z"}',
        'orderBy="$key"&limitToFirst=1': '["x"]',
        'orderBy="$value"': '{"0":"x","2":"z"}',
      }),
      { send: 'GET /holes.json', text: '["x",null,"z"]' },
      ...answering('/zeros.json', {
        'orderBy="$value"': '{"0":1,"00":2}',
        'orderBy="$value"&endAt=1': '[1]',
        'orderBy="$value"&startAt=2': '{"00":2}',
      }),
      ...answering('/one.json', { 'orderBy="$key"': '{"1":1}' }),
    ],
  },
  {
    name: '1.1 eleven elements are in order as numbers, not as text',
    data: { l: eleven },
    steps: answering('/l.json', {
      'orderBy="$key"': '{"0":0,"1":1,"10":10,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9}',
      'orderBy="$key"&limitToFirst=2': '[0,1]',
      'orderBy="$value"': '[0,1,2,3,4,5,6,7,8,9,10]',
      'orderBy="$value"&endBefore=10': '[0,1,2,3,4,5,6,7,8,9]',
    }),
  },
  {
    name: '1.1 a long array',
    data: { l: Array.from({ length: 300 }, (_, index) => index) },
    steps: [
      { send: 'GET /l.json?orderBy="$value"', text: JSON.stringify(Array.from({ length: 300 }, (_, i) => i)) },
      {
        send: 'GET /l.json?orderBy="$value"&limitToFirst=100',
        text: JSON.stringify(Array.from({ length: 100 }, (_, i) => i)),
      },
      { send: 'GET /l.json?orderBy="$value"&limitToLast=2', text: '{"298":298,"299":299}' },
      { send: 'GET /l.json?orderBy="$key"&limitToFirst=3', text: '{"0":0,"1":1,"10":10}' },
      { send: 'GET /l.json?shallow=true&limitToFirst=3', text: '{"0":true,"1":true,"2":true}' },
    ],
  },
  {
    name: '1.1 arrays within the children are as ever',
    data: nested,
    steps: [
      { send: 'GET /l.json?orderBy="$key"', text: '{"x":{"l":["a",null,"c"]},"y":{"l":["a"]}}' },
      { send: 'GET /l.json?orderBy="l/2"&startAt="c"', text: '{"x":{"l":["a",null,"c"]}}' },
      {
        send: 'GET /l.json?orderBy="$key"&format=export',
        text: '{"x":{"l":{"0":"a","2":"c"}},"y":{"l":{"0":"a"}}}',
      },
    ],
  },
  {
    name: '3.6 format=export: without the priority of the list, with those of the children',
    data: {
      q: {
        '.priority': 7,
        x: { '.value': 1, '.priority': 'b' },
        y: { '.priority': 2, n: [1, { '.value': 2, '.priority': 3 }] },
        z: 'plain',
      },
    },
    steps: [
      ...answering('/q.json', {
        'orderBy="$priority"&format=export':
          '{"z":"plain","y":{".priority":2,"n":{"0":1,"1":{".priority":3,".value":2}}},"x":{".priority":"b",".value":1}}',
        'orderBy="$key"&format=export&limitToFirst=1': '{"x":{".priority":"b",".value":1}}',
        'orderBy="$key"&format=export&equalTo="none"': '{}',
        'orderBy="$priority"': '{"z":"plain","y":{"n":[1,2]},"x":1}',
      }),
      { send: 'GET /q.json?format=export&orderBy="$value"&startAt="p"&endAt="q"', text: '{"z":"plain"}' },
      { send: 'GET /.json?format=export&orderBy="$key"', text: /^\{"q":\{"\.priority":7,/ },
    ],
  },
  {
    name: '2.4 other parameters with a query',
    data: { ...S, t: { a: '</script>\u2028', b: 1 } },
    steps: [
      {
        send: 'GET /scores.json?orderBy="$value"&limitToFirst=2&print=pretty',
        text: '{\n  "eve" : 5,\n  "bob" : 21\n}\n',
      },
      { send: 'GET /scores.json?orderBy="$value"&startAt=50&count=true&print=pretty', text: '3\n' },
      { send: 'GET /none.json?orderBy="$value"&print=pretty', text: 'null\n' },
      { send: 'GET /scores.json?orderBy="$value"&print=silent', status: 204, text: '' },
      { send: 'GET /scores.json?orderBy="$value"&limitToLast=1&callback=cb', text: '/**/cb({"dan":93});' },
      { send: 'GET /scores.json?orderBy="$value"&startAt=50&count=true&callback=cb', text: '/**/cb(3);' },
      {
        send: 'GET /t.json?orderBy="$value"&startAt="a"&callback=a.b[0]',
        text: '/**/a.b[0]({});',
      },
      {
        send: 'GET /t.json?orderBy="$value"&limitToLast=1&callback=cb',
        text: '/**/cb({"a":"\\u003c/script>\\u2028"});',
      },
      {
        send: 'GET /scores.json?orderBy="$value"&limitToLast=1&download=s.txt',
        text: '{"dan":93}',
        reply: { 'Content-Disposition': `attachment; filename="s.txt"; filename*=UTF-8''s.txt` },
      },
      { send: 'GET /scores.json?orderBy="$value"&limitToLast=1&timeout=10s', text: '{"dan":93}' },
      { send: 'GET /scores.json?orderBy="$value"&startAt=50&count=true&timeout=10s', text: '3' },
      { send: 'GET /scores.json?orderBy="$value"&limitToLast=1&shallow=false&count=false', text: '{"dan":93}' },
      { send: 'GET /scores.json?orderBy="$value"&limitToLast=1&_=17&__proto__=1', text: '{"dan":93}' },
      {
        send: `GET /scores.json?orderBy="$value"&limitToLast=1&auth=${encodeURIComponent(SECRET)}`,
        text: '{"dan":93}',
      },
      { send: 'GET /scores.json?sv=timestamp&orderBy="$value"', text: /^\d{13}$/ },
    ],
  },
  {
    name: '2.5 a query by POST',
    data: S,
    steps: [
      {
        send: 'POST /scores.json?orderBy="$value"&limitToLast=1',
        headers: { 'X-HTTP-Method-Override': 'GET' },
        text: '{"dan":93}',
      },
      { send: 'POST /scores.json?orderBy="$value"&limitToLast=1&x-http-method-override=get', text: '{"dan":93}' },
      { send: 'POST /scores.json?limitToLast=1&x-http-method-override=GET', error: errors.noOrder },
    ],
    after: { '/.json': S },
  },
  {
    name: '3.6 count with an order and bounds',
    data: { ...M, ...K },
    steps: [
      ...answering('/m.json', {
        'orderBy="h"&count=true': '8',
        'orderBy="h"&equalTo=2&count=true': '2',
        'orderBy="h"&equalTo=2,"g"&count=true': '1',
        'orderBy="h"&equalTo=null&count=true': '1',
        'orderBy="h"&startAfter=null&count=true': '7',
        'orderBy="h"&startAt=2&count=true': '4',
        'orderBy="h"&endBefore=2&count=true': '4',
        'orderBy="h"&startAfter="x"&count=true': '1',
        'orderBy="h"&startAt=9&endAt=1&count=true': '0',
        'orderBy="$value"&count=true': '8',
        'orderBy="$priority"&equalTo=null&count=true': '8',
        'orderBy="$key"&startAt="f"&count=true': '3',
        'count=true': '8',
      }),
      ...answering('/k.json', {
        'orderBy="$key"&endAt="9"&count=true': '3',
        'orderBy="$key"&startAt="2"&count=true': '3',
        'orderBy="$key"&equalTo="10"&count=true': '1',
      }),
    ],
  },
  {
    name: '3.6 shallow with limits and bounds, in key order',
    data: { ...K, l: ['a', 'b', 'c'], leaf: 5, o: { a: { b: 1 }, b: 2, '.priority': 3 }, q: { '"': 1, 'b c': 1 } },
    steps: [
      ...answering('/k.json', {
        'shallow=true': '{"1":true,"9":true,"10":true,"B":true,"a":true}',
        'shallow=true&limitToFirst=2': '{"1":true,"9":true}',
        'shallow=true&limitToLast=2': '{"B":true,"a":true}',
        'shallow=true&limitToLast=99': '{"1":true,"9":true,"10":true,"B":true,"a":true}',
        'shallow=true&startAt="9"': '{"9":true,"10":true,"B":true,"a":true}',
        'shallow=true&startAt=9': '{"9":true,"10":true,"B":true,"a":true}',
        'shallow=true&startAfter=9&limitToFirst=1': '{"10":true}',
        'shallow=true&startAfter="10"': '{"B":true,"a":true}',
        'shallow=true&startAt=2&limitToFirst=1': '{"9":true}',
        'shallow=true&endAt=10': '{"1":true,"9":true,"10":true}',
        'shallow=true&endBefore="10"': '{"1":true,"9":true}',
        'shallow=true&startAt=B': '{"B":true,"a":true}',
        'shallow=true&startAfter=B&endAt=a': '{"a":true}',
        'shallow=true&startAt="1"&endBefore="B"&limitToLast=2': '{"9":true,"10":true}',
        'shallow=true&startAt=b': '{}',
        'shallow=true&endAt=0': '{}',
        'shallow=true&limitToFirst=2&print=pretty': '{\n  "1" : true,\n  "9" : true\n}\n',
        'shallow=true&limitToFirst=1&callback=cb': '/**/cb({"1":true});',
        'shallow=true&limitToFirst=1&timeout=10s': '{"1":true}',
      }),
      ...answering('/l.json', {
        'shallow=true&limitToFirst=2': '{"0":true,"1":true}',
        'shallow=true&startAt=0': '{"0":true,"1":true,"2":true}',
      }),
      ...answering('/o.json', { 'shallow=true&limitToFirst=5': '{"a":true,"b":true}' }),
      ...answering('/q.json', {
        'shallow=true&startAt=b c': '{"b c":true}',
        'shallow=true&endAt="\\""': '{"\\"":true}',
      }),
      ...['limitToFirst=1', 'limitToLast=1', 'startAt=a', 'startAfter="a"', 'endAt=a', 'endBefore=a'].flatMap(
        (filter) => [
          { send: `GET /leaf.json?shallow=true&${filter}`, text: '5' },
          { send: `GET /none.json?shallow=true&${filter}`, text: 'null' },
          { send: `GET /leaf/below.json?shallow=true&${filter}`, text: 'null' },
        ],
      ),
    ],
  },
  {
    name: '3.6 shallow: the keys of a long list in pages',
    data: { l: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [String(index * 3), { x: index }])) },
    steps: [
      { send: 'GET /l.json?shallow=true&limitToFirst=2', text: '{"0":true,"3":true}' },
      { send: 'GET /l.json?shallow=true&startAfter=3&limitToFirst=2', text: '{"6":true,"9":true}' },
      { send: 'GET /l.json?shallow=true&startAfter=9&limitToFirst=1', text: '{"12":true}' },
      { send: 'GET /l.json?shallow=true&startAt=895', text: '{"897":true}' },
      { send: 'GET /l.json?shallow=true&startAfter=897', text: '{}' },
      { send: 'GET /l.json?shallow=true&endBefore=897&limitToLast=2', text: '{"891":true,"894":true}' },
    ],
  },
]
