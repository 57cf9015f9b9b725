import { expect } from 'bun:test'
import type { Answer, CallOptions } from '../../support/https-server.ts'
import { inLanes } from '../../support/lane.ts'
import { type ErrorRow, errorBody } from './errors.ts'

/** A request and what it must be answered. `{name}` stands for what an earlier step kept under that name, `{RUN}` for a text that no other play of a row has. */
export interface Step {
  /** Method and target: `PUT /a.json?print=silent`. */
  readonly send: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
  /** Default 200, or that of `error`. */
  readonly status?: number
  /** The body as JSON, compared structurally. */
  readonly json?: unknown
  /** The body byte for byte; a pattern where it holds something unforeseeable. */
  readonly text?: string | RegExp
  readonly error?: ErrorRow
  /** Headers of the answer by name; `undefined`: it must not be there. */
  readonly reply?: Readonly<Record<string, string | RegExp | undefined>>
  /** What to remember of the answer: its ETag, the generated name, or the whole body. */
  readonly keep?: Readonly<Record<string, 'etag' | 'name' | 'body'>>
}

/** One row of the protocol. */
export interface Case {
  /** Number of the conformance example or of the section, and what it shows. */
  readonly name: string
  /** The whole tree before; empty by default. */
  readonly data?: unknown
  /** Target of the whole tree, where the data is put. Default `/.json`. */
  readonly root?: string
  readonly steps: readonly Step[]
  /** What GET of these targets must answer afterwards. */
  readonly after?: Readonly<Record<string, unknown>>
}

/** How the interpreter reaches a service: HTTP/1.1 or HTTP/2. */
export type Call = (method: string, target: string, options?: CallOptions) => Promise<Answer>

type Kept = Map<string, string>

/** GETs of a row that are asked as HEAD too. */
const HEADS = inLanes(2, Number.POSITIVE_INFINITY)

/** Plays one row against a service whose tree it may overwrite. */
export async function play(row: Case, call: Call): Promise<void> {
  const reset = await call('PUT', row.root ?? '/.json', { body: JSON.stringify(row.data ?? null) })
  expect(reset.status).toBe(200)
  // Rows are played more than once, and what names a request must be new each time.
  const kept: Kept = new Map([['RUN', crypto.randomUUID()]])
  let gets = 0
  for (const step of row.steps) {
    const isGet = step.send.startsWith('GET ')
    await playStep(step, call, kept, isGet && ++gets <= HEADS)
  }
  for (const [target, expected] of Object.entries(row.after ?? {})) {
    const { text } = await call('GET', fill(target, kept))
    expect({ target, json: JSON.parse(text) }).toEqual({ target, json: expected })
  }
}

async function playStep(step: Step, call: Call, kept: Kept, asHeadToo: boolean): Promise<void> {
  const [method = '', target = ''] = fill(step.send, kept).split(/ (.*)/s)
  const options: CallOptions = { body: step.body, headers: filled(step.headers ?? {}, kept) }
  const answer = await call(method, target, options)
  expectAnswer(step, answer, kept)
  expectCommonHeaders(answer, /[?&]callback=/.test(target))
  if (asHeadToo) expectSameHead(answer, await call('HEAD', target, options))
  for (const [name, what] of Object.entries(step.keep ?? {})) kept.set(name, whatOf(answer, what))
}

function whatOf({ headers, text }: Answer, what: 'etag' | 'name' | 'body'): string {
  if (what === 'etag') return headers.get('etag') ?? ''
  return what === 'name' ? (JSON.parse(text) as { name: string }).name : text
}

function expectAnswer(step: Step, { status, headers, text }: Answer, kept: Kept): void {
  const { send, error, json, reply = {} } = step
  const wanted = step.status ?? error?.status ?? 200
  expect({ send, status, text: status === wanted ? '' : text }).toEqual({ send, status: wanted, text: '' })
  if (error !== undefined) {
    expect({ send, body: JSON.parse(text) as unknown }).toEqual({ send, body: errorBody(error) })
  }
  if (json !== undefined) expect({ send, json: JSON.parse(text) as unknown }).toEqual({ send, json })
  if (typeof step.text === 'string') expect({ send, text }).toEqual({ send, text: fill(step.text, kept) })
  else if (step.text !== undefined) expect(text).toMatch(step.text)
  for (const [name, value] of Object.entries(reply)) {
    const sent = headers.get(name)
    if (value instanceof RegExp) expect(sent ?? 'absent').toMatch(value)
    else expect({ send, name, sent }).toEqual({ send, name, sent: value === undefined ? null : fill(value, kept) })
  }
}

/** What stands on every answer, whatever it is. */
function expectCommonHeaders({ status, headers, text }: Answer, script = false): void {
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-allow-credentials')).toBeNull()
  expect(headers.get('access-control-expose-headers')).toBe(
    'ETag, X-Firebase-Auth-Debug, Idempotency-Replayed, X-Request-Id, X-Dhole-Position',
  )
  expect(headers.get('cache-control')).toBe('no-cache')
  expect(headers.get('strict-transport-security')).toBeNull()
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  if (status === 204 || status === 304) {
    expect(text).toBe('')
    return
  }
  const type = headers.get('content-type')
  if (script && type !== 'application/json; charset=utf-8') {
    expect(type).toBe('application/javascript; charset=utf-8')
  } else expect(type).toBe('application/json; charset=utf-8')
}

/** HEAD answers as GET does, without the body. */
function expectSameHead(get: Answer, head: Answer): void {
  expect(head.text).toBe('')
  expect(head.status).toBe(get.status)
  for (const name of ['content-type', 'content-length', 'etag', 'content-disposition', 'allow', 'cache-control']) {
    expect({ name, value: head.headers.get(name) }).toEqual({ name, value: get.headers.get(name) })
  }
  if (get.text !== '') expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)))
}

function fill(text: string, kept: Kept): string {
  return text.replace(/\{([A-Z]\w*)\}/g, (all, name: string) => kept.get(name) ?? all)
}

function filled(headers: Readonly<Record<string, string>>, kept: Kept): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value, kept)]))
}
