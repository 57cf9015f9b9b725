import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { partAgainst as streamPartAgainst } from '../../bench/fan-out/nchan.ts'
import { Samples } from '../../bench/harness/rounds.ts'
import { QUICK } from '../../bench/harness/settings.ts'
import { openWorkspace } from '../../bench/harness/workspace.ts'
import { checkAgreement, type RunningPeer } from '../../bench/peers/agreement.ts'
import { competeWith, memoryName, startPeer, variantName } from '../../bench/peers/contest.ts'
import { dhole } from '../../bench/peers/dhole.ts'
import { rivals } from '../../bench/peers/list-peers.ts'
import { partAgainst } from '../../bench/peers/lists.ts'
import { nchan } from '../../bench/peers/nchan.ts'
import { describePeer, type ListPeer, missingPackage, type PlainShot } from '../../bench/peers/peer.ts'
import { send } from '../../bench/peers/send.ts'
import { CONNECTIONS, shotsOf, WORKS } from '../../bench/peers/work.ts'
import { CHOSEN, firstByName, place, placeKey } from '../../bench/stock/places.ts'

const CHILDREN = 60

/** Starts all of them with the same places, and stops them at the end. */
async function withServers(
  peers: readonly ListPeer[],
  use: (servers: readonly RunningPeer[]) => Promise<void>,
): Promise<void> {
  using workspace = await openWorkspace(() => {})
  const { certificate } = workspace
  await workspace.withScratch(async (scratchDir) => {
    await using stack = new AsyncDisposableStack()
    const servers: RunningPeer[] = []
    for (const [index, peer] of peers.entries()) {
      const dataDir = join(scratchDir, String(index))
      mkdirSync(dataDir)
      servers.push(await startPeer(peer, { dataDir, certificate, children: CHILDREN }, stack))
    }
    await use(servers)
  })
}

for (const peer of [dhole, ...rivals]) {
  test.skipIf(peer.missing() !== undefined)(`${peer.name} answers for the places it was given`, () =>
    withServers([peer], async ([server]) => {
      const ask = (shot: PlainShot) => send(server!.running, shot)
      const key = placeKey(7)
      expect(peer.placeIn(await ask(peer.get(key)))).toEqual(place(7, CHILDREN))
      const moved = { ...place(7, CHILDREN), country: 'c-001' }
      await ask(peer.put(key, moved))
      expect(peer.placeIn(await ask(peer.get(key)))).toEqual(moved)
      await ask(peer.put(key, place(7, CHILDREN)))
      const found = peer.placesIn(await ask(peer.first(CHOSEN)))
      expect(found).toEqual(Object.entries(firstByName(CHILDREN)))
    }),
  )
}

test('dhole and those that are here agree, and can then be asked in turns', async () => {
  const present = rivals.filter((peer) => peer.missing() === undefined)
  using workspace = await openWorkspace(() => {})
  const times = { children: CHILDREN, seconds: 0.05, turns: 1, warmSeconds: 0.05 }
  const figures = await competeWith(present, workspace, times)
  const servers = [dhole, ...present]
  const loads = WORKS.flatMap((work) => servers.map((peer) => variantName(peer, work)))
  const memories = servers.map(memoryName)
  expect(Object.keys(figures).toSorted()).toEqual([...loads, ...memories].toSorted())
  for (const name of loads) {
    expect(figures[name]?.['perSecond']).toBeGreaterThan(0)
    expect(figures[name]?.['cpuUs']).toBeGreaterThan(0)
  }
  for (const name of memories) expect(figures[name]?.['mb']).toBeGreaterThan(0)
})

test('a peer that does other work is not timed', () =>
  withServers([dhole, dhole], async ([ours, theirs]) => {
    const check = (peer: Partial<ListPeer>) =>
      checkAgreement([ours!, { ...theirs!, peer: { ...dhole, name: 'other', ...peer } }], CHILDREN)
    await check({})
    const wrong: readonly (readonly [peer: Partial<ListPeer>, complaint: string])[] = [
      [{ get: () => dhole.get(placeKey(1)) }, 'GET of place-000000: dhole says'],
      [{ put: (key) => dhole.get(key), get: (key) => dhole.get(key) }, 'other does not keep'],
      [{ placesIn: (answer) => dhole.placesIn(answer).toReversed() }, 'the first 20 by name: dhole says'],
      [{ first: () => dhole.first(CHOSEN - 1) }, 'other finds 19 places'],
    ]
    for (const [peer, complaint] of wrong) {
      // What the one before has put is put back, so that both begin alike.
      for (const { running } of [ours!, theirs!]) await dhole.fill?.(running, CHILDREN)
      await expect(check(peer)).rejects.toThrow(complaint)
    }
  }))

test('each connection has places of its own, and writes each of them twice a cycle, never the same value', () => {
  const all = Array.from({ length: CONNECTIONS }, (_, connection) => shotsOf(dhole, 'put', 10_000, connection)).flat()
  expect(all.length).toBeGreaterThan(0)
  expect(new Set(all.map(({ path }) => path)).size).toBe(all.length / 2)
  expect(new Set(all.map(({ path, body }) => `${path} ${body}`)).size).toBe(all.length)
})

test('one that is missing has rows that say why', () => {
  const reason = missingPackage('no-such-package-anywhere') ?? ''
  expect(reason).toBe('the package no-such-package-anywhere is not installed')
  expect(missingPackage('autocannon')).toBeUndefined()
  const samples = new Samples()
  for (const work of WORKS) samples.add(variantName(dhole, work), { perSecond: 10, cpuUs: 20 })
  samples.add(memoryName(dhole), { mb: 100 })
  const absent: ListPeer = { ...dhole, name: 'absent', missing: () => reason }
  const rows = partAgainst([absent]).rows(samples, QUICK)
  const compared = rows.filter(({ name }) => name.endsWith('against absent'))
  expect(compared.map(({ limit, judged }) => ({ limit, judged }))).toEqual(
    WORKS.map(() => ({ limit: `absent not measured: ${reason}`, judged: undefined })),
  )
  // A server that is missing has no figures of its own.
  expect(rows.filter((row) => !compared.includes(row)).every(({ name }) => name.endsWith('of dhole'))).toBe(true)
  expect(describePeer(absent)).toBe(`absent: not measured, ${reason}.`)
  samples.add('streams dhole 1 10k', { deliveryUs: 4, perSecond: 100 })
  const [row] = streamPartAgainst({ ...nchan, missing: () => 'there is no nginx' }).rows(samples, QUICK)
  expect(row).toMatchObject({ limit: 'nchan not measured: there is no nginx', judged: undefined })
})
