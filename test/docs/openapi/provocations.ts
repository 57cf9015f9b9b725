import type { ErrorCode } from '../../../src/error.ts'
import { SECRET } from '../../support/https-server.ts'
import { customToken, nowInSeconds, signedToken } from '../../support/token.ts'
import type { Documented } from './document.ts'

/** Servers with settings of their own; `plain` is one without encryption. */
export type Server = 'open' | 'locked' | 'several' | 'indexed' | 'wary' | 'calm' | 'plain'

/** A request that must fail, made from one that would not. */
export interface Provocation {
  readonly server?: Server
  /** What stands for the example of the path parameter, and behind the path. */
  readonly path?: string
  readonly query?: string
  /** In place of those that an operation needs. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  /** Where a request of this kind cannot come to this error by these means. */
  readonly not?: (documented: Documented) => boolean
}

const DEEP = Array.from({ length: 33 }, () => 'k').join('/')
const nested = (depth: number): string => (depth === 0 ? '1' : `{"k":${nested(depth - 1)}}`)
const isPatch = ({ method }: Documented): boolean => method === 'PATCH'
const isRead = ({ method }: Documented): boolean => method === 'GET' || method === 'HEAD'
const isInfo = ({ path }: Documented): boolean => path.startsWith('/.info/')
const isWrite = (documented: Documented): boolean => !isRead(documented)

/** Tokens that are refused, by the error. */
const wrongTokens = {
  'bad-token': ['wrong', customToken('a secret of somebody else', { uid: 'alice' })],
  'token-expired': [
    customToken(SECRET, { uid: 'alice', iat: 1, exp: 2 }),
    customToken(SECRET, { d: { uid: 'alice' }, iat: 1 }),
  ],
  'token-payload': [customToken(SECRET, { uid: 'a b' }), customToken(SECRET, { d: {} })],
  'token-refused': [
    customToken(SECRET, { uid: 'alice', aud: 'another' }),
    customToken(SECRET, { uid: 'alice', iat: nowInSeconds() + 3600 }),
    signedToken(SECRET, { alg: 'none' }, { v: 1, uid: 'alice', iat: 1 }),
  ],
} as const satisfies Partial<Record<ErrorCode, readonly string[]>>

/** A name that another request has. */
export const USED_KEY = { 'Idempotency-Key': 'used' }

/** How each error comes about; several ways where a body and a path can do it. */
export const provocations: Readonly<Partial<Record<ErrorCode, readonly Provocation[]>>> = {
  'app-not-named': [{ server: 'several' }],
  'app-unknown': [{ query: '?ns=nobody' }],
  'https-required': [{ server: 'plain' }],
  'json-suffix-missing': [{ path: 'users/alice.json/b' }],
  'bad-parameter': [
    { query: '?print=loud' },
    { query: '?orderBy="height"&equalTo=1&startAt=1' },
    { query: '?orderBy="height"&startAt=1&startAfter=1' },
    { query: '?limitToFirst=1', not: isRead },
  ],
  'bad-data': [
    { body: '{', not: isPatch },
    { body: '{"a":1e400}', not: ({ path }) => path.includes('.priority') },
  ],
  'bad-patch': [{ body: '[1]' }],
  'no-data': [{ body: '' }],
  'too-deep': [
    { path: DEEP, not: ({ path }) => !path.includes('{path}') },
    { body: nested(33), not: (documented) => isRead(documented) || documented.path.includes('.priority') },
  ],
  'key-too-long': [
    { path: 'k'.repeat(769), not: ({ path }) => !path.includes('{path}') },
    {
      body: `{"${'k'.repeat(769)}":1}`,
      not: (documented) => isRead(documented) || documented.path.includes('.priority'),
    },
  ],
  'bad-path': [{ path: 'a%23b' }, { path: 'a%zz' }],
  'bad-key': [{ body: '{"a#":1}' }],
  'empty-key': [{ body: '{"":1}' }],
  'priority-method': [{ path: 'users/alice/.priority' }],
  'key-reused': [{ headers: USED_KEY, not: isRead }],
  'bad-order': [
    { query: '?orderBy=height' },
    { query: '?orderBy="$height"' },
    { query: '?orderBy=""' },
    { query: '?orderBy="$key"&orderBy="$key"' },
    { query: '?orderBy="$key"&limitToFirst=1&limitToFirst=1' },
  ],
  'shallow-with-order': [{ query: '?orderBy="$key"&shallow=true' }],
  'count-with-limit': [
    { query: '?orderBy="$key"&count=true&limitToFirst=1' },
    { query: '?shallow=true&count=true&limitToLast=1' },
  ],
  'order-missing': [{ query: '?limitToFirst=1' }, { query: '?equalTo=1' }],
  'boolean-bound': [{ query: '?orderBy="height"&startAt=true' }, { query: '?orderBy="$value"&endAt=false' }],
  'bound-types-differ': [{ query: '?orderBy="height"&startAt=1&endAt="a"' }],
  'both-limits': [{ query: '?orderBy="height"&limitToFirst=1&limitToLast=1' }],
  'bad-limit': [{ query: '?orderBy="height"&limitToFirst=x' }, { query: '?shallow=true&limitToLast=0' }],
  'index-missing': [
    { server: 'indexed', path: 'dinosaurs', query: '?orderBy="height"' },
    { server: 'indexed', query: '?orderBy="$value"&count=true' },
  ],
  'key-bound': [{ query: '?orderBy="$key"&startAt=5' }, { query: '?orderBy="$key"&startAt="a","b"' }],
  'bad-bound': [
    { query: '?orderBy="height"&startAt=abc' },
    { query: '?orderBy="height"&equalTo={}' },
    { query: '?orderBy="height"&endAt="\\ud800"' },
    { query: '?orderBy="height"&endAt=1,"\\ud800"' },
  ],
  'priority-type': [{ body: '{"a":1,".priority":{}}', not: ({ path }) => path.includes('.priority') }],
  'priority-boolean': [
    { body: '{"a":1,".priority":true}', not: ({ path }) => path.includes('.priority') },
    { query: '?orderBy="$priority"&startAt=true', not: isWrite },
  ],
  'bad-server-value': [
    { query: '?sv=date' },
    { body: '{"a":{".sv":"date"}}', not: ({ path }) => path.includes('.priority') },
  ],
  'permission-denied': [
    { server: 'locked', not: isInfo },
    { query: '?auth_variable_override=null' },
    { query: `?auth_variable_override=null&auth=${customToken(SECRET, { uid: 'alice' })}` },
    { server: 'locked', query: `?auth=${customToken(SECRET, { uid: 'alice' })}`, not: isInfo },
  ],
  'read-too-big': [{ path: 'big' }],
  'leaf-too-big': [{ body: `{"a":"${'x'.repeat(3000)}"}` }],
  'write-too-big': [{ body: `{"a":[${'1,'.repeat(10_000)}1]}` }],
  ...Object.fromEntries(
    Object.entries(wrongTokens).map(([code, tokens]) => [code, tokens.map((token) => ({ query: `?auth=${token}` }))]),
  ),
  'too-many-failures': [{ server: 'wary', query: '?auth=wrong' }],
  quota: [{ server: 'calm' }],
  'priority-on-nothing': [
    { path: 'ghost', not: ({ method }) => method === 'PATCH' },
    { body: '{"ghost/.priority":1}', not: ({ method }) => method !== 'PATCH' },
  ],
}

