import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { SECRET } from '../../support/https-server.ts'
import { canWatch, startWatchedServer } from '../../support/watched-server.ts'

const MEBIBYTE = 1024 * 1024
const FLOOD = 60
const MOST_MEMORY = 300 * MEBIBYTE

/** `[1,1,…]`: 15 KB packed, 16 MB unpacked. */
const bomb = Bun.gzipSync(`[${'1,'.repeat(8 * MEBIBYTE - 2)}1]`, { level: 9 })

describe.skipIf(!canWatch)('60 gzip bodies at once that unpack to 16 MB each', () => {
  test.each([
    ['where nobody may write', '{"rules":{}}', 403],
    ['where everybody may write', '{"rules":{".read":true,".write":true}}', 400],
  ])(
    '%s take little memory',
    async (_, rules, status) => {
      const server = await startWatchedServer({ APP_SECRET: SECRET })
      const tls = { ca: readFileSync(server.certificate, 'utf8') }
      const send = async (path: string, body: string | Uint8Array<ArrayBuffer>, headers = {}) => {
        const answer = await fetch(`${server.url}${path}`, { method: 'PUT', body, headers, tls })
        await answer.bytes()
        return answer.status
      }
      try {
        expect(await send(`/.settings/rules.json?auth=${SECRET}`, rules)).toBe(200)
        await send('/warm.json', Bun.gzipSync('1'), { 'Content-Encoding': 'gzip' })
        const { peakMemory } = await server.watch(async () => {
          const flood = Array.from({ length: FLOOD }, (_, index) =>
            send(`/bomb/${index}.json`, bomb, { 'Content-Encoding': 'gzip' }),
          )
          expect(new Set(await Promise.all(flood))).toEqual(new Set([status]))
        })
        expect(peakMemory).toBeLessThan(MOST_MEMORY)
      } finally {
        await server.stop()
      }
    },
    120_000,
  )
})
