/** How long a server takes from being started to its first answer, on a file that is there already. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Part } from '../harness/part.ts'
import { type Figures, ratios, spread } from '../harness/rounds.ts'
import { figure, type Goal } from '../report/row.ts'
import { archivePath } from '../stock/archive.ts'
import { urlOf } from '../stock/blogs.ts'
import { bareServe } from '../targets/bare-serve.ts'
import { dholeServe } from '../targets/dhole-serve.ts'
import type { Target } from '../targets/target.ts'

const ANSWERED: Goal = { kind: 'at most', bound: 2.5 }
const BARE = 'start bare'
const DHOLE = 'start dhole serve'

export const startPart: Part = {
  quick: true,
  prepare: (workspace, { archiveBytes }) => workspace.build('archive', [archiveBytes]),
  variants: (workspace, { archiveBytes, starts }) => [
    {
      name: 'starts',
      compete: () =>
        workspace.withScratch(async (scratchDir) => {
          const { cert, key } = workspace.certificate
          const [certificateFile, keyFile] = [join(scratchDir, 'cert.pem'), join(scratchDir, 'key.pem')]
          writeFileSync(certificateFile, cert)
          writeFileSync(keyFile, key, { mode: 0o600 })
          const dataDir = workspace.archive(archiveBytes)
          const targets = {
            [BARE]: bareServe(workspace.certificate, 'object'),
            [DHOLE]: dholeServe({ dataDir, certificateFile, keyFile }),
          }
          return timeStarts(targets, starts)
        }),
    },
  ],
  rows: (samples, { archiveBytes }) => {
    const [ours, bare] = [samples.get(DHOLE, 'ms'), samples.get(BARE, 'ms')]
    return [
      {
        name: DHOLE,
        operation: 'start of dhole serve on a file that is there, until the first answer, time over limit',
        size: archiveBytes,
        measured: figure(ours, 'ms'),
        limit: { title: 'Bun.serve', ...figure(bare, 'ms') },
        judged: spread(ratios(ours, bare)),
        unit: 'x',
        goal: ANSWERED,
      },
    ]
  },
}

/**
 * The middle of so many starts of each, in milliseconds. They take turns, so that other work on the machine slows both
 * down. One start of each is not counted: it makes secrets.
 */
async function timeStarts(
  targets: Readonly<Record<string, Target>>,
  starts: number,
): Promise<Readonly<Record<string, Figures>>> {
  const times = new Map<string, number[]>(Object.keys(targets).map((name) => [name, []]))
  for (let count = 0; count <= starts; count++) {
    for (const [name, target] of Object.entries(targets)) {
      const ms = await timeStart(target)
      if (count > 0) times.get(name)?.push(ms)
    }
  }
  return Object.fromEntries([...times].map(([name, taken]) => [name, { ms: spread(taken).median }]))
}

async function timeStart(target: Target): Promise<number> {
  const start = performance.now()
  const running = await target.start()
  try {
    const response = await fetch(running.url.replace(/\/$/, '') + urlOf(archivePath(0)), {
      tls: { rejectUnauthorized: false },
    })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`the first answer was ${response.status}`)
    return performance.now() - start
  } finally {
    await running.stop()
  }
}
