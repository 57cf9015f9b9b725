import { K, P, S } from '../rest/data-sets.ts'
import type { StreamCase } from './interpreter.ts'

/** Every order, every bound. */
export const orders: readonly StreamCase[] = [
  {
    name: '3.5 bounds that leave out, and both ends',
    data: S,
    writes: ['PUT /scores/x.json 21', 'PUT /scores/x.json 22', 'PUT /scores/x.json 80', 'PUT /scores/x.json 79'],
    streams: {
      '/scores.json?orderBy="$value"&startAfter=21&endBefore=80': [
        'put / {"ann":55}',
        'put /x 22',
        'put /x null',
        'put /x 79',
      ],
      '/scores.json?orderBy="$value"&startAt=21&endAt=80': [
        'put / {"bob":21,"ann":55,"cat":80}',
        'put /x 21',
        'put /x 22',
        'put /x 80',
        'put /x 79',
      ],
      '/scores.json?orderBy="$value"&startAfter=21&endBefore=80&limitToLast=1': [
        'put / {"ann":55}',
        'patch / {"x":79,"ann":null}',
      ],
    },
  },
  {
    name: '3.5 cursors: a value and a key',
    data: { s: { a: 5, c: 5, e: 5, g: 6 } },
    writes: ['PUT /s/b.json 5', 'PUT /s/d.json 5', 'PUT /s/f.json 5', 'DELETE /s/e.json', 'PUT /s/c.json 4'],
    streams: {
      '/s.json?orderBy="$value"&startAt=5,"c"': [
        'put / {"c":5,"e":5,"g":6}',
        'put /d 5',
        'put /f 5',
        'put /e null',
        'put /c null',
      ],
      '/s.json?orderBy="$value"&startAfter=5,"c"&limitToFirst=2': [
        'put / {"e":5,"g":6}',
        'patch / {"d":5,"g":null}',
        'patch / {"e":null,"f":5}',
      ],
      '/s.json?orderBy="$value"&endAt=5,"c"': ['put / {"a":5,"c":5}', 'put /b 5', 'put /c 4'],
      '/s.json?orderBy="$value"&endBefore=5,"c"&limitToLast=1': ['put / {"a":5}', 'patch / {"b":5,"a":null}'],
      '/s.json?orderBy="$value"&equalTo=5,"c"': ['put / {"c":5}', 'put /c null'],
    },
  },
  {
    name: '3.5 equalTo',
    data: { l: { a: { h: 2 }, b: { h: '2' }, c: { h: true }, d: { n: 1 }, e: { h: { z: 1 } } } },
    writes: [
      'PUT /l/b/h.json 2',
      'PUT /l/a/h.json true',
      'DELETE /l/c/h.json',
      'PUT /l/c/k.json 1',
      'PUT /l/f.json {"h":2.0,"i":1}',
      'PUT /l/d/h.json {"z":1}',
    ],
    streams: {
      '/l.json?orderBy="h"&equalTo=2': ['put / {"a":{"h":2}}', 'put /b {"h":2}', 'put /a null', 'put /f {"h":2,"i":1}'],
      '/l.json?orderBy="h"&equalTo="2"': ['put / {"b":{"h":"2"}}', 'put /b null'],
      '/l.json?orderBy="h"&equalTo=true': ['put / {"c":{"h":true}}', 'put /a {"h":true}', 'put /c null'],
      '/l.json?orderBy="h"&equalTo=null': ['put / {"d":{"n":1}}', 'put /c {"k":1}', 'put /d null'],
    },
  },
  {
    name: '3.3 by key',
    data: K,
    writes: ['PUT /k/11.json "e"', 'PUT /k/1.json "O"', 'DELETE /k/10.json', 'PUT /k/0.json "z"', 'PUT /k/A.json "C"'],
    streams: {
      '/k.json?orderBy="$key"&limitToFirst=2': [
        'put / {"1":"o","10":"t"}',
        'put /1 "O"',
        'patch / {"10":null,"11":"e"}',
        'patch / {"0":"z","11":null}',
      ],
      '/k.json?orderBy="$key"&limitToFirst=2&ns=app': [
        'put / {"1":"o","9":"n"}',
        'put /1 "O"',
        'patch / {"0":"z","9":null}',
      ],
      '/k.json?orderBy="$key"&startAt="9"&endAt="B"': ['put / {"9":"n","B":"b"}', 'put /A "C"'],
      '/k.json?orderBy="$key"&equalTo="0"': ['put / {}', 'put /0 "z"'],
    },
  },
  {
    name: '3.4 by priority',
    data: P,
    writes: [
      'PUT /p/z/.priority.json 3',
      'PUT /p/y/.priority.json 11',
      'PUT /p/y.json {".value":5,".priority":11}',
      'PUT /p/y.json 6',
      'DELETE /p/x/.priority.json',
      'PATCH /p.json {"v":{".value":7,".priority":20},"w/.priority":21}',
    ],
    streams: {
      '/p.json?orderBy="$priority"&startAt=3': [
        'put / {"y":2,"x":1}',
        'put /z 3',
        'put /y 5',
        'put /y null',
        'put /x null',
        'patch / {"v":7,"w":4}',
      ],
      '/p.json?orderBy="$priority"&startAt=3&format=export': [
        'put / {"y":{".value":2,".priority":10},"x":{".value":1,".priority":"b"}}',
        'put /z {".value":3,".priority":3}',
        'put /y/.priority 11',
        'put /y {".value":5,".priority":11}',
        'put /y null',
        'put /x null',
        'patch / {"v":{".value":7,".priority":20},"w":{".value":4,".priority":21}}',
      ],
      '/p.json?orderBy="$priority"&limitToFirst=2': [
        'put / {"z":3,"w":4}',
        'patch / {"y":6,"z":null}',
        'patch / {"x":1,"w":null}',
      ],
    },
  },
  {
    name: '3.2 by a child, all kinds of values',
    data: { l: { a: { h: 1 }, b: { h: 'x' } } },
    writes: ['PUT /l/c.json {"h":false}', 'PUT /l/d.json {"i":1}', 'PUT /l/c/h.json {"z":1}', 'PUT /l/e.json 5'],
    streams: {
      '/l.json?orderBy="h"&limitToFirst=1': [
        'put / {"a":{"h":1}}',
        'patch / {"c":{"h":false},"a":null}',
        'patch / {"d":{"i":1},"c":null}',
      ],
      '/l.json?orderBy="h"&limitToLast=1': ['put / {"b":{"h":"x"}}', 'patch / {"c":{"h":{"z":1}},"b":null}'],
    },
  },
  {
    name: '3.1 by a deep child',
    data: { l: { a: { o: { p: 1, q: 1 } }, b: { o: { p: 2 } }, c: { o: 3 } } },
    writes: [
      'PUT /l/a/o/p.json 5',
      'PUT /l/a/o/q.json 2',
      'PUT /l/c/o/p.json 3',
      'PUT /l/b/o.json 0',
      'PATCH /l/a.json {"o/p":1}',
    ],
    streams: {
      '/l.json?orderBy="o/p"&startAt=1&limitToFirst=1': [
        'put / {"a":{"o":{"p":1,"q":1}}}',
        'patch / {"a":null,"b":{"o":{"p":2}}}',
        'patch / {"b":null,"c":{"o":{"p":3}}}',
        'patch / {"a":{"o":{"p":1,"q":2}},"c":null}',
      ],
      '/l.json?orderBy="/o/p/"&startAt=3': [
        'put / {}',
        'put /a {"o":{"p":5,"q":1}}',
        'put /a/o/q 2',
        'put /c {"o":{"p":3}}',
        'put /a null',
      ],
    },
  },
  {
    name: '1.1 a list that is an array',
    data: { s: [3, 1, 2] },
    writes: ['PUT /s/3.json 4', 'PUT /s/0.json null', 'PUT /s.json ["x","y"]', 'PUT /s/1.json ["z"]'],
    streams: {
      '/s.json?orderBy="$key"': ['put / [3,1,2]', 'put /3 4', 'put /0 null', 'put / ["x","y"]', 'put /1 ["z"]'],
      '/s.json?orderBy="$key"&limitToLast=1': [
        'put / {"2":2}',
        'patch / {"2":null,"3":4}',
        'put / {"1":"y"}',
        'put /1 ["z"]',
      ],
      '/s.json?orderBy="$key"&format=export': [
        'put / {"0":3,"1":1,"2":2}',
        'put /3 4',
        'put /0 null',
        'put / {"0":"x","1":"y"}',
        'put /1 {"0":"z"}',
      ],
    },
  },
  {
    name: '4.4 many streams of one list, with and without a filter',
    data: S,
    writes: ['PUT /scores/cat.json 1', 'PATCH /scores.json {"dan":2,"x":94}'],
    streams: {
      '/scores.json': ['put / {"ann":55,"bob":21,"cat":80,"dan":93,"eve":5}', 'put /cat 1', 'patch / {"dan":2,"x":94}'],
      '/scores/cat.json': ['put / 80', 'put / 1'],
      '/scores.json?orderBy="$value"&limitToLast=1': ['put / {"dan":93}', 'patch / {"dan":null,"x":94}'],
      '/scores.json?orderBy="$value"&limitToLast=2': [
        'put / {"cat":80,"dan":93}',
        'patch / {"cat":null,"ann":55}',
        'patch / {"dan":null,"x":94}',
      ],
      '/scores.json?orderBy="$value"&limitToLast=2&format=export': [
        'put / {"cat":80,"dan":93}',
        'patch / {"cat":null,"ann":55}',
        'patch / {"dan":null,"x":94}',
      ],
      '/scores.json?orderBy="$value"&endAt=5': ['put / {"eve":5}', 'put /cat 1', 'put /dan 2'],
      '/.json?orderBy="$key"': [
        'put / {"scores":{"ann":55,"bob":21,"cat":80,"dan":93,"eve":5}}',
        'put /scores/cat 1',
        'patch /scores {"dan":2,"x":94}',
      ],
    },
  },
]
