import { S } from '../rest/data-sets.ts'
import type { StreamCase } from './interpreter.ts'

/** What enters, leaves and pushes out. */
export const windows: readonly StreamCase[] = [
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
    name: '4.4 windows that begin or end at the keys below and above every key',
    data: S,
    writes: ['PUT /scores/fay.json 55', 'PUT /scores/gus.json 56', 'PUT /scores/amy.json 1'],
    streams: {
      '/scores.json?orderBy="$value"&startAfter=55,"[MAX_NAME]"': ['put / {"cat":80,"dan":93}', 'put /gus 56'],
      '/scores.json?orderBy="$value"&endBefore=55,"[MIN_NAME]"': ['put / {"eve":5,"bob":21}', 'put /amy 1'],
      '/scores.json?orderBy="$key"&startAt="[MAX_NAME]"': ['put / {}'],
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
