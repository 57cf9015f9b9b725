import fc from 'fast-check'
import { signatureOf } from '../../protocol/sms/calls.ts'
import { anyKey, anyPayload as anyTreePayload } from '../../support/payloads.ts'
import { customToken, nowInSeconds, signedToken } from '../../support/token.ts'
import { draftOf, goodCalls, requestOf } from '../sms/good-calls.ts'
import type { FuzzRequest } from './exchange.ts'
import { anyBody, anyHeader, anyMethod, anyParameter, anyQuery, anySegment } from './tree-pieces.ts'

/** Keys of the applications there are, by their names. */
export interface FuzzKeys {
  readonly secret: string
  readonly smsKey: string
}

/** The applications that anything may be done to. */
const APPLICATIONS = ['app', 'fire', 'locked', 'ruled'] as const
export type ApplicationName = (typeof APPLICATIONS)[number]

const LONG_ENOUGH = 16_000
const JSON_SUFFIX = ['.json', '.json', '.json', '.json', '/.json', '', '.jso', '.json/', '.JSON'] as const

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

/** Bodies that are about bounds: depth, numbers, names said twice, members with a meaning. */
const trickyBody = fc.constantFrom(
  ...[
    `${'['.repeat(40)}1${']'.repeat(40)}`,
    `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`,
    `${'['.repeat(100_000)}`,
    '{"a":1,"a":{"b":2},"a":3}',
    '{"__proto__":{"polluted":true},"constructor":{"prototype":1}}',
    '{"__proto__":null}',
    '[1e308,-1e308,5e-324,-0,1E+2,123456789012345678901234567890]',
    '{".value":{".sv":"timestamp"},".priority":{".sv":{"increment":1}}}',
    '{".sv":{"increment":1e308}}',
    '{".sv":["timestamp"]}',
    '{"a":{".sv":"timestamp"},"b":{".priority":"x",".value":null}}',
    '{".priority":{"a":1}}',
    '{"a/b/c":1,"a/b":null}',
    '{"/a//b/":1}',
    '{"a/../b":1}',
    `{"${'k'.repeat(769)}":1}`,
    `{"${'é'.repeat(384)}":1}`,
    '{"\\u0000":1}',
    '{"\\ud800":1}',
    '{"\ud83d\ude00\\uffff":"\\u2028"}',
    '\ufeff{"a":1}',
    'nul',
    '{"a":1}{"b":2}',
    '{"a":1',
    `"${'y'.repeat(20_100)}"`,
    `{"rules":{".read":true,".write":"auth != null"}}`,
    `{"rules":{".read":"auth.uid === 'a' && /x/"}}`,
    `{"rules":{"$a":{},"$b":{}}}`,
    '{"token":null}',
  ].map(bytes),
)

const anyApplication = fc.constantFrom<ApplicationName | 'nobody' | '../x' | ''>(
  ...APPLICATIONS,
  ...APPLICATIONS,
  'nobody',
  '../x',
  '',
)

/** Credentials, good ones among them. */
function anyCredential(keys: (name: ApplicationName) => FuzzKeys): fc.Arbitrary<string> {
  const { secret } = keys('app')
  const good = APPLICATIONS.flatMap((name) => [
    keys(name).secret,
    customToken(keys(name).secret, { uid: 'ann', debug: true }),
    customToken(keys(name).secret, { d: { uid: 'ann' }, admin: true }),
  ])
  return fc.constantFrom(
    ...good,
    'owner',
    '',
    'a.b.c',
    `${'a'.repeat(100)}.${'b'.repeat(LONG_ENOUGH)}.c`,
    customToken(secret, { uid: 'ann', exp: nowInSeconds() - 5 }),
    customToken(secret, { uid: '' }),
    customToken(secret, {}),
    signedToken(secret, { alg: 'none' }, { v: 1, uid: 'ann', iat: nowInSeconds() }),
    signedToken(secret, { alg: 'HS256', crit: ['x'] }, { v: 1, uid: 'ann', iat: nowInSeconds() }),
    signedToken(secret, ['HS256'], '__proto__'),
  )
}

const oddHeader = fc.constantFrom<readonly [string, string]>(
  ['Host', 'localhost'],
  ['Host', ''],
  ['Host', 'a b'],
  ['Host', '[::1'],
  ['Host', 'locked.example.org:99999'],
  ['Host', '/'],
  ['Host', '?#@'],
  ['X-Forwarded-For', '1.2.3.4, ::ffff:1.2.3.4, junk'],
  ['X-Forwarded-Proto', 'http'],
  ['Idempotency-Key', 'one'],
  ['Idempotency-Key', 'k'.repeat(300)],
  ['Idempotency-Key', ''],
  ['Last-Event-ID', '0'],
  ['Last-Event-ID', 'not:an:id'],
  ['Last-Event-ID', 'AAAAAAAAAAAAAAAAAAAAAA'],
  ['Accept', 'text/event-stream;q=0'],
  ['Accept', 'text/html'],
  ['Accept-Encoding', 'gzip'],
  ['Range', 'bytes=0-1'],
  ['Origin', 'null'],
  ['If-Match', '"x", "y"'],
  ['x-goog-api-client', 'x'],
  ['X-Long', 'v'.repeat(7000)],
  ['X-Latin', '\u00e9\u00ff'],
)

