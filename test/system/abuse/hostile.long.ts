import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import type { HttpsServer } from '../../support/https-server.ts'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type AttackName, attackNames } from './attacks.ts'
import { Swarm } from './swarm.ts'

const CLIENTS = attackNames.length * 12
const GETS = 200
/** Held for ever by whoever goes on asking for signs of life: HTTP/2 answers them below us. */
const ENDLESS: ReadonlySet<AttackName> = new Set([
  'HTTP/2 with pings only',
  'HTTP/2 settings again and again',
  // It is answered 408 in time; what comes of the body after that is one more sign of life.
  'an HTTP/2 body byte by byte',
  // Requests that are refused, again and again, are requests all the same.
  'requests that are wrong',
  'wrong credentials',
])
/** Descriptors of the honest client and of the server itself come and go. */
const FEW = 6
const LARGE = JSON.stringify('\u4e2d'.repeat(2_000_000))

let server: ServerProcess
let client: Pick<HttpsServer, 'call' | 'port'>

beforeAll(async () => {
  server = await spawnServer({ IDLE_TIMEOUT_S: '8', TRANSFER_TIMEOUT_S: '4', KEEP_ALIVE_MS: '500' })
  client = await clientOfProcess(server)
  for (const [path, body] of Object.entries({ '/a.json': '"kept"', '/large.json': LARGE })) {
    expect((await client.call('PUT', path, { body })).status).toBe(200)
  }
})

afterAll(() => server.stop())

async function get(): Promise<string> {
  return (await client.call('GET', '/a.json')).text
}

function descriptors(): number {
  return readdirSync(`/proc/${server.pid}/fd`).length
}

test.skipIf(process.platform !== 'linux')(
  'an honest client is answered among hostile ones, and what they held is let go',
  async () => {
    const swarm = new Swarm({ port: client.port, clients: CLIENTS, kinds: attackNames })
    await get()
    const before = descriptors()
    swarm.start()
    for (let count = 0; count < GETS; count++) expect(await get()).toBe('"kept"')
    expect((await client.call('PUT', '/b.json', { body: '1' })).status).toBe(200)
    // Whoever does not read does not learn of it, so what counts is what the server has open.
    while (descriptors() > before + swarm.openOf(ENDLESS) + FEW) await get()
    swarm.stop()
    while (descriptors() > before + FEW) await get()
    expect(await get()).toBe('"kept"')
  },
  120_000,
)
