import { K, P, S } from '../protocol/data-sets.ts'
import type { StreamCase } from './interpreter.ts'

/** A list of objects: what they are sorted by, and something deep. */
const L = {
  l: {
    a: { n: 1, x: { y: 1 } },
    b: { n: 2, x: { y: 2 } },
    c: { n: 3, x: { y: 3 } },
    d: { n: 4, x: { y: 4 } },
  },
}

/** What enters, leaves and pushes out. */
const windows: readonly StreamCase[] = [
  {
    name: '98 the last two',
    data: S,
    writes: ['PUT /scores/fay.json 90', 'DELETE /scores/dan.json'],
    streams: {
      '/scores.json?orderBy="$value"&limitToLast=2': [
        'put / {"cat":80,"dan":93}',
        'patch / {"fay":90,"cat":null}',
        'patch / {"dan":null,"cat":80}',
      ],
    },
  },
  {
    name: '4.4 children enter and leave a range',
    data: S,
    writes: [
      'PUT /scores/fay.json 60',
      'PUT /scores/eve.json 6',
      'PUT /scores/ann.json 10',
      'DELETE /scores/cat.json',
      'PUT /scores/bob.json "text"',
      'DELETE /scores/eve.json',
      'PUT /scores/dan.json 94',
      'PUT /scores/fay.json null',
      'DELETE /scores/nobody.json',
    ],
    streams: {
      '/scores.json?orderBy="$value"&startAt=50': [
        'put / {"ann":55,"cat":80,"dan":93}',
        'put /fay 60',
        'put /ann null',
        'put /cat null',
        'put /bob "text"',
        'put /dan 94',
        'put /fay null',
      ],
      '/scores.json?orderBy="$value"&startAt=50&limitToFirst=10': [
        'put / {"ann":55,"cat":80,"dan":93}',
        'put /fay 60',
        'put /ann null',
        'put /cat null',
        'put /bob "text"',
        'put /dan 94',
        'put /fay null',
      ],
      '/scores.json?orderBy="$value"&endAt=6': ['put / {"eve":5}', 'put /eve 6', 'put /eve null'],
      '/scores.json?orderBy="$value"&startAt=1000&endAt=2000': ['put / {}'],
    },
  },
  {
    name: '4.4 a full window counted from the first',
    data: S,
    writes: [
      'PUT /scores/abe.json 7',
      'PUT /scores/zoe.json 100',
      'PUT /scores/eve.json 6',
      'PUT /scores/eve.json 22',
      'DELETE /scores/abe.json',
      'DELETE /scores/ann.json',
    ],
    streams: {
      '/scores.json?orderBy="$value"&limitToFirst=2': [
        'put / {"eve":5,"bob":21}',
        'patch / {"abe":7,"bob":null}',
        'put /eve 6',
        'patch / {"eve":null,"bob":21}',
        'patch / {"abe":null,"eve":22}',
      ],
      '/scores.json?orderBy="$value"&startAt=20&endAt=90&limitToFirst=2': [
        'put / {"bob":21,"ann":55}',
        'patch / {"eve":22,"ann":null}',
      ],
    },
  },
  {
    name: '4.4 a full window counted from the last',
    data: S,
    writes: [
      'PUT /scores/abe.json 85',
      'PUT /scores/zoe.json 1',
      'PUT /scores/dan.json 99',
      'PUT /scores/dan.json 2',
      'DELETE /scores/abe.json',
    ],
    streams: {
      '/scores.json?orderBy="$value"&limitToLast=2': [
        'put / {"cat":80,"dan":93}',
        'patch / {"abe":85,"cat":null}',
        'put /dan 99',
        'patch / {"dan":null,"cat":80}',
        'patch / {"abe":null,"ann":55}',
      ],
      '/scores.json?orderBy="$value"&startAt=20&endAt=90&limitToLast=2': [
        'put / {"ann":55,"cat":80}',
        'patch / {"abe":85,"ann":null}',
        'patch / {"abe":null,"ann":55}',
      ],
    },
  },
  {
    name: '4.4 a window fills, and empties with nobody to follow',
    data: { s: { a: 3 } },
    writes: ['PUT /s/b.json 1', 'PUT /s/c.json 2', 'DELETE /s/b.json', 'DELETE /s/c.json', 'PUT /s/d.json 9'],
    streams: {
      '/s.json?orderBy="$value"&limitToFirst=2': [
        'put / {"a":3}',
        'put /b 1',
        'patch / {"c":2,"a":null}',
        'patch / {"b":null,"a":3}',
        'put /c null',
        'put /d 9',
      ],
    },
  },
  {
    name: '3.5 among equals the key decides',
    data: { s: { b: 1, d: 1, f: 2 } },
    writes: ['PUT /s/a.json 1', 'PUT /s/c.json 1', 'PUT /s/e.json 1', 'DELETE /s/a.json', 'PUT /s/10.json 1'],
    streams: {
      '/s.json?orderBy="$value"&limitToFirst=2': [
        'put / {"b":1,"d":1}',
        'patch / {"a":1,"d":null}',
        'patch / {"a":null,"c":1}',
        'patch / {"10":1,"c":null}',
      ],
      '/s.json?orderBy="$value"&equalTo=1&limitToLast=2': [
        'put / {"b":1,"d":1}',
        'patch / {"c":1,"b":null}',
        'patch / {"e":1,"c":null}',
      ],
    },
  },
  {
    name: '4.4 several children at once',
    data: S,
    writes: [
      'PATCH /scores.json {"ann":1,"bob":99}',
      'PATCH /scores.json {"eve":6,"cat":81}',
      'PATCH /scores.json {"eve":7,"ann":2}',
      'PATCH /scores.json {"cat":82,"dan":94}',
      'PATCH /.json {"scores/cat":83,"scores/fay":51,"z":1}',
      'PATCH /scores.json {"cat":null,"dan":null,"bob":null,"fay":null}',
    ],
    streams: {
      '/scores.json?orderBy="$value"&startAt=50': [
        'put / {"ann":55,"cat":80,"dan":93}',
        'patch / {"ann":null,"bob":99}',
        'put /cat 81',
        'patch / {"cat":82,"dan":94}',
        'patch / {"cat":83,"fay":51}',
        'patch / {"cat":null,"dan":null,"bob":null,"fay":null}',
      ],
      '/scores.json?orderBy="$value"&limitToLast=2': [
        'put / {"cat":80,"dan":93}',
        'patch / {"bob":99,"cat":null}',
        'put /dan 94',
        'patch / {"bob":null,"dan":null,"eve":7,"ann":2}',
      ],
    },
  },
  {
    name: '4.4 POST, and writes elsewhere, rejected or empty',
    data: { s: { a: 1, b: 5 }, z: 1 },
    writes: [
      'POST /s.json 0',
      'POST /s.json 9',
      'POST /s.json null',
      'PUT /z.json 2',
      'PUT /ss/a.json 0',
      'PATCH /s.json {}',
      'PATCH /.json {"z":3}',
      { send: 'PUT /s/a.json {', status: 400 },
      { send: 'PUT /s/a.json 0', headers: { 'if-match': 'x' }, status: 412 },
      'PUT /s/.priority.json 3',
      'PUT /s/a/.priority.json 4',
    ],
    streams: {
      '/s.json?orderBy="$value"&endAt=1': ['put / {"a":1}', 'put /{name1} 0'],
      '/s.json?orderBy="$value"&limitToFirst=1': ['put / {"a":1}', 'patch / {"{name1}":0,"a":null}'],
    },
  },
]

