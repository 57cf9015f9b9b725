import { escaped, K, M, P, S } from '../data-sets.ts'
import { type ErrorRow, errors } from '../errors.ts'
import type { Case, Step } from '../interpreter.ts'

/** Filters that mean nothing without an order, each with a value that could stand there. */
const FILTERS: Readonly<Record<string, string>> = {
  limitToFirst: '1',
  limitToLast: '1',
  startAt: '"a"',
  startAfter: '"a"',
  endAt: '"a"',
  endBefore: '"a"',
  equalTo: '"a"',
}
const BOUNDS: readonly string[] = ['startAt', 'startAfter', 'endAt', 'endBefore', 'equalTo']

const NO_JSON = ['abc', '', "'a'", '"a', 'NaN', 'undefined', '-', '01', '.5', '"a",', ',"a"', ',', '"a"],["b"', '1 2']
const NO_PRIMITIVE = ['{}', '[]', '{"a":1}', '["a"]', '["a","b"]', '{},"a"', '[],"a"']
/** Three parts, or a second one that is no text. */
const NO_KEY = ['1,"a","b"', '"a","b","c"', '1,2', '1,null', '1,true', '1,["a"]', '1,{"a":1}', '1,"\\ud800"']
/** What no value can be. */
const NO_VALUE = ['"\\ud800"', '"a\\udc00b"', '1e400', '-1e400', '1e400,"a"']

/** Reads that must all be refused alike; their filters are escaped as a URL wants it. */
function refused(error: ErrorRow, target: string, filters: readonly string[]): Step[] {
  return filters.map((filter) => ({ send: `GET ${target}?${escaped(filter)}`, error }))
}