const anyHeaders = fc.array(fc.oneof({ weight: 3, arbitrary: anyHeader }, oddHeader), { maxLength: 4 })
const anyHttpMethod = fc.oneof(
  { weight: 12, arbitrary: anyMethod },
  { weight: 1, arbitrary: fc.constantFrom('TRACE', 'PURGE', 'MKCOL', 'SEARCH', 'QUERY', 'get', 'GETT') },
)
const anyPayload = fc.oneof({ weight: 4, arbitrary: anyBody }, { weight: 1, arbitrary: trickyBody })

function withQuery(path: string, parameters: readonly string[]): string {
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
}

/** A target as it may stand in a request line: what may not is escaped, escapes stay. */
function sendable(target: string): string {
  const escaped = target.toWellFormed().replace(/[^!-~]/gu, (character) => encodeURIComponent(character))
  return escaped.replaceAll('#', '%23')
}

/** Any request of any surface, rightly or wrongly made. */
export function anyRequest(keys: (name: ApplicationName) => FuzzKeys): fc.Arbitrary<FuzzRequest> {
  const credential = anyCredential(keys)
  const choice = fc.oneof(
    { weight: 3, arbitrary: fc.constant<readonly string[]>([]) },
    { weight: 3, arbitrary: anyApplication.map((name) => [`ns=${name}`]) },
    { weight: 2, arbitrary: credential.map((text) => [`auth=${encodeURIComponent(text)}`]) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...APPLICATIONS), fc.boolean())
        .map(([name, isDouble]) => [
          `ns=${name}`,
          ...Array(isDouble ? 2 : 1).fill(`auth=${encodeURIComponent(keys(name).secret)}`),
        ]),
    },
  )
  const parameters = fc
    .tuple(
      choice,
      fc.oneof(
        { weight: 3, arbitrary: fc.array(anyParameter, { maxLength: 3 }) },
        { weight: 1, arbitrary: anyQuery.map((query) => [query]) },
      ),
    )
    .map((parts) => parts.flat())

  const onTree = fc
    .record({
      method: anyHttpMethod,
      segments: fc.array(anySegment, { maxLength: 5 }),
      suffix: fc.constantFrom(...JSON_SUFFIX),
      parameters,
      headers: anyHeaders,
      body: fc.option(anyPayload, { freq: 8, nil: undefined }),
    })
    .map(({ segments, suffix, parameters: all, ...rest }) => ({
      ...rest,
      target: withQuery(`/${segments.join('/')}${suffix}`, all),
    }))
  const onGoodTree = anyGoodRequest(keys)
  const onPlaces = fc
    .record({
      method: anyHttpMethod,
      path: fc.constantFrom(
        ...['/.settings/rules.json', '/.settings/defaultWriteSizeLimit.json', '/.settings/x.json', '/.settings/'],
        ...['/.auth/customTokenToIdToken.json', '/.auth/x.json', '/.info/connected.json', '/.info/x.json'],
        ...['/swagger', '/swagger/', '/swagger/json', '/swagger/start.js', '/swagger/swagger-ui.css', '/swagger/../x'],
        ...['/docs/live', '/docs/live.js', '/docs/live.css', '/docs', '/docs/live/'],
        ...['/health', '/ready', '/metrics', '/health/', '/favicon.ico', '/robots.txt', '/', '//', '/*', '/.json?'],
        ...['/api/v1/carrier-codes', '/api/v1/app', '/api/v3/app/status', '/api/v1//status', '/api/v1/app/x.json'],
      ),
      // Rules of the others stay, so that what is compared at the end can be read.
      parameters: fc
        .tuple(fc.constantFrom('ns=ruled', 'ns=ruled', 'ns=locked', 'ns=nobody'), parameters)
        .map(([name, all]) => [name, ...all.filter((parameter) => !/^(ns|app)=/.test(parameter))]),
      headers: anyHeaders,
      body: fc.option(anyPayload, { freq: 4, nil: undefined }),
    })
    .map(({ path, parameters: all, ...rest }) => ({ ...rest, target: withQuery(path, all) }))
  const onTokens = fc
    .record({ credential: credential, name: fc.constantFrom(...APPLICATIONS), headers: anyHeaders })
    .map(({ credential: token, name, headers }) => ({
      method: 'POST',
      target: `/.auth/customTokenToIdToken.json?ns=${name}`,
      headers,
      body: bytes(JSON.stringify({ token })),
    }))
  return fc
    .oneof(
      { weight: 8, arbitrary: onTree },
      { weight: 8, arbitrary: onGoodTree },
      { weight: 3, arbitrary: onPlaces },
      { weight: 1, arbitrary: onTokens },
      { weight: 3, arbitrary: anySmsCall(keys) },
    )
    .map((request) => ({ ...request, target: sendable(request.target) }))
}

