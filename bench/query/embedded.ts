/** What ordered queries cost without HTTP, and what that has to do with the length of the list. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { growthOf } from '../report/growth.ts'
import { size } from '../report/numbers.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import { LIST_CHILDREN } from '../stock/places.ts'
import { type Question, type QuestionName, questions } from '../stock/questions.ts'
import type { EmbeddedQueryFigures, EmbeddedQueryRequest } from './embedded-query.ts'

/** 60 us on a machine where a point read takes 2. */
const COST: Goal = { kind: 'at most', bound: 30 }
const GROWTH: Goal = { kind: 'at most', bound: 1.3 }
/** Of queries that begin anywhere: what they select lies on pages all over the file. */
const SCATTERED_GROWTH: Goal = { kind: 'at most', bound: 1.5 }
const SCATTERED: ReadonlySet<QuestionName> = new Set(['from', 'fromAny', 'equal'])

export const embeddedQueryName = (children: number) => `embedded query ${size(children)}`

/** Parsed answers are there to be compared with those of others. */
const NAMES = (Object.keys(questions) as QuestionName[]).filter((name) => questions[name].takes !== 'children')

export const embeddedPart: Part = {
  prepare: (workspace, { listSizes }) => workspace.build('places', listSizes),
  variants: (workspace, settings) =>
    settings.listSizes.map((children) => ({
      name: embeddedQueryName(children),
      run: () => measure(workspace, settings, children),
    })),
  rows: (samples, settings) => [
    ...NAMES.map((name) => costRow(samples, name)),
    ...NAMES.map((name) => growthRow(samples, name, settings)),
  ],
}

function measure(workspace: Workspace, { sliceMs, slices }: Settings, children: number): Promise<Figures> {
  return workspace.withScratch(async (scratchDir) => {
    const dataDir = workspace.places(children)
    // There are many questions and each takes microseconds.
    const request: EmbeddedQueryRequest = { dataDir, scratchDir, children, sliceMs: sliceMs / 2, slices }
    return { ...(await askChild<EmbeddedQueryFigures>('query/embedded-query.ts', request)) }
  })
}

function titleOf(name: QuestionName): string {
  const question: Question = questions[name]
  return question.takes === 'count' ? question.title : `20 ${question.title}`
}

function costRow(samples: Samples, name: QuestionName): Row {
  const get = (what: QuestionName | 'raw') => samples.get(embeddedQueryName(LIST_CHILDREN), what)
  return {
    name: `embedded query ${name}`,
    operation: `${titleOf(name)}, embedded, time over limit`,
    size: LIST_CHILDREN,
    measured: figure(get(name), 'us'),
    limit: { title: 'SQLite point read', ...figure(get('raw'), 'us') },
    judged: spread(ratios(get(name), get('raw'))),
    unit: 'x',
    goal: COST,
  }
}

/** What a query costs in the longest list, in units of what it costs in the shortest. */
function growthRow(samples: Samples, name: QuestionName, { listSizes }: Settings): Row {
  const [shortest, longest] = [listSizes[0] ?? 0, listSizes.at(-1) ?? 0]
  const at = (count: number) => ({ count, values: samples.get(embeddedQueryName(count), name) })
  return {
    name: `embedded query growth ${name}`,
    operation: `growth of ${titleOf(name)}, embedded`,
    ...growthOf(at(shortest), at(longest), 'us'),
    goal: SCATTERED.has(name) ? SCATTERED_GROWTH : GROWTH,
  }
}