const ownersOnly: readonly Provocation[] = [
  { headers: {} },
  { query: `?auth=${customToken(SECRET, { uid: 'alice' })}`, headers: {} },
]
const wrongPrint: readonly Provocation[] = [{ query: '?print=loud' }, { query: '?print=pretty&print=pretty' }]
const NO_UTF8 = new Uint8Array([0x22, 0xff, 0x22])
const LONG = `"${'x'.repeat(70_000)}"`

/** What is different beside the tree. */
const beside: Readonly<Record<string, Readonly<Partial<Record<ErrorCode, readonly Provocation[]>>>>> = {
  '/.settings/rules.json': {
    'bad-parameter': [...wrongPrint, { query: '?format=none' }, { query: '?dryRun=1' }],
    'permission-denied': ownersOnly,
    'bad-data': [{ body: NO_UTF8 }],
    'write-too-big': [{ body: LONG }],
    'bad-rules': [
      { body: '{"rules":{".read":7}}' },
      { body: '{"rules":{".read":"7"}}' },
      { body: '{"rules":{".read":' },
      { body: '{".read":true}' },
      { body: '{"rules":{".sort":"height"}}' },
    ],
    'rule-wildcards': [{ body: '{"rules":{"$a":{},"$b":{}}}' }],
  },
  '/.settings/defaultWriteSizeLimit.json': {
    'bad-parameter': [...wrongPrint, { body: '"huge"' }],
    'permission-denied': ownersOnly,
    'bad-data': [{ body: '1' }, { body: '"' }, { body: NO_UTF8 }],
    'write-too-big': [{ body: LONG }],
  },
  '/.auth/customTokenToIdToken.json': {
    ...Object.fromEntries(
      Object.entries(wrongTokens).map(([code, tokens]) => [
        code,
        [...tokens, ...(code === 'bad-token' ? [SECRET, 7] : [])].map((token) => ({ body: JSON.stringify({ token }) })),
      ]),
    ),
    'token-missing': [{ body: '{}' }, { body: '{"token":null}' }],
    'too-many-failures': [{ server: 'wary', body: '{"token":"wrong"}' }],
    'bad-data': [{ body: '[1]' }, { body: '{' }, { body: NO_UTF8 }],
    'write-too-big': [{ body: LONG }],
  },
}

/** Every error that can be brought about. */
export const provoked: readonly string[] = [...new Set([provocations, ...Object.values(beside)].flatMap(Object.keys))]

/** The ways to bring an error about at one operation; a DELETE is too big by what it takes away. */
export function waysTo(code: string, documented: Documented): readonly Provocation[] {
  const { path, method } = documented
  if (path.includes('.priority') && !isRead(documented)) {
    if (code === 'priority-type') return [{ body: '[]' }]
    if (code === 'priority-boolean') return [{ body: 'true' }]
    if (code === 'priority-on-nothing' && !path.includes('{path}')) return []
    if (code === 'write-too-big') return [{ body: `"${'x'.repeat(20_000)}"` }]
    if (code === 'bad-server-value') return [{ query: '?sv=date' }]
  }
  if (code === 'write-too-big' && method === 'DELETE') return []
  const ways = beside[path]?.[code as ErrorCode] ?? provocations[code as ErrorCode] ?? []
  const bodiless = isRead(documented) || method === 'DELETE'
  return ways.filter(({ body, not }) => !not?.(documented) && !(bodiless && body !== undefined))
}
