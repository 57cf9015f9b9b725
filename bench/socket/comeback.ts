/** Clients that come back after a restart of the server, and have what they listen to. */
import type { Part } from '../harness/part.ts'
import { cpuMsSince } from '../harness/proc.ts'
import { type Figures, ratios, spread } from '../harness/rounds.ts'
import type { Workspace } from '../harness/workspace.ts'
import { figure, type Goal } from '../report/row.ts'
import { bareSockets } from '../targets/bare-sockets.ts'
import { dholeSockets } from '../targets/dhole-sockets.ts'
import { freePort } from '../targets/foreign.ts'
import type { Target } from '../targets/target.ts'
import { Crowd } from './crowd.ts'
import { putOverRest, ROOM, ROOM_PATH } from './room.ts'
import { hashOfText } from './wire-client.ts'

const BACK: Goal = { kind: 'at most', bound: 5 }
/** Of frames: a hello and an answer. What they listen to is longer than that. */
const QUIET: Goal = { kind: 'at most', bound: 400 }

const BARE = 'comeback bare'
const DHOLE = 'comeback dhole'
/** A process has used no time when it starts. */
const NOTHING_USED = { tickMs: 0, threads: new Map<string, number>() }

export const comebackPart: Part = {
  quick: true,
  variants: (workspace, { returning }) => [
    { name: BARE, run: () => comeBack(bareSockets({ ...placeOf(workspace), kind: 'send' }), returning, false) },
    {
      name: DHOLE,
      run: () =>
        workspace.withScratch((dataDir) => {
          return comeBack(dholeSockets({ ...placeOf(workspace), dataDir }), returning, true)
        }),
    },
  ],
  rows(samples, { returning: size }) {
    const get = (variant: string, what: string) => samples.get(variant, what)
    const limit = (what: string, unit: string) => ({ title: 'Bun.serve', ...figure(get(BARE, what), unit) })
    return [
      {
        name: DHOLE,
        operation: 'clients back after a restart, until the last has hello and the answer to its listen',
        size,
        measured: { ...figure(get(DHOLE, 'seconds'), 's'), beside: figure(get(DHOLE, 'cpuUs'), 'us CPU each') },
        limit: { ...limit('seconds', 's'), beside: figure(get(BARE, 'cpuUs'), 'us CPU each') },
        judged: spread(get(DHOLE, 'seconds')),
        unit: 's',
        goal: BACK,
      },
      {
        name: `${DHOLE} to bare`,
        operation: 'clients back after a restart, processor time of the server over limit',
        size,
        measured: figure(get(DHOLE, 'cpuUs'), 'us CPU'),
        limit: limit('cpuUs', 'us CPU'),
        judged: spread(ratios(get(DHOLE, 'cpuUs'), get(BARE, 'cpuUs'))),
        unit: 'x',
      },
      {
        name: `${DHOLE} bytes`,
        operation: 'bytes of frames that a client is sent then, who listens to 1 KB that has not changed',
        size,
        measured: figure(get(DHOLE, 'bytes'), 'bytes'),
        limit: { title: 'when it came first', ...figure(get(DHOLE, 'firstBytes'), 'bytes') },
        judged: spread(get(DHOLE, 'bytes')),
        unit: 'bytes',
        goal: QUIET,
      },
    ]
  },
}

/** Clients come back to where they were. */
function placeOf({ certificate }: Workspace) {
  return { certificate, port: freePort() }
}

/** @throws when a client that comes back is sent what it has */
async function comeBack(target: Target, count: number, hasTree: boolean): Promise<Figures> {
  using crowd = new Crowd(count)
  const former = await target.start()
  if (hasTree) await putOverRest(former.url, ROOM)
  const first = await crowd.open({ url: former.url, path: ROOM_PATH, hash: '' })
  await Promise.all([crowd.tell('lose'), former.stop()])
  const { url, pid, stop } = await target.start()
  try {
    const start = performance.now()
    const { bytes, pushes } = await crowd.open({ url, path: ROOM_PATH, hash: hashOfText(ROOM) })
    const seconds = (performance.now() - start) / 1000
    if (pushes > 0) throw new Error(`${pushes} of ${count} clients were sent what they had`)
    const cpuUs = (cpuMsSince(pid, NOTHING_USED) * 1000) / count
    return { seconds, cpuUs, bytes: bytes / count, firstBytes: first.bytes / count }
  } finally {
    await stop()
  }
}