/** What happens inside children, and to the list as a whole. */
const depths: readonly StreamCase[] = [
  {
    name: '4.4 deep changes in children that stay',
    data: L,
    writes: [
      'PUT /l/a/x/y.json 5',
      'PATCH /l/a.json {"x/y":6,"z":7}',
      'PATCH /l/a/x.json {"y":8,"v":[1]}',
      'POST /l/b/x.json 9',
      'DELETE /l/a/x.json',
      'PUT /l/d/x/y.json 10',
      'PUT /l/a/n.json 1.5',
    ],
    streams: {
      '/l.json?orderBy="n"&limitToFirst=2': [
        `put / ${JSON.stringify({ a: L.l.a, b: L.l.b })}`,
        'put /a/x/y 5',
        'patch /a {"x/y":6,"z":7}',
        'patch /a/x {"y":8,"v":[1]}',
        'put /b/x/{name4} 9',
        'put /a/x null',
        'put /a/n 1.5',
      ],
      '/l.json?orderBy="n"&endAt=2': [
        `put / ${JSON.stringify({ a: L.l.a, b: L.l.b })}`,
        'put /a/x/y 5',
        'patch /a {"x/y":6,"z":7}',
        'patch /a/x {"y":8,"v":[1]}',
        'put /b/x/{name4} 9',
        'put /a/x null',
        'put /a/n 1.5',
      ],
    },
  },
  {
    name: '4.4 children replaced',
    data: L,
    writes: ['PUT /l/a.json {"n":1}', 'PUT /l/b.json {"n":2}', 'PUT /l/b.json {"n":9,"m":1}', 'PUT /l/b.json "leaf"'],
    streams: {
      '/l.json?orderBy="n"&limitToFirst=2': [
        `put / ${JSON.stringify({ a: L.l.a, b: L.l.b })}`,
        'put /a {"n":1}',
        'put /b {"n":2}',
        `patch / ${JSON.stringify({ b: null, c: L.l.c })}`,
        'patch / {"b":"leaf","c":null}',
      ],
      '/l.json?orderBy="n"&startAt=2&endAt=3': [
        `put / ${JSON.stringify({ b: L.l.b, c: L.l.c })}`,
        'put /b {"n":2}',
        'put /b null',
      ],
    },
  },
  {
    name: '4.4 deep changes that let in and out',
    data: L,
    writes: [
      'PUT /l/a/n.json 9',
      'PUT /l/d/n.json 0',
      'PATCH /l/b.json {"n":8,"m":1}',
      'DELETE /l/c/n.json',
      'PATCH /l.json {"a/n":0.5,"d/n":7}',
    ],
    streams: {
      '/l.json?orderBy="n"&limitToFirst=2': [
        `put / ${JSON.stringify({ a: L.l.a, b: L.l.b })}`,
        `patch / ${JSON.stringify({ a: null, c: L.l.c })}`,
        `patch / ${JSON.stringify({ d: { n: 0, x: { y: 4 } }, c: null })}`,
        `patch / ${JSON.stringify({ b: null, c: L.l.c })}`,
        'put /c/n null',
        `patch / ${JSON.stringify({ d: null, a: { n: 0.5, x: { y: 1 } } })}`,
      ],
      '/l.json?orderBy="n"&startAt=1&endAt=3': [
        `put / ${JSON.stringify({ a: L.l.a, b: L.l.b, c: L.l.c })}`,
        'put /a null',
        'put /b null',
        'put /c null',
      ],
    },
  },
  {
    name: '4.4 a deep delete takes the child along',
    data: { l: { a: { n: 1 }, b: { n: 2 }, c: { n: 3 } } },
    writes: ['DELETE /l/a/n.json', 'PATCH /l.json {"b/n":null}'],
    streams: {
      '/l.json?orderBy="n"': ['put / {"a":{"n":1},"b":{"n":2},"c":{"n":3}}', 'put /a null', 'put /b null'],
      '/l.json?orderBy="n"&limitToFirst=2': [
        'put / {"a":{"n":1},"b":{"n":2}}',
        'patch / {"a":null,"c":{"n":3}}',
        'put /b null',
      ],
    },
  },
  {
    name: '4.4 the list is replaced',
    data: { top: S },
    writes: [
      'PUT /top/scores.json {"x":60,"y":1}',
      'PUT /top/scores.json {"x":60,"y":2}',
      'PUT /top.json {"scores":{"x":60,"y":2}}',
      'PUT /top.json {"scores":{"z":70}}',
      'PATCH /.json {"top":{"scores":{"z":70,"v":71}}}',
      'PATCH /top.json {"scores":{"w":72}}',
      'PATCH /top.json {"other":1}',
    ],
    streams: {
      '/top/scores.json?orderBy="$value"&startAt=50': [
        'put / {"ann":55,"cat":80,"dan":93}',
        'put / {"x":60}',
        'put / {"x":60}',
        'put / {"z":70}',
        'put / {"z":70,"v":71}',
        'put / {"w":72}',
      ],
      '/top/scores.json?orderBy="$value"&limitToFirst=1': [
        'put / {"eve":5}',
        'put / {"y":1}',
        'put / {"y":2}',
        'put / {"z":70}',
        'put / {"z":70}',
        'put / {"w":72}',
      ],
    },
  },
  {
    name: '4.4 the list goes and comes again',
    data: { top: { s: { a: 1, b: 2 } } },
    writes: [
      'DELETE /top/s.json',
      'PUT /top/s.json {"c":3}',
      'DELETE /.json',
      'PUT /z.json 1',
      'PUT /top.json {"s":{"d":4}}',
    ],
    streams: {
      '/top/s.json?orderBy="$value"': [
        'put / {"a":1,"b":2}',
        'put / null',
        'put / {"c":3}',
        'put / null',
        'put / {"d":4}',
      ],
      '/top/s.json?orderBy="$value"&limitToLast=1': [
        'put / {"b":2}',
        'put / null',
        'put / {"c":3}',
        'put / null',
        'put / {"d":4}',
      ],
    },
  },
  {
    name: '4.4 a leaf in place of the list',
    data: { s: { a: 1, b: 2 } },
    writes: ['PUT /s.json 5', 'PUT /s.json {"c":3}'],
    streams: {
      '/s.json?orderBy="$value"': ['put / {"a":1,"b":2}', 'put / 5', 'put / {"c":3}'],
      '/s.json?orderBy="$value"&limitToLast=1': ['put / {"b":2}', 'put / null', 'put / {"c":3}'],
    },
  },
  {
    name: '4.4 a leaf above the list',
    data: { top: { s: { a: 1 } } },
    writes: ['PUT /top.json 5', 'PUT /top/s.json {"b":2}'],
    streams: { '/top/s.json?orderBy="$key"': ['put / {"a":1}', 'put / null', 'put / {"b":2}'] },
  },
]

