import { expect, test } from 'bun:test'
import { fuzz } from './fuzz.ts'
import { startService } from './service.ts'

const REQUESTS = 20_000

test(`${REQUESTS} random requests are answered by the protocol`, async () => {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
  const service = await startService()
  try {
    const { requests } = await fuzz(service, { seed, requests: REQUESTS })
    expect([seed, requests >= REQUESTS]).toEqual([seed, true])
  } finally {
    await service.dispose()
  }
})
