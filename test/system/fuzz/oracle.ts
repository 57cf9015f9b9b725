import { DholeError, ERROR_CODES } from '../../../src/error.ts'
import { bodyOf, statusOf } from '../../../src/http/response/error-texts.ts'
import type { FuzzAnswer, FuzzRequest } from './exchange.ts'

/** Errors there are, by status and errcode. */
const ERRORS: ReadonlySet<string> = new Set([
  ...ERROR_CODES.filter((code) => !['internal', 'sms-failed', 'sms-key-unknown'].includes(code)).map(
    (code) => `${statusOf(code)} ${bodyOf(new DholeError(code)).errcode}`,
  ),
  // Firebase clients are told so of what may not be done.
  '401 20401',
])
const SUCCESSES: ReadonlySet<number> = new Set([200, 204, 304, 412])
/** What belongs inside: places in code, statements, folders of the machine. */
const INSIDE =
  /\n\s+at .+:\d+:\d+|node_modules|\bbun:|SQLITE_|\b(SELECT|INSERT INTO|UPDATE|DELETE) .+\b(FROM|VALUES|SET|WHERE)\b|\.sqlite\b/
/** What the layer below us says of what it cannot read: no HTTP, too long, an unknown method. */
const BELOW: ReadonlySet<number> = new Set([400, 413, 414, 431, 501, 505])
const PAGE = /^\/(swagger|docs)(\/|$)/
/** Answered by shells around the tree, in words of their own. */
const OPERATIONS = /^\/(health|ready|metrics)$/
const JSON_TYPE = 'application/json; charset=utf-8'
const SCRIPT_TYPE = 'application/javascript; charset=utf-8'
const STREAM_TYPE = 'text/event-stream; charset=utf-8'
const PAGE_TYPE = 'text/html; charset=utf-8'

/** What an answer may never hold, as it is of this server alone. */
export type Secrets = readonly string[]

/** What is wrong with an answer; empty when nothing is. */
export function answerProblems(request: FuzzRequest, answer: FuzzAnswer, secrets: Secrets): string[] {
  const path = request.target.split('?')[0] ?? ''
  const { status, headers } = answer
  const text = answer.body.toString('utf8')
  const problems = leakProblems(`${JSON.stringify([...headers])}\n${text}`, status >= 400 ? text : '', secrets)
  const isBelow = headers.get('x-content-type-options') === null && BELOW.has(status)
  if (status >= 500 && status !== 503 && !isBelow) problems.push(`status ${status}`)
  if (request.method === 'HEAD' && text !== '') problems.push('a HEAD with a body')
  // Answered below us: a request that is no HTTP has no answer of the protocol.
  if (headers.get('x-content-type-options') === null) {
    if (!isBelow) problems.push(`status ${status} without security headers`)
    return problems
  }
  // A browser gets a page of links at the root; like every page it is not for scripts of other origins.
  const isLandingPage = path === '/' && headers.get('content-type') === PAGE_TYPE
  if (PAGE.test(path) || OPERATIONS.test(path) || isLandingPage) return problems
  if (headers.get('access-control-allow-origin') !== '*') problems.push('no Access-Control-Allow-Origin')
  if (request.method === 'HEAD' || status === 204 || status === 304) {
    if (text !== '') problems.push(`a body under ${status}`)
    if (status >= 400 && ![...ERRORS].some((error) => error.startsWith(`${status} `))) problems.push(`status ${status}`)
    return problems
  }
  return [...problems, ...bodyProblems(request, answer, text)]
}

function bodyProblems(request: FuzzRequest, { status, headers }: FuzzAnswer, text: string): string[] {
  const type = headers.get('content-type')
  if (type === STREAM_TYPE) return status === 200 ? [] : [`a stream under ${status}`]
  if (type === PAGE_TYPE && request.target.startsWith('/api/v1/carrier-codes')) return []
  if (type !== JSON_TYPE && type !== SCRIPT_TYPE) return [`type ${type}`]
  const json = parsed(type === SCRIPT_TYPE ? (/^\/\*\*\/[^(]+\((.*)\);$/s.exec(text)?.[1] ?? '') : text)
  if (json === undefined) return [`no JSON: ${text.slice(0, 200)}`]
  if (SUCCESSES.has(status)) return []
  return errorProblems(status, json)
}

/** The body of an error has three members; that of the exchange of tokens one of its own. */
function errorProblems(status: number, json: unknown): string[] {
  const shown = JSON.stringify(json).slice(0, 200)
  if (typeof json !== 'object' || json === null) return [`no error: ${status} ${shown}`]
  const { errcode, message, error, ...rest } = json as Record<string, unknown>
  if (typeof error === 'object' && error !== null && errcode === undefined && message === undefined) {
    const { code, errorMessage, ...more } = error as Record<string, unknown>
    const isWhole = typeof errorMessage === 'string' && Object.keys({ ...rest, ...more }).length === 0
    return isWhole && ERRORS.has(`${status} ${String(code)}`) ? [] : [`not an error of the list: ${status} ${shown}`]
  }
  const isWhole = typeof message === 'string' && typeof error === 'string' && Object.keys(rest).length === 0
  return isWhole && ERRORS.has(`${status} ${String(errcode)}`) ? [] : [`not an error of the list: ${status} ${shown}`]
}

/** @param error text of an error: what others have written may stand in other answers */
export function leakProblems(all: string, error: string, secrets: Secrets): string[] {
  const told = secrets.filter((secret) => all.includes(secret))
  const inside = INSIDE.exec(error)?.[0]
  return [
    ...(told.length > 0 ? ['a secret of the server is told'] : []),
    ...(inside === undefined ? [] : [`the inside is told: ${JSON.stringify(inside)}`]),
  ]
}

/** `undefined` for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
