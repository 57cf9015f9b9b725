import '../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { errorBody, errors } from '../../protocol/rest/errors.ts'
import { type ChildServer, startChild } from '../../support/child-server.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

const MEBIBYTE = 1024 * 1024
const HUGE = 100 * MEBIBYTE
/** One such body alone would be more; the limit of a write is 16 MiB. */
const MOST_GROWTH = 250 * MEBIBYTE
const SIDE_BY_SIDE = 4

let dir: TempDir
let server: ChildServer
let before: number

beforeAll(async () => {
  dir = await tempDir()
  server = await startChild({ dataDir: dir.path, applications: { app: { open: true } } })
  await server.call('PUT', '/a.json', { body: '"kept"' })
  before = await server.peakMemory()
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await dir[Symbol.asyncDispose]()
})

function spaces(bytes: number): ReadableStream<Uint8Array> {
  let left = bytes
  return new ReadableStream({
    pull(controller) {
      if (left <= 0) return controller.close()
      left -= MEBIBYTE
      controller.enqueue(new Uint8Array(MEBIBYTE).fill(0x20))
    },
  })
}

const sized = () => new Uint8Array(HUGE).fill(0x20)

describe('bodies of 100 MB, several side by side', () => {
  const requests = [
    ['PUT with a length', 'PUT', sized],
    ['POST with a length', 'POST', sized],
    ['PATCH with a length', 'PATCH', sized],
    ['PUT without a length', 'PUT', () => spaces(HUGE)],
    ['PATCH without a length', 'PATCH', () => spaces(HUGE)],
  ] as const
  test.each(requests)('%s', async (_, method, body) => {
    const requests = Array.from({ length: SIDE_BY_SIDE }, () => server.call(method, '/a.json', { body: body() }))
    for (const request of requests) {
      // The server may hang up on a client that goes on sending; what it may not do is take it all in.
      const answer = await request.catch(() => undefined)
      if (answer === undefined) continue
      expect(answer.status).toBe(400)
      expect(JSON.parse(answer.text)).toEqual(errorBody(errors.writeTooBig))
    }
    expect((await server.peakMemory()) - before).toBeLessThan(MOST_GROWTH)
    expect((await server.call('GET', '/a.json')).text).toBe('"kept"')
  })

  test('where no body is wanted', async () => {
    for (const target of ['DELETE /none.json', 'PUT /no-suffix', 'PUT /a.json?auth=wrong', 'LOCK /a.json']) {
      const [method = '', path = ''] = target.split(' ')
      const answer = await server.call(method, path, { body: sized() }).catch(() => undefined)
      if (answer !== undefined) expect([target, answer.status < 500]).toEqual([target, true])
    }
    expect((await server.peakMemory()) - before).toBeLessThan(MOST_GROWTH)
    expect((await server.call('GET', '/.json')).text).toBe('{"a":"kept"}')
  })
})
