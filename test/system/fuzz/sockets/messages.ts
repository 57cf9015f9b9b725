import fc from 'fast-check'
import { anyPayload } from '../../../support/payloads.ts'
import { customToken } from '../../../support/token.ts'

/** Super secret of the server, which no hostile client knows. */
export const SECRET = 'the secret of a server for all frames'
/** Bound of a write, small enough to be met. */
export const MAX_WRITE_BYTES = 100_000

const LONG_AGO = 1_000_000_000

/** JSON that stands where other JSON is expected, and what is hardly JSON. */
const ODD = [
  ...[
    'null',
    'true',
    '-0',
    '1e999',
    '1e-400',
    '9007199254740993',
    '1.5',
    '""',
    '"\\ud800"',
    '"\\u0000"',
    '"a/../b"',
    '"#"',
  ],
  ...['[]', '{}', '[[]]', '[null,1]', '{"__proto__":1}', '{"constructor":{}}', '{"":1}', '{".value":1,".priority":{}}'],
  ...[
    '{".sv":"timestamp"}',
    '{".sv":{"increment":1e308}}',
    '{".sv":7}',
    '{"/a/b":1,"a":2}',
    '{"\\udc00":1}',
    '"[MAX_NAME]"',
  ],
] as const

const anyJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(40, 3000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)) },
  { weight: 1, arbitrary: fc.constantFrom(40, 3000).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) },
  { weight: 1, arbitrary: fc.constantFrom(800, 20_000, 150_000).map((length) => `"${'x'.repeat(length)}"`) },
)

const PATHS = [
  '/open',
  'open/a',
  '/open/a/b',
  '/open/b',
  '/',
  '',
  '/honest',
  '/honest/1',
  '/open/.priority',
  '/.info/x',
  'other',
]
const HASHES = ['', 'YPVfR2bXt/lcDjiQZ8pOkAd3qkQ=', 'E5z61QM0lN/U2WsOnusszCTkR8M=']
const QUERIES = [
  ...[
    '{}',
    '{"i":".key","l":2,"vf":"l"}',
    '{"i":"a","sp":1,"sin":true}',
    '{"i":".value","ep":"x","en":"b","vf":"r","l":1}',
  ],
  ...['{"i":".priority","sp":null}', '{"l":1,"vf":"r"}', '{"i":".key","sp":"a","ep":7}', '{"i":"a/b","sp":true}'],
]
const CREDENTIALS = [
  ...['owner', '', 'x', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.'],
  customToken(SECRET, { uid: 'mallory' }),
  customToken(SECRET, { uid: 'mallory', exp: LONG_AGO }),
  customToken('another secret', { uid: 'honest' }),
]

const anyOf = (texts: readonly string[]) => fc.constantFrom(...texts.map((text) => JSON.stringify(text)))

/** What members of a body should be, by their names. */
const MEMBERS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  p: anyOf(PATHS),
  d: anyPayload.map((payload) => JSON.stringify(payload)),
  h: anyOf(HASHES),
  q: fc.constantFrom(...QUERIES),
  t: fc.constantFrom('1', '2', '3'),
  ch: fc.constant('{"ps":["a"],"hs":["",""]}'),
  cred: anyOf(CREDENTIALS),
  authvar: fc.constantFrom('{"uid":"honest"}', 'null'),
  noauth: fc.constantFrom('true', 'false'),
  c: fc.constant('{"sdk.js.1":1}'),
  token: fc.constant('"x"'),
}

/** Members of the bodies of all actions, and actions that there are not. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  ...{ q: ['p', 'h', 'q', 't', 'ch'], l: ['p', 'h'], n: ['p', 'q', 't'], u: ['p'], g: ['p', 'q'] },
  ...{ p: ['p', 'd', 'h'], m: ['p', 'd'], o: ['p', 'd'], om: ['p', 'd'], oc: ['p', 'd'] },
  ...{ auth: ['cred', 'authvar', 'noauth'], gauth: ['cred', 'authvar', 'noauth'], unauth: [] },
  ...{ s: ['c'], appcheck: ['token'], unappcheck: [], unappeck: [] },
  ...{ zz: ['p', 'd'], refused: ['p'], constructor: [], '': [] },
}

/** A member: mostly as it should be, or another value, or nothing. */
function anyMember(name: string): fc.Arbitrary<string> {
  const good = MEMBERS[name] ?? anyJson
  return fc
    .oneof(
      { weight: 8, arbitrary: good },
      { weight: 2, arbitrary: anyJson },
      { weight: 1, arbitrary: fc.constant(undefined) },
    )
    .map((value) => (value === undefined ? '' : `"${name}":${value}`))
}

function anyBody(action: string): fc.Arbitrary<string> {
  const members = fc.tuple(...(ACTIONS[action] ?? []).map(anyMember))
  const body = members.map((found) => `{${found.filter((member) => member !== '').join(',')}}`)
  return fc.oneof({ weight: 20, arbitrary: body }, { weight: 1, arbitrary: anyJson })
}

const anyRequest = fc.constantFrom(...Object.keys(ACTIONS)).chain((action) => {
  // Few numbers, so that some come twice.
  const number = fc.oneof({ weight: 20, arbitrary: fc.nat(9).map(String) }, { weight: 1, arbitrary: anyJson })
  return fc
    .tuple(number, anyBody(action), fc.boolean())
    .map(([r, b, isAndroid]) =>
      isAndroid
        ? `{"t":"d","d":{"a":${JSON.stringify(action)},"r":${r},"b":${b}}}`
        : `{"t":"d","d":{"r":${r},"a":${JSON.stringify(action)},"b":${b}}}`,
    )
})

const anyControl = fc
  .tuple(fc.constantFrom('"p"', '"o"', '"a"', '"n"', '"h"', '"r"', '"s"', '"e"', 'null', '7'), anyJson)
  .map(([type, data]) => `{"t":"c","d":{"t":${type},"d":${data.length < 100 ? data : '{}'}}}`)

/** Changes a text somewhere. */
const anyDamage = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat(3),
  inserted: fc.constantFrom('', '"', '}', ',', '\\', '\u0000', '🐕', '\ud800', '{"t":"d"'),
})

/** A text that is a message, nearly one, or none. */
export const anyMessage: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(
      { weight: 12, arbitrary: anyRequest },
      { weight: 2, arbitrary: anyControl },
      { weight: 1, arbitrary: anyJson },
    ),
    fc.option(anyDamage, { freq: 8 }),
  )
  .map(([text, damage]) => {
    if (damage === null) return text
    const at = Math.floor(damage.at * text.length)
    return text.slice(0, at) + damage.inserted + text.slice(at + damage.removed)
  })