/** Beginnings, ends, and what is between. */
const corners: readonly StreamCase[] = [
  {
    name: '4.4 the last child goes and another comes',
    data: { s: { a: 1 } },
    writes: ['DELETE /s/a.json', 'PUT /s/b.json 2'],
    streams: { '/s.json?orderBy="$value"': ['put / {"a":1}', 'put /a null', 'put /b 2'] },
  },
  {
    name: '4.4 the last child of a limited list goes, and with it the list',
    data: { s: { a: 1 } },
    writes: ['DELETE /s/a.json', 'PUT /s/b.json 2'],
    streams: { '/s.json?orderBy="$value"&limitToFirst=1': ['put / {"a":1}', 'put / null', 'put / {"b":2}'] },
  },
  {
    name: '4.4 the first child makes the list',
    writes: ['PUT /s/a.json 1', 'PUT /s/b.json 2'],
    streams: {
      '/s.json?orderBy="$value"': ['put / null', 'put / {"a":1}', 'put /b 2'],
      '/s.json?orderBy="$value"&startAt=2': ['put / null', 'put / {}', 'put /b 2'],
    },
  },
  {
    name: '4.4 the priority of a leaf in place of a list',
    data: { s: 5 },
    writes: ['PUT /s/.priority.json 3'],
    streams: {
      '/s.json?orderBy="$value"': ['put / 5'],
      '/s.json?orderBy="$value"&limitToFirst=1': ['put / null'],
      '/s.json?orderBy="$value"&limitToFirst=1&format=export': ['put / null'],
    },
  },
  {
    name: '4.4 a patch of the list that reaches into one child',
    data: L,
    writes: ['PATCH /l.json {"a/x/y":5,"a/z":1}', 'PATCH /.json {"l/a/x/y":6,"q":1}'],
    streams: {
      '/l.json?orderBy="n"&endAt=2': [
        `put / ${JSON.stringify({ a: L.l.a, b: L.l.b })}`,
        'patch / {"a/x/y":5,"a/z":1}',
        'patch / {"a/x/y":6}',
      ],
    },
  },
]

