import { addForm, addParameter, parametersOf } from './format/call-parameters.ts'
import { isMilliseconds, MAX_SKEW_MS } from './model/call-time.ts'
import { isSignature, signatureOf, signedText } from './model/signature.ts'
import { tokenOf } from './model/source.ts'

/** A call about text messages, as its client sends it. */
export interface SignedCall {
  readonly method: string
  /** Whole, or from the path on. */
  readonly url: string
  readonly body?: string | undefined
  /** In place of the parameter `signature`. */
  readonly signature?: string | undefined
}

/** What the signature of a call should be. */
export interface SignatureCheck {
  /** The signed text, with `KEY` in place of the key. */
  readonly text: string
  /** The right signature. */
  readonly expected: string
  /** Whether the signature of the call is accepted; absent without one. */
  readonly matches?: boolean
  /** What is wrong, in words. */
  readonly problems: readonly string[]
}

type Parameters = ReadonlyMap<string, string>

const FORM = /^[0-9a-f]{64}$/i
const SECONDS_PATTERN = /^[0-9]{10}$/
const MS = 1000
/** Longest text in a message. */
const LONGEST_SHOWN = 64

/** The only parameter that old clients sign, by the end of the path. */
const DOCUMENTED: readonly (readonly [path: RegExp, name: string])[] = [
  [/^\/api\/v2\/[^/]*\/(status|send)$/, 'timestamp'],
  [/^\/api\/v1\/[^/]*\/(status|send)$/, 'rrid'],
]
const REPORT = /^\/api\/v1\/[^/]*\/report$/
const APPLICATION = /\/api\/v[12]\/([^/]*)\//
/** The call whose time may be left out. */
const WITHOUT_TIME = /^\/api\/v1\/[^/]*\/(status|send)$/

/**
 * Says what a call should have signed, and why its signature is refused.
 * @param now in milliseconds since 1970
 * @throws `sms-bad-arguments` for parameters that no call can have
 * @see docs/reference/protocol.md#signing
 */
export function checkSignedCall(call: SignedCall, id: string, key: string, now: number): SignatureCheck {
  const { path, search } = partsOf(call.url)
  const body = call.method.toUpperCase() === 'GET' ? '' : (call.body ?? '')
  const parameters = parametersOf(search)
  if (REPORT.test(path)) addParameter(parameters, 'body', body)
  else addForm(body, parameters)
  const expected = signatureOf(parameters, key)
  const shown = call.signature ?? parameters.get('signature')
  const source = parameters.get('source')
  if (shown === undefined && parameters.has('token') && source !== undefined) return checkToken(parameters, source, key)
  const problems = [...problemsOfCall(path, parameters, id, now)]
  const text = `${signedText(parameters)}&KEY`
  if (shown === undefined || shown === '') return { text, expected, problems: [...problems, 'signature: missing'] }
  const documented = DOCUMENTED.find(([pattern]) => pattern.test(path))?.[1]
  const matches =
    isSignature(shown, expected) || (documented !== undefined && isOnly(documented, parameters, shown, key))
  if (!matches) problems.push(...mistakes(shown, { parameters, search, body }, key))
  return { text, expected, matches, problems }
}

/** Checks a report of a gateway that cannot sign. */
function checkToken(parameters: Parameters, source: string, key: string): SignatureCheck {
  const expected = tokenOf(source, key)
  const matches = isSignature(parameters.get('token') ?? '', expected)
  const problems = matches ? [] : ['token: it is not the one of this source']
  return { text: `${signedText([['source', source]])}&KEY`, expected, matches, problems }
}

/** Takes a URL apart as it was sent: `URL` would change its escapes. */
function partsOf(url: string): { readonly path: string; readonly search: string } {
  const target = url
    .trim()
    .replace(/^[a-z]+:\/\/[^/?#]*/i, '')
    .replace(/#.*$/s, '')
  const start = target.indexOf('?')
  const path = start === -1 ? target : target.slice(0, start)
  const from = path.search(/\/api\/v[12]\//)
  return { path: from === -1 ? path : path.slice(from), search: start === -1 ? '' : target.slice(start + 1) }
}

function* problemsOfCall(path: string, parameters: Parameters, id: string, now: number): Generator<string> {
  const named = APPLICATION.exec(path)?.[1]
  if (named === undefined) yield 'path: expected /api/v1/APPLICATION/… or /api/v2/APPLICATION/…'
  else if (named !== id)
    yield `path: it names the application ${JSON.stringify(named.slice(0, LONGEST_SHOWN))}, not "${id}"`
  const time = parameters.get('timestamp')
  if (time === undefined || time === '') {
    if (!WITHOUT_TIME.test(path)) yield 'timestamp: missing'
  } else if (SECONDS_PATTERN.test(time)) yield 'timestamp: expected milliseconds since 1970, these are seconds'
  else if (!isMilliseconds(time)) yield 'timestamp: expected milliseconds since 1970 in decimal digits'
  else if (Math.abs(now - Number(time)) > MAX_SKEW_MS) {
    const seconds = Math.round(Math.abs(now - Number(time)) / MS)
    const side = Number(time) < now ? 'past' : 'future'
    yield `timestamp: ${seconds} s in the ${side}; at most ${MAX_SKEW_MS / MS} s are accepted`
  }
}

function isOnly(name: string, parameters: Parameters, shown: string, key: string): boolean {
  const value = parameters.get(name)
  return value !== undefined && isSignature(shown, signatureOf([[name, value]], key))
}

/** How the parameters of a call stand in it. */
interface SentParameters {
  readonly parameters: Parameters
  readonly search: string
  readonly body: string
}

/** Why a signature is wrong. Common mistakes are found by signing with them. */
function* mistakes(shown: string, { parameters, search, body }: SentParameters, key: string): Generator<string> {
  if (!FORM.test(shown)) {
    yield 'signature: expected 64 hex digits'
    return
  }
  const text = signedText(parameters)
  const unsorted = [...parameters].filter(([name]) => name !== 'signature').map(([name, value]) => `${name}=${value}`)
  const members = `${search}&${body}`.split('&').filter((member) => member !== '' && !member.startsWith('signature='))
  const tries: readonly (readonly [signed: string, why: string])[] = [
    [text, 'signature: the key is not part of what was signed'],
    [`${text}${key}`, 'signature: an & is missing before the key'],
    [`${text}&key=${key}`, 'signature: the key is signed without a name'],
    [`${unsorted.join('&')}&${key}`, 'signature: the parameters are not sorted by name'],
    [`${members.toSorted().join('&')}&${key}`, 'signature: values are signed without their escapes'],
    [`${key}&${text}`, 'signature: the key comes last'],
  ]
  const found = tries.find(([signed]) => isSignature(shown, Bun.CryptoHasher.hash('sha256', signed, 'hex')))
  yield found?.[1] ?? 'signature: another text or another key was signed'
}
