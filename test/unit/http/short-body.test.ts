import { expect, test } from 'bun:test'
import { DholeError } from '../../../src/error.ts'
import { readShortBody } from '../../../src/http/request/short-body.ts'

test('a late body that the limits aborted is not used when it arrives after all', async () => {
  const { promise: watched, resolve: onWatched } = Promise.withResolvers<(reason: DholeError) => void>()
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const request = new Request('https://localhost/a.json', { method: 'PUT', body: readable })
  const used: Uint8Array[] = []
  const reading = readShortBody(request, {
    watch: (stop) => {
      onWatched(stop)
      return () => {}
    },
    use: async (bytes) => used.push(bytes),
    failed: (cause) => new DholeError('bad-data', undefined, { cause }),
  })
  const stop = await watched
  stop(new DholeError('body-too-slow'))
  await expect(reading).rejects.toMatchObject({ code: 'body-too-slow' })
  const writer = writable.getWriter()
  await writer.write(new TextEncoder().encode('1'))
  await writer.close()
  await new Promise(setImmediate)
  expect(request.bodyUsed).toBe(true)
  expect(used).toEqual([])
})
