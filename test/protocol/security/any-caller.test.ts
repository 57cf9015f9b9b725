import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { escapedTarget } from '../../support/event-source.ts'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { customToken } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'

const RUNS = 1500
const STATUSES = [200, 204, 304, 400, 401, 403, 405, 412]
const admin = `auth=${encodeURIComponent(SECRET)}`
const unforeseen: unknown[] = []

const server = withServer(() =>
  startInProcess({
    observer: {
      storeFailed: (_, error) => unforeseen.push(error),
      storeTroubled: (_, error) => unforeseen.push(error),
      requestFailed: (_, __, error) => unforeseen.push(error),
    },
  }),
)

/** Rules that look at everything there is, and often fail. */
const anyRules = fc.constantFrom<unknown>(
  {
    '.read': 'query.limitToFirst <= 2 || auth.token.x.length > 2',
    '.write': "newData.child('x').val() == now || auth != null",
    $k: {
      '.validate': "newData.hasChildren(['a']) || newData.val().matches(/^a+$/)",
      '.indexOn': ['a', '.value', 'b/c'],
    },
  },
  {
    '.write': true,
    a: {
      '.read': 'data.child(query.orderByChild).exists()',
      $p: {
        '.write': "root.child($p).parent().parent().exists() || newData.parent().child('q').getPriority() > 1",
        $q: { '.validate': "data.parent().child($q + '/' + $p).val() + newData.val() > 5" },
      },
    },
  },
  {
    '.read': "auth.uid.replace('a', 'b') === 'x' || auth.token['constructor'] != null || auth.token.a.b.c == null",
    '.write': 'auth.token.n / 0 > 1 || -newData.val() < 3 || newData.isNumber()',
  },
)

const anyPath = fc.constantFrom(
  ...['/', '/a', '/a/b', '/a/b/.priority', '/__proto__', '/constructor/toString', '/a/😀', '/.priority'],
  ...['/x/0', '/a//b/', '/.info/connected', '/.settings/rules', '/.settings/defaultWriteSizeLimit'],
  ...['/.auth/customTokenToIdToken', '/.settings/', '/.auth/'],
)

const anyCredential = fc.constantFrom(
  '',
  admin,
  'auth=bad',
  'auth=',
  `auth=${customToken(SECRET, { uid: 'ann', debug: true, claims: { x: 'abc', n: 3, constructor: 1 } })}`,
  `auth=${customToken(SECRET, { d: { uid: 'b', token: 1, provider: { a: 1 } }, debug: true })}`,
  `access_token=${customToken(SECRET, { admin: true, debug: true })}`,
  `${admin}&auth_variable_override={"uid":5,"token":{"x":["a"]}}`,
  `${admin}&auth_variable_override={"__proto__":{"uid":"ann"}}`,
  `${admin}&auth_variable_override=null`,
  `${admin}&auth_variable_override=[]`,
  'auth_variable_override={}',
)

const anyParameter = fc.constantFrom(
  ...['print=pretty', 'print=silent', 'shallow=true', 'count=true', 'format=export', 'orderBy="$key"', 'callback=f'],
  ...['orderBy="a"&equalTo=1', 'orderBy="$value"&limitToLast=3', 'orderBy="$priority"&startAt=1', 'sv=timestamp'],
  ...['orderBy="a/b"&startAt="x"&endAt="y","k"', 'download=x', 'timeout=1ms', 'writeSizeLimit=tiny', 'dryRun=true'],
  ...[
    'format=export&readSizeLimit=unlimited',
    'limitToFirst=2&shallow=true',
    'format=strict',
    'x-http-method-override=PATCH',
    'resume=true',
    'ns=app',
  ],
)

const anyBody = fc.constantFrom(
  ...['null', '1', '"aaa"', '{"x":{".sv":"timestamp"}}', '{"a":{"a":1},"b":[1,2]}', '{"__proto__":{"a":1}}', '{', ''],
  ...['{"a/b":null,"a/c":5,"a/.priority":3}', '{".value":5,".priority":"x"}', '{"q/r":{".sv":{"increment":2}}}'],
  ...['{"rules":{".read":true,".write":true}}', '{"token":"x"}', '{"a":{".priority":1}}', '"tiny"'],
)

const anyHeaders = fc.record(
  {
    'if-match': fc.constantFrom('*', 'null_etag', 'x'),
    'x-firebase-etag': fc.constant('true'),
    'x-http-method-override': fc.constantFrom('PUT', 'DELETE', 'GET', 'FOO'),
  },
  { requiredKeys: [] },
)

const anyRequest = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE'),
  path: anyPath,
  parameters: fc.tuple(anyCredential, fc.array(anyParameter, { maxLength: 2 })),
  body: anyBody,
  headers: anyHeaders,
})

test('whoever asks for whatever under whatever rules is answered by the list', async () => {
  await fc.assert(
    fc.asyncProperty(anyRules, fc.array(anyRequest, { minLength: 10, maxLength: 30 }), async (rules, requests) => {
      const body = JSON.stringify({ rules })
      await server.call('PUT', `/.settings/rules.json?${admin}`, { body })
      await server.call('PUT', `/.json?${admin}`, { body: '{"a":{"b":{"a":1,".priority":4},"x":2},"x":["u","v"]}' })
      for (const { method, path, parameters, body: sent, headers } of requests) {
        const search = parameters.flat().filter((parameter) => parameter !== '')
        const options = method === 'GET' || method === 'HEAD' ? { headers } : { headers, body: sent }
        const { status, text } = await server.call(method, escapedTarget(`${path}.json?${search.join('&')}`), options)
        expect(status).toBeOneOf(STATUSES)
        expect(text).not.toContain(SECRET)
      }
    }),
    { numRuns: RUNS / 20 },
  )
  expect(unforeseen).toEqual([])
})
