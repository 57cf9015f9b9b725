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
/** Of queries that begin anywhere and read the places from the index. */
const SCATTERED_GROWTH: Goal = { kind: 'at most', bound: 1.5 }
/** Without a covering index what these select lies on pages all over the file: there is no goal. */
const SCATTERED: ReadonlySet<QuestionName> = new Set(['from', 'fromAny', 'equal'])
/** What is also asked of indexes that cover. */
const COVERED: readonly QuestionName[] = ['first', 'from', 'fromAny', 'equal']

export const embeddedQueryName = (children: number) => `embedded query ${size(children)}`
const coveringName = (children: number) => `embedded query covering ${size(children)}`

/** Parsed answers are there to be compared with those of others. */
const NAMES = (Object.keys(questions) as QuestionName[]).filter((name) => questions[name].takes !== 'children')

export const embeddedPart: Part = {
  async prepare(workspace, { listSizes }) {
    await workspace.build('places', listSizes)
    await workspace.build('covered', listSizes)
  },
  variants: (workspace, settings) =>
    settings.listSizes.flatMap((children) => [
      { name: embeddedQueryName(children), run: () => measure(workspace, settings, children, false) },
      { name: coveringName(children), run: () => measure(workspace, settings, children, true) },
    ]),
  rows: (samples, settings) => [
    ...NAMES.map((name) => costRow(samples, name)),
    ...COVERED.map((name) => costRow(samples, name, true)),
    ...NAMES.map((name) => growthRow(samples, name, settings)),
    ...COVERED.map((name) => growthRow(samples, name, settings, true)),
  ],
}

function measure(
  workspace: Workspace,
  { sliceMs, slices }: Settings,
  children: number,
  covering: boolean,
): Promise<Figures> {
  return workspace.withScratch(async (scratchDir) => {
    const dataDir = covering ? workspace.covered(children) : workspace.places(children)
    const asked = covering ? COVERED : (Object.keys(questions) as QuestionName[])
    // There are many questions and each takes microseconds.
    const request: EmbeddedQueryRequest = {
      dataDir,
      scratchDir,
      children,
      asked,
      covering,
      sliceMs: sliceMs / 2,
      slices,
    }
    return { ...(await askChild<EmbeddedQueryFigures>('query/embedded-query.ts', request)) }
  })
}

function titleOf(name: QuestionName, covering: boolean): string {
  const question: Question = questions[name]
  const title = question.takes === 'count' ? question.title : `20 ${question.title}`
  return covering ? `${title}, covering index` : title
}

function costRow(samples: Samples, name: QuestionName, covering = false): Row {
  const variant = covering ? coveringName(LIST_CHILDREN) : embeddedQueryName(LIST_CHILDREN)
  const get = (what: QuestionName | 'raw') => samples.get(variant, what)
  return {
    name: `embedded query ${covering ? 'covering ' : ''}${name}`,
    operation: `${titleOf(name, covering)}, embedded, time over limit`,
    size: LIST_CHILDREN,
    measured: figure(get(name), 'us'),
    limit: { title: 'SQLite point read', ...figure(get('raw'), 'us') },
    judged: spread(ratios(get(name), get('raw'))),
    unit: 'x',
    goal: COST,
  }
}

/** What a query costs in the longest list, in units of what it costs in the shortest. */
function growthRow(samples: Samples, name: QuestionName, { listSizes }: Settings, covering = false): Row {
  const [shortest, longest] = [listSizes[0] ?? 0, listSizes.at(-1) ?? 0]
  const at = (count: number) => ({
    count,
    values: samples.get(covering ? coveringName(count) : embeddedQueryName(count), name),
  })
  return {
    name: `embedded query growth ${covering ? 'covering ' : ''}${name}`,
    operation: `growth of ${titleOf(name, covering)}, embedded`,
    ...growthOf(at(shortest), at(longest), 'us'),
    ...(SCATTERED.has(name) && !covering ? {} : { goal: SCATTERED.has(name) ? SCATTERED_GROWTH : GROWTH }),
  }
}
