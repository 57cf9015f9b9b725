/** Dhole and its peers with the same list, asked for the same work. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { askChild } from '../harness/child.ts'
import { residentKb } from '../harness/proc.ts'
import type { Figures } from '../harness/rounds.ts'
import type { Workspace } from '../harness/workspace.ts'
import { checkAgreement, type RunningPeer } from './agreement.ts'
import { dhole } from './dhole.ts'
import type { ListPeer, ListSetup } from './peer.ts'
import type { PeerLoad, PeerLoadFigures, PeerLoadRequest } from './peer-load.ts'
import { WORKS, type Work } from './work.ts'

const KB_PER_MB = 1024

export type Times = Pick<PeerLoadRequest, 'children' | 'seconds' | 'turns' | 'warmSeconds'>

export const variantName = (peer: ListPeer, work: Work) => `peers ${work} ${peer.name}`
export const memoryName = (peer: ListPeer) => `peers memory ${peer.name}`

/** Starts them all, compares what they answer, and then asks them in turns. @returns figures by variant */
export async function competeWith(
  rivals: readonly ListPeer[],
  workspace: Workspace,
  times: Times,
): Promise<Readonly<Record<string, Figures>>> {
  return workspace.withScratch(async (scratchDir) => {
    await using servers = new AsyncDisposableStack()
    const running: RunningPeer[] = []
    for (const peer of [dhole, ...rivals]) {
      const dataDir = join(scratchDir, peer.name)
      mkdirSync(dataDir)
      const { certificate } = workspace
      running.push(await startPeer(peer, { dataDir, certificate, children: times.children }, servers))
    }
    await checkAgreement(running, times.children)
    // Awaited here: the servers stop when this function ends.
    return await loadAll(running, times)
  })
}

/** Starts a server with its list. @param servers stops it at their end, also when the list could not be loaded */
export async function startPeer(peer: ListPeer, setup: ListSetup, servers: AsyncDisposableStack): Promise<RunningPeer> {
  const running = await peer.start(setup)
  servers.defer(() => running.stop())
  await peer.fill?.(running, setup.children)
  return { peer, running }
}

async function loadAll(servers: readonly RunningPeer[], times: Times): Promise<Readonly<Record<string, Figures>>> {
  const loads = servers.map(({ peer, running: { url, pid } }): PeerLoad => ({ peer: peer.name, url, pid }))
  const request: PeerLoadRequest = { loads, ...times }
  const answers = await askChild<PeerLoadFigures>('peers/peer-load.ts', request)
  const figures: Record<string, Figures> = {}
  for (const work of WORKS) {
    for (const [index, { perSecond, cpuUs }] of answers[work].entries()) {
      const peer = servers[index]?.peer
      if (peer !== undefined) figures[variantName(peer, work)] = { perSecond, cpuUs }
    }
  }
  for (const { peer, running } of servers) figures[memoryName(peer)] = { mb: residentKb(running.pid) / KB_PER_MB }
  return figures
}
