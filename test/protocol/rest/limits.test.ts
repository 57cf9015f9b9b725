import { expect, test } from 'bun:test'
import { startInProcess } from '../../support/https-server.ts'
import { withServer } from '../../support/with-server.ts'
import { errorBody, errors } from './errors.ts'
import { play } from './interpreter.ts'
import { limits, smallLimits } from './limits.ts'

// Without inlining every node is a row, so that the estimate of a write counts nodes.
const server = withServer(() => startInProcess({ limits: smallLimits, storage: { inlineLength: 0 } }))

test.each(limits.map((row) => [row.name, row] as const))('%s', (_, row) => play(row, server.call))

test('a body of unknown length is refused when it grows too long', async () => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let chunk = 0; chunk < 11; chunk++) controller.enqueue(new Uint8Array(100).fill(0x20))
      controller.close()
    },
  })
  const answer = await server.call('PUT', '/streamed.json', { body })
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.text)).toEqual(errorBody(errors.writeTooBig))
})

test('a body of more different names than there may be is refused, and says so', async () => {
  await using roomy = await startInProcess()
  const record = (index: number) => Object.fromEntries(Array.from({ length: 5 }, (_, name) => [`n${index}x${name}`, 1]))
  const body = JSON.stringify(Array.from({ length: 42_000 }, (_, index) => record(index)))
  const refused = await roomy.call('PUT', '/names.json?print=silent', { body })
  expect(refused.status).toBe(400)
  expect(JSON.parse(refused.text)).toMatchObject({ errcode: errors.writeTooBig.errcode })
  expect(refused.text).toContain('too many different names')
  expect((await roomy.call('GET', '/names.json')).text).toBe('null')
})

test('a small body that unpacks to a huge one is refused', async () => {
  const bomb = Bun.gzipSync(new Uint8Array(64 * 1024 * 1024).fill(0x20), { level: 1 })
  await using roomy = await startInProcess({ limits: { maxWriteBytes: 1024 * 1024 } })
  const answer = await roomy.call('PUT', '/bomb.json', { body: bomb, headers: { 'Content-Encoding': 'gzip' } })
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.text)).toEqual(errorBody(errors.writeTooBig))
})

test('a read that takes longer than its timeout is given up', async () => {
  await using slow = await startInProcess({ storage: { inlineLength: 0, cacheLength: 0 } })
  // Far more than one stretch of work, however fast the machine.
  const body = JSON.stringify(
    Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`key-${index}`, index])),
  )
  expect((await slow.call('PUT', '/big.json?print=silent', { body })).status).toBe(204)
  const refused = await slow.call('GET', '/big.json?timeout=0.001ms')
  expect(refused.status).toBe(400)
  expect(JSON.parse(refused.text)).toEqual(errorBody(errors.readTooBig))
  expect((await slow.call('GET', '/big.json?timeout=15min')).text).toHaveLength(body.length)
})
