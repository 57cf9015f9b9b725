/** What four indexes cost the writes to a list. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import { LIST_CHILDREN } from '../stock/places.ts'
import type { IndexedWriteFigures, IndexedWriteRequest, WriteName } from './indexed-write.ts'

const NAME = 'indexed write'
const RATE: Goal = { kind: 'at least', bound: 0.8 }

const TITLES: Readonly<Record<WriteName, string>> = {
  placeOne: 'PUT child under 4 indexes, one client',
  placeMany: 'PUT child under 4 indexes, 64 clients',
  leafOne: 'PUT indexed leaf, one client',
  leafMany: 'PUT indexed leaf, 64 clients',
  newOne: 'PUT new child under 4 indexes, one client',
  newMany: 'PUT new child under 4 indexes, 64 clients',
}

export const writesPart: Part = {
  prepare: (workspace) => workspace.build('twins', [LIST_CHILDREN]),
  variants: (workspace, settings) => [{ name: NAME, run: () => measure(workspace, settings) }],
  rows: (samples) => Object.entries(TITLES).map(([name, title]) => rateRow(samples, name as WriteName, title)),
}

function measure(workspace: Workspace, { sliceMs, slices }: Settings): Promise<Figures> {
  return workspace.withCopy(workspace.twins(LIST_CHILDREN), async (dataDir) => {
    const request: IndexedWriteRequest = { dataDir, children: LIST_CHILDREN, sliceMs, slices }
    return { ...(await askChild<IndexedWriteFigures>('query/indexed-write.ts', request)) }
  })
}

function rateRow(samples: Samples, name: WriteName, title: string): Row {
  const [indexed, plain] = [samples.get(NAME, `indexed ${name}`), samples.get(NAME, `plain ${name}`)]
  return {
    name: `${NAME} ${name}`,
    operation: `${title}, embedded`,
    size: LIST_CHILDREN,
    measured: figure(indexed, '/s'),
    limit: { title: 'no index', ...figure(plain, '/s') },
    judged: spread(ratios(indexed, plain)),
    unit: 'x',
    goal: RATE,
  }
}
