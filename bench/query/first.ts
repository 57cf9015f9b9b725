/** The first query by a child without an index: how long it takes, and how much of the loop. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { figure, type Row } from '../report/row.ts'
import { LIST_CHILDREN } from '../stock/places.ts'
import type { FirstQueryFigures, FirstQueryRequest } from './first-query.ts'

const NAME = 'first query'

export const firstPart: Part = {
  prepare: (workspace) => workspace.build('places', [LIST_CHILDREN]),
  variants: (workspace, settings) => [{ name: NAME, run: () => measure(workspace, settings) }],
  rows(samples) {
    const get = (what: keyof FirstQueryFigures) => samples.get(NAME, what)
    return [
      {
        name: `${NAME} answerMs`,
        operation: 'first query by a child, embedded, until answered',
        size: LIST_CHILDREN,
        measured: figure(get('answerMs'), 'ms'),
        limit: { title: 'the same again', ...figure(get('againMs'), 'ms') },
        judged: spread(get('answerMs')),
        unit: 'ms',
        goal: { kind: 'at most', bound: 300 },
      },
      {
        name: `${NAME} turnMs`,
        operation: 'longest turn of the loop, first query by a child, embedded',
        size: LIST_CHILDREN,
        measured: figure(get('turnMs'), 'ms'),
        limit: { title: 'without it', ...figure(get('idleTurnMs'), 'ms') },
        judged: spread(get('turnMs')),
        unit: 'ms',
        goal: { kind: 'at most', bound: 20 },
      },
      meanwhileRow(samples, 'reads of one reader', ['readsPerSecond', 'readsPerSecondBefore'], 0.6),
      meanwhileRow(samples, 'writes of one writer', ['writesPerSecond', 'writesPerSecondBefore'], 0.5),
    ]
  },
}

/** The mean of all repeats, each on a fresh copy of the file; of the turns the longest. */
async function measure(workspace: Workspace, { repeats }: Settings): Promise<Figures> {
  const runs: FirstQueryFigures[] = []
  for (let count = 0; count < repeats; count++) {
    const run = await workspace.withCopy(workspace.twins(LIST_CHILDREN), (dataDir) => {
      const request: FirstQueryRequest = { dataDir, children: LIST_CHILDREN }
      return askChild<FirstQueryFigures>('query/first-query.ts', request)
    })
    runs.push(run)
  }
  const mean = (figure: keyof FirstQueryFigures) => runs.reduce((sum, run) => sum + run[figure] / repeats, 0)
  const longest = (figure: keyof FirstQueryFigures) => Math.max(...runs.map((run) => run[figure]))
  return {
    answerMs: mean('answerMs'),
    againMs: mean('againMs'),
    turnMs: longest('turnMs'),
    idleTurnMs: longest('idleTurnMs'),
    readsPerSecond: mean('readsPerSecond'),
    readsPerSecondBefore: mean('readsPerSecondBefore'),
    writesPerSecond: mean('writesPerSecond'),
    writesPerSecondBefore: mean('writesPerSecondBefore'),
  }
}

function meanwhileRow(
  samples: Samples,
  title: string,
  [during, before]: readonly [during: keyof FirstQueryFigures, before: keyof FirstQueryFigures],
  bound: number,
): Row {
  const [now, then] = [samples.get(NAME, during), samples.get(NAME, before)]
  return {
    name: `${NAME} ${during}`,
    operation: `${title} during the first query by a child, embedded`,
    size: LIST_CHILDREN,
    measured: figure(now, '/s'),
    limit: { title: 'before it', ...figure(then, '/s') },
    judged: spread(ratios(now, then)),
    unit: 'x',
    goal: { kind: 'at least', bound },
  }
}
