import '../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { longRuns } from '../../support/lane.ts'
import type { FuzzAnswer, FuzzRequest } from './exchange.ts'
import { fuzz } from './fuzz.ts'
import { answerProblems } from './oracle.ts'
import { type FuzzService, logProblems, startService } from './service.ts'

/** Of the short form; `bun run fuzz` is the long one. */
const REQUESTS = longRuns(6000)
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2_000_000_000)

describe('the whole surface', () => {
  let service: FuzzService

  beforeAll(async () => {
    service = await startService()
  })

  afterAll(async () => {
    await service.dispose()
  })

  test(`whatever is thrown at it, the server answers by the protocol (FUZZ_SEED=${SEED})`, async () => {
    const { requests, statuses } = await fuzz(service, { seed: SEED, requests: REQUESTS })
    expect(requests).toBeGreaterThanOrEqual(REQUESTS)
    // Not all of it was refused at the door.
    for (const status of ['200', '204', '400', '401', '404', '405', 'stream 200', 'raw 200', 'raw 400']) {
      expect([...statuses.keys()]).toContain(status)
    }
  }, 900_000)
})

describe('the judge of answers', () => {
  const ERROR = '{"errcode":20401,"message":"m","error":"e"}'
  const FAILURE = '{"errcode":20901,"message":"Server error","error":"Server error"}'
  const HEADERS = {
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  }
  const judged = (
    { method = 'GET', target = '/a.json' }: Partial<FuzzRequest>,
    status: number,
    text: string,
    headers: Readonly<Record<string, string>> = HEADERS,
  ): string[] => {
    const answer: FuzzAnswer = { status, headers: new Headers(headers), body: Buffer.from(text) }
    return answerProblems({ method, target, headers: [], body: undefined }, answer, ['the secret', '/data/of/it'])
  }

  test.each([
    ['data', {}, 200, '{"a":1}'],
    ['an error', {}, 403, ERROR],
    ['an error as Firebase clients see it', {}, 401, ERROR],
    ['nothing', {}, 204, ''],
    ['what a HEAD is told', { method: 'HEAD' }, 404, ''],
  ] as const)('%s is well', (_, request, status, text) => {
    expect(judged(request, status, text)).toEqual([])
  })

  test.each([
    ['a failure', {}, 500, FAILURE],
    ['a failure of another layer', {}, 502, 'Bad Gateway'],
    ['an error under another status', {}, 400, ERROR],
    ['an error with more in it', {}, 403, '{"errcode":20401,"message":"m","error":"e","stack":"s"}'],
    ['an error that is none', {}, 403, '"no"'],
    ['no JSON', {}, 200, '{"a":'],
    ['a body for HEAD', { method: 'HEAD' }, 200, '1'],
    ['a body where there is none', {}, 204, '1'],
    ['a secret', {}, 200, '"the secret"'],
    ['a folder', {}, 200, '"/data/of/it/apps"'],
    ['a statement', {}, 403, '{"errcode":20401,"message":"m","error":"SELECT value FROM node"}'],
    [
      'a place in code',
      {},
      403,
      '{"errcode":20401,"message":"m","error":"E\\n    at file.ts:1:2"}'.replace('\\n', '\n'),
    ],
  ] as const)('%s is not', (_, request, status, text) => {
    expect(judged(request, status, text)).not.toEqual([])
  })

  test.each([['x-content-type-options'], ['access-control-allow-origin'], ['content-type']])(
    'an answer without %s is not',
    (name) => {
      const { [name]: _, ...headers } = HEADERS as Record<string, string>
      expect(judged({}, 200, '1', headers)).not.toEqual([])
    },
  )

  test('a line of the log is not', () => {
    expect(logProblems('listening on https://127.0.0.1:1\n')).toEqual([])
    expect(logProblems('{"level":50,"msg":"unforeseen"}\n')).not.toEqual([])
  })
})