/** Section 3.1: every way a query can be refused to a client of the Wilddog family. */
export const queryErrors: readonly Case[] = [
  {
    name: '68 a limit without an order',
    data: S,
    steps: [{ send: 'GET /scores.json?limitToFirst=2', error: errors.noOrder }],
  },
  {
    name: '69 two orders',
    data: S,
    steps: [{ send: 'GET /scores.json?orderBy="$key"&orderBy="$value"', error: errors.order }],
  },
  { name: '70 no quotes', data: S, steps: [{ send: 'GET /scores.json?orderBy=height', error: errors.order }] },
  { name: '71 an unknown order', data: S, steps: [{ send: 'GET /scores.json?orderBy="$foo"', error: errors.order }] },
  {
    name: '72 limits',
    data: S,
    steps: [
      { send: 'GET /scores.json?orderBy="$key"&limitToFirst=1&limitToLast=1', error: errors.bothLimits },
      { send: 'GET /scores.json?orderBy="$key"&limitToFirst=0', error: errors.firstPositive },
      { send: 'GET /scores.json?orderBy="$key"&limitToFirst=x', error: errors.firstInteger },
    ],
  },
  {
    name: '73 bounds',
    data: S,
    steps: [
      { send: 'GET /scores.json?orderBy="$key"&startAt=5', error: errors.keyBound },
      { send: 'GET /scores.json?orderBy="$key"&startAt=abc', error: errors.bound },
    ],
  },
  {
    name: '74 shallow with an order',
    data: S,
    steps: [{ send: 'GET /scores.json?orderBy="$key"&shallow=true', error: errors.shallowOrder }],
  },
  {
    name: '3.1 a filter given twice',
    data: S,
    steps: refused(errors.order, '/scores.json', [
      'orderBy="$key"&orderBy="$key"',
      ...Object.entries(FILTERS).map(([name, value]) => `orderBy="$value"&${name}=${value}&${name}=${value}`),
    ]),
  },
  {
    name: '3.1 what is no order',
    data: S,
    steps: refused(
      errors.order,
      '/scores.json',
      [
        ...['', 'height', '$key', '$value', "'h'", '"h', 'h"', '"h" x', '"h","n"', '5', 'null', 'true'],
        ...['["h"]', '{"a":"h"}', '""', '"/"', '"//"', '"$"', '"$other"', '"$Key"', '"$key/a"', '"a/$value"'],
        ...['"a.b"', '".value"', '".priority"', '"a/.priority"', '"a#b"', '"a[0]"', '"a]"', '"\\u0000"', '"\\u007f"'],
        ...['"\\ud800"', '"a\\n"'],
      ].map((order) => `orderBy=${order}`),
    ),
  },
  {
    name: '3.1 a twice encoded order is decoded once more, and no oftener',
    data: S,
    steps: ['%2522', '%2522$foo%2522', '%25zz', '%2522%25zz%2522', '%252522$key%252522', '%2522%2522'].map((text) => ({
      send: `GET /scores.json?orderBy=${text}`,
      error: errors.order,
    })),
  },
  {
    name: '3.1 filters without an order',
    data: S,
    steps: [
      ...Object.entries(FILTERS).flatMap(([name, value]) =>
        ['/scores.json', '/.json', '/none.json', '/scores/ann.json'].map((target) => ({
          send: `GET ${target}?${name}=${value}`,
          error: errors.noOrder,
        })),
      ),
      ...refused(errors.noOrder, '/scores.json', [
        'startAt="a"&endAt="b"',
        'shallow=false&limitToFirst=1',
        'count=true&startAt=1',
        'count=true&equalTo=1',
        'count=true&startAfter=1&endBefore=5',
        'OrderBy="$key"&limitToLast=1',
      ]),
    ],
  },
  {
    name: '3.1 both limits',
    data: S,
    steps: refused(errors.bothLimits, '/scores.json', [
      'orderBy="$value"&limitToLast=2&limitToFirst=2',
      'orderBy="$priority"&limitToFirst=1&startAt=1&limitToLast=1',
      'shallow=true&limitToFirst=1&limitToLast=1',
    ]),
  },
  {
    name: '3.1 what is no limit',
    data: S,
    steps: ['orderBy="$value"', 'orderBy="$key"', 'shallow=true'].flatMap((rest) => [
      ...['x', '', '1.5', '1.0', '1e2', '0x10', '"1"', 'null', 'true', '1,', '1 2', 'Infinity', '--1', '１'].flatMap(
        (limit) => [
          ...refused(errors.firstInteger, '/scores.json', [`${rest}&limitToFirst=${limit}`]),
          ...refused(errors.lastInteger, '/scores.json', [`${rest}&limitToLast=${limit}`]),
        ],
      ),
      ...['0', '-1', '00', '-0', '-99999999999999999999'].flatMap((limit) => [
        ...refused(errors.firstPositive, '/scores.json', [`${rest}&limitToFirst=${limit}`]),
        ...refused(errors.lastPositive, '/scores.json', [`${rest}&limitToLast=${limit}`]),
      ]),
    ]),
  },
  {
    name: '3.1 what is no bound',
    data: { ...M, ...P },
    steps: [
      ...['"h"', '"$value"', '"$priority"', '"$key"'].flatMap((order) =>
        BOUNDS.flatMap((name) =>
          refused(
            errors.bound,
            '/m.json',
            [...NO_JSON, ...NO_PRIMITIVE].map((bound) => `orderBy=${order}&${name}=${bound}`),
          ),
        ),
      ),
      // Not with `$key`, where each of these has two things wrong.
      ...['"h"', '"$value"', '"$priority"'].flatMap((order) =>
        BOUNDS.flatMap((name) =>
          refused(
            errors.bound,
            '/m.json',
            [...NO_KEY, ...NO_VALUE].map((bound) => `orderBy=${order}&${name}=${bound}`),
          ),
        ),
      ),
    ],
  },
  {
    name: '3.1 bounds of keys are text, and alone',
    data: K,
    steps: BOUNDS.flatMap((name) =>
      refused(
        errors.keyBound,
        '/k.json',
        ['5', '-1.5', 'null', 'true', 'false', '"a","b"', '5,"b"', 'null,"b"'].map(
          (bound) => `orderBy="$key"&${name}=${bound}`,
        ),
      ),
    ),
  },
  {
    name: '3.1 no priority is a boolean',
    data: P,
    steps: BOUNDS.flatMap((name) =>
      refused(
        errors.priorityBoolean,
        '/p.json',
        ['true', 'false', 'true,"x"'].map((bound) => `orderBy="$priority"&${name}=${bound}`),
      ),
    ),
  },
  {
    name: '59 3.1 bounds that exclude each other',
    data: M,
    steps: ['"h"', '"$value"', '"$priority"'].flatMap((order) =>
      refused(
        errors.bounds,
        '/m.json',
        [
          ...['equalTo=2&startAt=1', 'equalTo=2&startAfter=1', 'equalTo=2&endAt=3', 'equalTo=2&endBefore=3'],
          ...['startAt=2&equalTo=2', 'startAt=1&endAt=3&equalTo=2', 'equalTo=2,"a"&startAt=1,"a"'],
          ...['startAt=1&startAfter=1', 'startAfter=1&startAt=1&endAt=3', 'endAt=3&endBefore=3'],
          ...['startAt=1&endBefore=3&endAt=3', 'limitToFirst=1&equalTo=2&startAt=1'],
        ].map((bounds) => `orderBy=${order}&${bounds}`),
      ),
    ),
  },
  {
    name: '3.1 keys: bounds that exclude each other',
    data: K,
    steps: refused(
      errors.bounds,
      '/k.json',
      [
        'equalTo="a"&startAt="a"',
        'endBefore="a"&equalTo="a"',
        'startAt="a"&startAfter="a"',
        'endAt="a"&endBefore="a"',
      ].map((bounds) => `orderBy="$key"&${bounds}`),
    ),
  },
  {
    name: '3.1 Wilddog: no range begins or ends at a boolean',
    data: M,
    steps: ['"h"', '"a/b"', '"$value"'].flatMap((order) =>
      refused(
        errors.booleanBound,
        '/m.json',
        [
          ...['startAt=false', 'startAt=true', 'endAt=false', 'endAt=true', 'startAt=false&endAt=true'],
          ...['startAt=true,"f"', 'endAt=true,"f"', 'startAt=false&limitToFirst=1'],
          ...['startAt=null&endAt=true', 'startAfter=null&endAt=true', 'startAt=false&endBefore=1'],
        ].map((bounds) => `orderBy=${order}&${bounds}`),
      ),
    ),
  },
  {
    name: '3.1 Wilddog: both ends of a range have one type',
    data: { ...M, ...P },
    steps: [
      ...['"h"', '"$value"', '"$priority"'].flatMap((order) =>
        refused(
          errors.boundTypes,
          '/m.json',
          ['startAt=1&endAt="x"', 'startAt="a"&endAt=5', 'startAt=1,"a"&endAt="x","c"', 'endAt=""&startAt=0'].map(
            (bounds) => `orderBy=${order}&${bounds}`,
          ),
        ),
      ),
    ],
  },
  {
    name: '3.1 shallow with an order',
    data: S,
    steps: refused(errors.shallowOrder, '/scores.json', [
      'shallow=true&orderBy="$key"',
      'shallow=true&orderBy="$value"&limitToFirst=1',
      'shallow=true&orderBy="h"',
    ]),
  },
  {
    name: '3.1 count with a limit',
    data: S,
    steps: refused(errors.countLimit, '/scores.json', [
      'count=true&orderBy="$value"&limitToFirst=1',
      'count=true&orderBy="$value"&limitToLast=1',
      'count=true&orderBy="$key"&startAt="b"&limitToLast=2',
    ]),
  },
  {
    name: '79 DELETE with a filter',
    data: S,
    steps: [{ send: 'DELETE /scores.json?orderBy="$value"&endAt=50', error: errors.writeFilter }],
    after: { '/.json': S },
  },
  {
    name: '0.9 no write has a query, by whatever method it comes',
    data: S,
    steps: ['orderBy="$value"', 'orderBy="$key"&limitToFirst=1', 'limitToLast=1', 'orderBy="$value"&equalTo=5'].flatMap(
      (query) => [
        { send: `PUT /scores.json?${query}`, body: '{"ann":1}', error: errors.writeFilter },
        { send: `POST /scores.json?${query}`, body: '1', error: errors.writeFilter },
        { send: `PATCH /scores.json?${query}`, body: '{"ann":1}', error: errors.writeFilter },
        { send: `DELETE /scores.json?${query}`, error: errors.writeFilter },
        {
          send: `POST /scores.json?${query}`,
          headers: { 'X-HTTP-Method-Override': 'DELETE' },
          error: errors.writeFilter,
        },
        {
          send: `POST /scores.json?${query}&x-http-method-override=put`,
          body: '1',
          error: errors.writeFilter,
        },
      ],
    ),
    after: { '/.json': S },
  },
  {
    name: '2 a query is looked at behind the path and before the credential',
    data: S,
    steps: [
      { send: 'GET /scores?orderBy=x', error: errors.noSuffix },
      { send: 'GET /a%23b.json?orderBy=x', error: errors.pathKey },
      { send: 'GET /scores.json?orderBy=x&auth=wrong', error: errors.order },
      { send: 'GET /scores.json?orderBy="$key"&startAt=5&auth=wrong', error: errors.keyBound },
      { send: 'GET /scores.json?orderBy="$key"&auth=wrong', error: errors.token },
      { send: 'GET /scores.json?limitToFirst=1&auth=wrong', error: errors.noOrder },
    ],
  },
  {
    name: '2.4 other parameters are checked with a query too',
    data: S,
    steps: [
      { send: 'GET /scores.json?orderBy="$key"&print=x', error: errors.parameter },
      { send: 'GET /scores.json?orderBy="$key"&format=x', error: errors.parameter },
      { send: 'GET /scores.json?orderBy="$key"&timeout=0s', error: errors.parameter },
      { send: 'GET /scores.json?orderBy="$key"&callback=1', error: errors.parameter },
      { send: 'GET /scores.json?orderBy="$key"', headers: { 'if-match': '*' }, error: errors.getIfMatch },
    ],
  },
  {
    name: '2.4 refusals in the dress of the answer',
    data: S,
    steps: [
      {
        send: 'GET /scores.json?orderBy=x&callback=cb',
        status: 400,
        text: '/**/cb({"errcode":20301,"message":"The orderBy parameter is invalid","error":"orderBy must be a valid JSON encoded path"});',
      },
      {
        send: 'GET /scores.json?limitToFirst=2&print=pretty',
        status: 400,
        text: '{\n  "errcode" : 20304,\n  "message" : "Lack of orderBy parameter",\n  "error" : "orderBy must be defined when other query parameters are defined"\n}\n',
      },
      { send: 'GET /scores.json?limitToFirst=2&print=silent', error: errors.noOrder },
      { send: 'GET /scores.json?limitToFirst=2&download=a.txt', error: errors.noOrder },
    ],
  },
]