/** A request of the tree with nothing wrong about it, but what its parameters may have against each other. */
function anyGoodRequest(keys: (name: ApplicationName) => FuzzKeys): fc.Arbitrary<FuzzRequest> {
  const parameter = fc.constantFrom(
    ...['', '', '', 'print=pretty', 'print=silent', 'shallow=true', 'count=true', 'format=export', 'callback=cb'],
    ...['orderBy="$key"', 'orderBy="$value"&limitToLast=2', 'orderBy="a"&startAt=1', 'orderBy="$priority"'],
    ...[
      'download=x',
      'timeout=1s',
      'writeSizeLimit=small',
      'resume=true',
      'sv=timestamp',
      'format=export&readSizeLimit=unlimited',
    ],
  )
  const header = fc.constantFrom<readonly [string, string]>(
    ['X-Firebase-ETag', 'true'],
    ['if-match', 'null_etag'],
    ['If-None-Match', '*'],
    ['Accept', 'text/event-stream'],
    ['Content-Type', 'text/plain'],
    ['Idempotency-Key', 'again'],
  )
  return fc
    .record({
      method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'PUT', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS'),
      path: fc.array(anyKey, { minLength: 1, maxLength: 4 }),
      end: fc.constantFrom('', '', '', '', '', '/.priority'),
      name: fc.constantFrom(...APPLICATIONS, 'app', 'app'),
      parameter,
      headers: fc.array(header, { maxLength: 1 }),
      json: fc.oneof(anyTreePayload, fc.dictionary(anyKey, anyTreePayload, { maxKeys: 4 })),
    })
    .map(({ method, path, end, name, parameter: more, headers, json }) => {
      const isOpen = name === 'app' || name === 'fire'
      const parts = [`ns=${name}`, ...(isOpen ? [] : [`auth=${encodeURIComponent(keys(name).secret)}`]), more]
      return {
        method,
        target: withQuery(
          `/${path.map(encodeURIComponent).join('/')}${end}.json`,
          parts.filter((part) => part !== ''),
        ),
        headers,
        body: ['PUT', 'POST', 'PATCH'].includes(method) ? bytes(JSON.stringify(json)) : undefined,
      }
    })
}

/** Calls about text messages: right ones, and with something changed before or after they were signed. */
function anySmsCall(keys: (name: ApplicationName) => FuzzKeys): fc.Arbitrary<FuzzRequest> {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('', '0', '[]', '["13800138000","13800138000"]', '{}', '1e9', '\u0000', '__proto__', '小'),
  )
  const change = fc.tuple(
    fc.constantFrom('rrid', 'mobile', 'mobiles', 'messageIds', 'stat', 'done', 'timestamp', 'source', 'token', 'body'),
    text,
  )
  return fc
    .record({
      call: fc.constantFrom(...goodCalls),
      app: fc.constantFrom('app', 'app', 'fire', 'locked', 'nobody', 'X', '%2e'),
      changes: fc.array(change, { maxLength: 2 }),
      signing: fc.constantFrom('right', 'right', 'right', 'wrong', 'none', 'twice'),
      method: fc.option(anyHttpMethod, { freq: 8, nil: undefined }),
      body: fc.option(anyPayload, { freq: 6, nil: undefined }),
      headers: fc.array(anyHeader, { maxLength: 1 }),
    })
    .map(({ call, app, changes, signing, method, body, headers }) => {
      const draft = draftOf(call)
      draft.app = app
      for (const [name, value] of changes) draft.fields[name] = value
      const key = keys(app === 'fire' || app === 'locked' ? app : 'app').smsKey
      const signed = call.body === undefined ? draft.fields : { ...draft.fields, body: call.body }
      const signature = signing === 'none' ? null : signing === 'wrong' ? '0'.repeat(64) : signatureOf(signed, key)
      const { target, options } = requestOf(call, draft, signature)
      const twice = signing === 'twice' ? `${target.includes('?') ? '&' : '?'}signature=${signature}&rrid=a&rrid=b` : ''
      return {
        method: method ?? call.method,
        target: target + twice,
        headers: [...Object.entries(options.headers ?? {}), ...headers],
        body: body ?? (typeof options.body === 'string' ? bytes(options.body) : undefined),
      }
    })
}
