import { describe, expect, test } from 'bun:test'
import { BodyQueue } from '../../../src/http/limits/body-queue.ts'
import { claimedLength, unpack } from '../../../src/http/request/unpack.ts'
import { errorBody, errors } from '../../protocol/rest/errors.ts'
import { SECRET } from '../../support/https-server.ts'
import { withServer } from '../../support/with-server.ts'

const MEBIBYTE = 1024 * 1024
const TOO_DENSE = 'Without a credential a gzip body may not unpack to more than 100 times its length.'

const server = withServer()

function call(method: string, target: string, body: Uint8Array<ArrayBuffer>) {
  return server.call(method, target, { body, headers: { 'Content-Encoding': 'gzip' } })
}

/** A JSON string of so many bytes. */
function text(bytes: number): string {
  return `"x"${' '.repeat(bytes - 3)}`
}

/** Bytes that gzip hardly makes shorter. */
function dense(bytes: number): string {
  return JSON.stringify(Buffer.from(crypto.getRandomValues(new Uint8Array(bytes / 2))).toString('hex'))
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts))
}

describe('a gzip body', () => {
  test.each(['PUT', 'POST', 'PATCH'])('%s that unpacks to far more is refused without a credential', async (method) => {
    const bomb = Bun.gzipSync(text(8 * MEBIBYTE))
    const refused = await call(method, '/bomb.json', bomb)
    expect(refused.status).toBe(400)
    expect(JSON.parse(refused.text)).toEqual({ ...errorBody(errors.writeTooBig), error: TOO_DENSE })
    expect((await server.call('GET', '/bomb.json')).text).toBe('null')
  })

  test('may unpack to far more with a credential', async () => {
    const packed = Bun.gzipSync(text(8 * MEBIBYTE))
    expect(packed.byteLength * 500).toBeLessThan(8 * MEBIBYTE)
    expect((await call('PUT', `/trusted.json?auth=${SECRET}&print=silent`, packed)).status).toBe(204)
    expect((await server.call('GET', '/trusted.json')).text).toBe('"x"')
  })

  test('may be as dense as it likes while it is short', async () => {
    expect((await call('PUT', '/short.json', Bun.gzipSync(text(60 * 1024)))).text).toBe('"x"')
  })

  test('may be long where it is not dense', async () => {
    const body = dense(2 * MEBIBYTE)
    expect((await call('PUT', '/long.json?print=silent', Bun.gzipSync(body))).status).toBe(204)
    expect((await server.call('GET', '/long.json')).text).toBe(body)
  })

  test('of several members is taken whole', async () => {
    const body = dense(MEBIBYTE)
    const members = joined(Bun.gzipSync(body.slice(0, -9)), Bun.gzipSync(body.slice(-9)))
    expect(claimedLength(members)).toBe(9)
    expect((await call('PUT', '/members.json?print=silent', members)).status).toBe(204)
    expect((await server.call('GET', '/members.json')).text).toBe(body)
  })

  test.each([
    ['that is cut off', Bun.gzipSync(text(1000)).slice(0, -9)],
    ['that lies of its length', joined(Bun.gzipSync(text(1000)).slice(0, -4), new Uint8Array([1, 0, 0, 0]))],
    ['that is none', new TextEncoder().encode('{"a":1}')],
    ['of one byte', new Uint8Array(1)],
  ])('%s is bad data', async (_, body) => {
    const answer = await call('PUT', '/bad.json', body)
    expect([answer.status, JSON.parse(answer.text)]).toEqual([400, errorBody(errors.data)])
  })

  test('that claims too much is refused before it is unpacked, and looked at with a credential', async () => {
    const body = joined(Bun.gzipSync(dense(8192)).slice(0, -4), new Uint8Array(4).fill(255))
    const answers = [await call('PUT', '/bad.json', body), await call('PUT', `/bad.json?auth=${SECRET}`, body)]
    expect(answers.map(({ text }) => JSON.parse(text))).toEqual([
      { ...errorBody(errors.writeTooBig), error: TOO_DENSE },
      errorBody(errors.data),
    ])
  })

  test('of nothing is no data', async () => {
    const answer = await call('PUT', '/nothing.json', Bun.gzipSync(''))
    expect([answer.status, JSON.parse(answer.text)]).toEqual([400, errorBody(errors.noData)])
  })

  test('is unpacked no further than its limit', async () => {
    const packed = Bun.gzipSync(text(8 * MEBIBYTE))
    let most = 0
    const onPiece = (bytes: number) => {
      most = bytes
    }
    expect(await unpack(packed, { limit: MEBIBYTE, malformed: 'bad-data', onPiece })).toBeUndefined()
    expect(most).toBeLessThanOrEqual(MEBIBYTE)
    const whole = await unpack(packed, { limit: 8 * MEBIBYTE, malformed: 'bad-data', onPiece })
    expect([whole?.byteLength, most]).toEqual([8 * MEBIBYTE, 8 * MEBIBYTE])
  })
})

describe('large bodies at work', () => {
  /** Those admitted so far, in that order, and how each leaves. */
  function queueOf(maxBytes: number) {
    const queue = new BodyQueue(maxBytes)
    const admitted: string[] = []
    const leaving = new Map<string, () => void>()
    const enter = (name: string, network: string, bytes: number) => {
      void queue.enter(network, bytes).then((leave) => {
        admitted.push(name)
        leaving.set(name, leave)
      })
    }
    const leave = async (name: string) => {
      leaving.get(name)?.()
      await Promise.resolve()
    }
    return { queue, admitted, enter, leave }
  }

  test('are no more than there is room for', async () => {
    const { queue, admitted, enter, leave } = queueOf(100)
    enter('one', 'a', 60)
    enter('other', 'a', 40)
    enter('third', 'a', 1)
    await Promise.resolve()
    expect([admitted, queue.bytes]).toEqual([['one', 'other'], 100])
    await leave('other')
    await leave('other')
    expect([admitted, queue.bytes]).toEqual([['one', 'other', 'third'], 61])
  })

  test('are worked on alone where one is larger than the room', async () => {
    const { admitted, enter, leave } = queueOf(100)
    enter('small', 'a', 1)
    enter('huge', 'a', 500)
    enter('next', 'b', 1)
    await Promise.resolve()
    expect(admitted).toEqual(['small'])
    await leave('small')
    expect(admitted).toEqual(['small', 'huge'])
    await leave('huge')
    expect(admitted).toEqual(['small', 'huge', 'next'])
  })

  test('come from each network in turn', async () => {
    const { admitted, enter, leave } = queueOf(100)
    enter('a1', 'a', 100)
    for (const name of ['a2', 'a3', 'a4']) enter(name, 'a', 100)
    enter('b1', 'b', 100)
    await Promise.resolve()
    for (const name of ['a1', 'a2', 'b1', 'a3']) await leave(name)
    expect(admitted).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
  })
})