/** Patches of the list, or from above, that touch one child of the window. */
const patches: readonly StreamCase[] = [
  {
    name: '4.4 a patch replaces one child that stays',
    data: L,
    writes: ['PATCH /l.json {"a":{"n":0}}', 'PATCH /.json {"l/a":{"n":1},"q":1}'],
    streams: {
      '/l.json?orderBy="n"&limitToFirst=1': [
        `put / ${JSON.stringify({ a: L.l.a })}`,
        'put /a {"n":0}',
        'put /a {"n":1}',
      ],
    },
  },
  {
    name: '3.6 the priority of the list itself is never told',
    data: L,
    writes: [
      'PATCH /l.json {".priority":1,"a/x/y":5}',
      'PATCH /.json {"l/.priority":2,"l/a/x/y":6}',
      'PATCH /l.json {".priority":3,"d/x/y":5}',
      'PATCH /l.json {".priority":4}',
      'PUT /l/.priority.json 5',
    ],
    streams: {
      '/l.json?orderBy="n"&endAt=2&format=export': [
        `put / ${JSON.stringify({ a: L.l.a, b: L.l.b })}`,
        'patch / {"a/x/y":5}',
        'patch / {"a/x/y":6}',
      ],
    },
  },
  {
    name: '4.4 a patch of one child in the window and others outside tells of the one',
    data: L,
    writes: ['PATCH /l.json {"a/x/y":5,"d/x/y":6}', 'PATCH /.json {"l/a/x/y":7,"l/c/x/y":8,"z":1}'],
    streams: {
      '/l.json?orderBy="n"&limitToFirst=2': [
        `put / ${JSON.stringify({ a: L.l.a, b: L.l.b })}`,
        'put /a {"n":1,"x":{"y":5}}',
        'put /a {"n":1,"x":{"y":7}}',
      ],
    },
  },
]

/** Every order, every bound. */
const orders: readonly StreamCase[] = [
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

export const filteredStreams: readonly StreamCase[] = [...windows, ...depths, ...corners, ...patches, ...orders]
