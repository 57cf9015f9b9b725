import { expect, test } from 'bun:test'
import type { ClientsTaken } from '../../../src/admin/operations/monitor-schemas.ts'
import { checkClients } from '../../../src/doctor/clients.ts'

const FEW: ClientsTaken = {
  streams: { taken: 3, most: 20_000 },
  connections: { taken: 5, most: 20_000 },
  memoryBytes: { taken: 1000, most: 1_000_000 },
  ended: { left: 1000, 'too-slow': 10 },
}

test.each<[string, Partial<ClientsTaken>, string, string]>([
  ['little', {}, 'ok', '3 event streams and 5 connections'],
  ['much, without a limit', { connections: { taken: 50_000, most: 0 } }, 'ok', '50000 connections'],
  ['nearly all streams', { streams: { taken: 16_000, most: 20_000 } }, 'warning', '16000 of 20000 event streams'],
  ['all connections', { connections: { taken: 20, most: 20 } }, 'warning', '20 of 20 connections of SDKs'],
  ['most of the memory', { memoryBytes: { taken: 900_000, most: 1_000_000 } }, 'warning', '900000 of 1000000 bytes'],
  ['what ends slow clients', { ended: { left: 1000, 'too-slow': 90, 'too-much': 20 } }, 'warning', '110 of 1110'],
  ['what ends few of many clients', { ended: { left: 1_000_000, 'too-slow': 200 } }, 'ok', '3 event streams'],
])('clients that take %s', (_, taken, state, found) => {
  const results = [...checkClients({ ...FEW, ...taken })]
  expect(results).toHaveLength(1)
  expect(results[0]).toMatchObject({ check: 'clients', state, found: expect.stringContaining(found) })
})
