/** What a connection with one listen keeps in memory while nothing happens, and how many there can be. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Part } from '../harness/part.ts'
import { residentKb, untilQuiet } from '../harness/proc.ts'
import { type Figures, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { withServer } from '../load/https.ts'
import { Control } from '../load/stream-publisher.ts'
import { size } from '../report/numbers.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import { bareSockets } from '../targets/bare-sockets.ts'
import { dholeSockets } from '../targets/dhole-sockets.ts'
import type { Running, Target } from '../targets/target.ts'
import { Crowd } from './crowd.ts'
import { openFilesLimit, putOverRest, ROOM, ROOM_PATH } from './room.ts'

const IDLE: Goal = { kind: 'at most', bound: 12 }
/** Connections that come and go before, so that no code runs for the first time. */
const EARLIER = 500
const SETTLE_MS = 300
/** Files that a server has open besides its connections. */
const OTHER_FILES = 100
const KB_PER_MB = 1000

const BARE = 'idle socket bare'
const DHOLE = 'idle socket dhole'
const MANY = 'many sockets'

export const connectionsPart: Part = {
  variants(workspace, settings) {
    const { certificate } = workspace
    const { idleSubscribers } = settings
    return [
      { name: BARE, run: () => measureMemory(bareSockets({ certificate, kind: 'send' }), idleSubscribers) },
      {
        name: DHOLE,
        run: () =>
          workspace.withScratch((dataDir) => measureMemory(dholeSockets({ certificate, dataDir }), idleSubscribers)),
      },
      { name: MANY, run: () => openMany(workspace, manyOf(settings)) },
    ]
  },
  rows(samples, settings) {
    const [ours, bare] = [samples.get(DHOLE, 'kb'), samples.get(BARE, 'kb')]
    const many = (operation: string, what: string, unit: string): Row => ({
      name: `${MANY} ${what}`,
      operation,
      size: manyOf(settings),
      measured: figure(samples.get(MANY, what), unit),
      limit:
        manyOf(settings) < settings.manySockets ? `a process may open ${size(openFilesLimit())} files here` : undefined,
      judged: undefined,
      unit,
    })
    return [
      {
        name: DHOLE,
        operation: 'memory of an idle connection with a listen, above the limit',
        size: settings.idleSubscribers,
        measured: figure(ours, 'KB'),
        limit: { title: 'Bun.serve', ...figure(bare, 'KB') },
        judged: spread(ours.map((kb, round) => kb - (bare[round] ?? Number.NaN))),
        unit: 'KB',
        goal: IDLE,
      },
      many('connections at once, all with hello and a listen: time to open them', 'openSeconds', 's'),
      many('one write until it has reached all of them', 'reachMs', 'ms'),
      many('memory of the server with all of them', 'mb', 'MB'),
    ]
  },
}

/** As many as are asked for, or as the server can have files. */
function manyOf({ manySockets }: Settings): number {
  return Math.min(manySockets, openFilesLimit() - OTHER_FILES)
}

function measureMemory(target: Target, count: number): Promise<Figures> {
  return withServer(target, async (running) => {
    const { url } = running
    const control = await Control.connect(running.control)
    using earlier = new Crowd(EARLIER)
    await earlier.open({ url, path: ROOM_PATH, hash: '' })
    await earlier.tell('close')
    const before = await settledKb(running, control)
    using crowd = new Crowd(count)
    await crowd.open({ url, path: ROOM_PATH, hash: '' })
    const after = await settledKb(running, control)
    return { kb: (after - before) / count }
  })
}

async function settledKb({ pid }: Running, control: Control): Promise<number> {
  await untilQuiet(pid)
  await control.collect()
  await wait(SETTLE_MS)
  await control.collect()
  await untilQuiet(pid)
  return residentKb(pid)
}

/** @throws unless a write reaches every one of them, once */
function openMany(workspace: Workspace, count: number): Promise<Figures> {
  const { certificate } = workspace
  return workspace.withScratch((dataDir) =>
    withServer(dholeSockets({ certificate, dataDir }), async ({ url, pid }) => {
      using crowd = new Crowd(count)
      const start = performance.now()
      await crowd.open({ url, path: ROOM_PATH, hash: '' })
      const openSeconds = (performance.now() - start) / 1000
      await untilQuiet(pid)
      const mb = residentKb(pid) / KB_PER_MB
      await crowd.tell('forget')
      const written = performance.now()
      await putOverRest(url, ROOM)
      const { pushes } = await crowd.tell('hear')
      const reachMs = performance.now() - written
      if (pushes !== count) throw new Error(`${pushes} pushes have reached ${count} connections`)
      return { openSeconds, mb, reachMs }
    }),
  )
}
