import fc from 'fast-check'

export const anyMethod = fc.constantFrom(
  'GET',
  'HEAD',
  'PUT',
  'PUT',
  'POST',
  'PATCH',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'LOCK',
  'PROPFIND',
)

export const anySegment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c', '0', '1', '2', '__proto__') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        '',
        '.',
        '..',
        '%2e%2e',
        '%00',
        '%ff',
        '%',
        '%zz',
        '%C3%A9',
        '%2F',
        '$',
        '%23',
        '[',
        'x.y',
        '.priority',
        '.info',
      ],
      ...['.value', '.sv', '%F0%9F%98%80', 'é', '%ED%A0%80', 'a%20b', '+', '\\', '|', '"', 'k'.repeat(800)],
    ),
  },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 5 }).map(percentEncoded) },
)

export const anyParameter = fc.oneof(
  fc.constantFrom(
    ...[
      'print=pretty',
      'print=silent',
      'print=x',
      'shallow=true',
      'count=true',
      'format=export',
      'format=x',
      'sv=timestamp',
    ],
    ...[
      'callback=cb',
      'callback=%28',
      'download=a%22b',
      'timeout=1s',
      'timeout=x',
      'writeSizeLimit=tiny',
      'readSizeLimit=unlimited',
      'orderBy="$key"',
    ],
    ...[
      'auth=wrong',
      'access_token=wrong',
      'ns=app',
      'ns=other',
      'app=app',
      'app=other',
      'x-http-method-override=PUT',
      'X-HTTP-Method-Override=x',
    ],
    ...[
      'orderBy="$value"',
      'orderBy="$priority"',
      'orderBy="a/b"',
      'orderBy="$x"',
      'orderBy=%22%2522',
      'orderBy="__proto__"',
    ],
    ...[
      'limitToFirst=1',
      'limitToLast=2',
      'limitToLast=-1',
      'startAt=1,"a"',
      'startAt="a"',
      'startAfter=null',
      'endAt=x',
    ],
    ...['endBefore=[1]', 'endAt="\uD83D"', 'equalTo="a","b"', 'endAt=%22%00%22', 'startAt=1e999'],
    ...['equalTo=null', '_=1', 'auth_variable_override=null', '%zz=%', '&&==', '__proto__=1'],
  ),
  fc.uint8Array({ maxLength: 8 }).map(percentEncoded),
)

/** A query that may well be a legal one, which parameters taken at random seldom are. */
export const anyQuery = fc
  .tuple(
    fc.constantFrom('"$key"', '"$value"', '"$priority"', '"a"', '"b/c"', '"0"', '"length"'),
    fc.constantFrom('', 'limitToFirst=1', 'limitToLast=2', 'count=true', 'format=export', 'print=pretty'),
    fc.dictionary(
      fc.constantFrom('startAt', 'startAfter', 'endAt', 'endBefore', 'equalTo'),
      fc.tuple(fc.json({ maxDepth: 0 }), fc.option(fc.string({ maxLength: 2 }), { freq: 3 })),
      { maxKeys: 2 },
    ),
  )
  .map(([order, other, bounds]) => {
    const bound = ([value, key]: [string, string | null]) => (key === null ? value : `${value},${JSON.stringify(key)}`)
    const filters = Object.entries(bounds).map(([name, parts]) => `${name}=${encodeURIComponent(bound(parts))}`)
    return [`orderBy=${order}`, ...filters, other].join('&')
  })

export const anyHeader = fc.constantFrom<readonly [string, string]>(
  ['X-Firebase-ETag', 'true'],
  ['if-match', '*'],
  ['if-match', 'null_etag'],
  ['If-None-Match', '"x"'],
  ['X-HTTP-Method-Override', 'PATCH'],
  ['X-HTTP-Method-Override', 'nothing'],
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'deflate'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Content-Type', 'multipart/form-data'],
  ['Authorization', 'Bearer wrong'],
  ['Authorization', 'Basic eA=='],
  ['Accept', 'text/event-stream'],
  ['Cookie', 'a=%zz; __proto__=1'],
)

const anyJson = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.constantFrom(
    ...[
      'null',
      '{}',
      '[]',
      '{"a":1,"b":{"c":2}}',
      '["x",null,"y"]',
      '{".value":1,".priority":2}',
      '{".priority":true}',
    ],
    ...['{".sv":"timestamp"}', '{".sv":{"increment":1}}', '{"a/b":1,"c":null}', '{"a":1,"a/b":2}', '{"a/.priority":1}'],
    ...['1e999', '"\\ud800"', '{"":1}', '{"__proto__":{"a":1}}', `"${'x'.repeat(300)}"`, `"${' '.repeat(5000)}"`],
  ),
)

export const anyBody = fc.oneof(
  { weight: 6, arbitrary: anyJson.map((json) => new TextEncoder().encode(json)) },
  { weight: 1, arbitrary: anyJson.map((json) => Bun.gzipSync(new TextEncoder().encode(json))) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => new Uint8Array(bytes)) },
)

function percentEncoded(bytes: Uint8Array): string {
  return [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}
