/** The first query by a child without an index: how long it takes, and how much of the loop. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { type Row, short } from '../report/table.ts'
import { LIST_CHILDREN } from '../stock/places.ts'
import type { FirstQueryFigures, FirstQueryRequest } from './first-query.ts'

const NAME = 'first query'

export const firstPart: Part = {
  prepare: (workspace) => workspace.build('places', [LIST_CHILDREN]),
  variants: (workspace, settings) => [{ name: NAME, run: () => measure(workspace, settings) }],
  rows(samples) {
    const get = (figure: keyof FirstQueryFigures) => samples.get(NAME, figure)
    const answered = spread(get('answerMs'))
    const turn = spread(get('turnMs'))
    return [
      {
        operation: 'first query by a child, embedded, until answered',
        size: LIST_CHILDREN,
        measured: `${short(answered.median)} ms`,
        limit: `the same again ${short(spread(get('againMs')).median)} ms`,
        judged: answered,
        unit: 'ms',
        goal: { kind: 'at most', bound: 1000 },
      },
      {
        operation: 'longest turn of the loop, first query by a child, embedded',
        size: LIST_CHILDREN,
        measured: `${short(turn.median)} ms`,
        limit: `without it ${short(spread(get('idleTurnMs')).median)} ms`,
        judged: turn,
        unit: 'ms',
        goal: { kind: 'at most', bound: 20 },
      },
      meanwhileRow(samples, 'reads of one reader', 'readsPerSecond', 'readsPerSecondBefore'),
      meanwhileRow(samples, 'writes of one writer', 'writesPerSecond', 'writesPerSecondBefore'),
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
  during: keyof FirstQueryFigures,
  before: keyof FirstQueryFigures,
): Row {
  const [now, then] = [samples.get(NAME, during), samples.get(NAME, before)]
  return {
    operation: `${title} during the first query by a child, embedded`,
    size: LIST_CHILDREN,
    measured: `${short(spread(now).median)}/s`,
    limit: `before it ${short(spread(then).median)}/s`,
    judged: spread(ratios(now, then)),
    unit: 'x',
  }
}
