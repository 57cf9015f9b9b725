/** Requests over HTTPS watched one by one. */
import type { Part } from '../harness/part.ts'
import { type Figures, type Samples, spread } from '../harness/rounds.ts'
import { withServer } from '../load/https.ts'
import { longestTurns, timeDelete } from '../load/single-requests.ts'
import { size } from '../report/numbers.ts'
import { figure, type Row } from '../report/row.ts'
import { bareServe } from '../targets/bare-serve.ts'
import { dholeServer } from '../targets/dhole.ts'
import { ACKNOWLEDGED } from './embedded.ts'
import { turnRow } from './turn-row.ts'

const BARE = 'https delete bare'
const dholeName = (what: 'delete' | 'turns', leaves: number) => `https ${what} ${size(leaves)}`

export const singlesPart: Part = {
  prepare: (workspace, { sizes }) => workspace.build('tree', sizes),
  variants: (workspace, { sizes, repeats }) => {
    const { certificate } = workspace
    const onCopy = (
      leaves: number,
      probe: boolean,
      measure: (target: ReturnType<typeof dholeServer>) => Promise<Figures>,
    ) =>
      workspace.withCopy(workspace.tree(leaves), (dataDir) =>
        measure(dholeServer({ certificate, dataDir, cold: probe, probe })),
      )
    return [
      {
        name: BARE,
        run: () => withServer(bareServe(certificate, 'leaf'), (running) => timeDelete(running, repeats)),
      },
      ...sizes.flatMap((leaves) => [
        {
          name: dholeName('delete', leaves),
          run: () => onCopy(leaves, false, (target) => withServer(target, (running) => timeDelete(running, repeats))),
        },
        {
          name: dholeName('turns', leaves),
          run: () => onCopy(leaves, true, (target) => withServer(target, (running) => longestTurns(running, repeats))),
        },
      ]),
    ]
  },
  rows: (samples, { sizes }) => {
    const rows = sizes.flatMap((leaves) => singleRows(samples, leaves))
    return rows.toSorted((left, right) => (left.operation < right.operation ? -1 : 1))
  },
}

function singleRows(samples: Samples, leaves: number): Row[] {
  const deleted = samples.get(dholeName('delete', leaves), 'deleteMs')
  const turns = dholeName('turns', leaves)
  const row = (title: string, name: string): Row =>
    turnRow(`${turns} ${name}`, `${title}, HTTPS`, leaves, samples.get(turns, name), samples.get(turns, 'idle'))
  return [
    {
      name: dholeName('delete', leaves),
      operation: 'DELETE 100k leaves, HTTPS, until acknowledged',
      size: leaves,
      measured: figure(deleted, 'ms'),
      limit: { title: 'Bun.serve round trip', ...figure(samples.get(BARE, 'deleteMs'), 'ms') },
      judged: spread(deleted),
      unit: 'ms',
      goal: ACKNOWLEDGED,
    },
    row('GET 1 MB cold', 'get'),
    row('PUT 1 MB', 'put'),
    row('DELETE 100k leaves', 'delete'),
  ]
}
