import { S } from '../rest/data-sets.ts'
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

/** What happens inside children, and to the list as a whole. */
export const depths: readonly StreamCase[] = [
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
export const corners: readonly StreamCase[] = [
  {
    name: '4.4 the last child goes and another comes',
    data: { s: { a: 1 } },
    writes: ['DELETE /s/a.json', 'PUT /s/b.json 2'],
    streams: { '/s.json?orderBy="$value"': ['put / {"a":1}', 'put /a null', 'put /b 2'] },
    isToldEach: true,
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
export const patches: readonly StreamCase[] = [
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
