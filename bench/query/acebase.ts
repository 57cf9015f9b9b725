/** The same queries asked of AceBase. */

import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { size } from '../report/numbers.ts'
import { figure, type Row } from '../report/row.ts'
import { questions } from '../stock/questions.ts'
import { isLoaded } from './acebase-file.ts'
import type { AcebaseLoadFigures, AcebaseLoadRequest } from './acebase-load.ts'
import { ACEBASE_QUESTIONS, type AcebaseQueryFigures, type AcebaseQueryRequest } from './acebase-query.ts'
import { embeddedQueryName } from './embedded.ts'

type AcebaseQuestion = (typeof ACEBASE_QUESTIONS)[number]

const LOAD_LIMIT_MS = 150_000
/** Fewer than usual: one query can take seconds. */
const SLICES = 3
const NOT_MEASURED: AcebaseQueryFigures = {
  firstParsed: Number.NaN,
  fromParsed: Number.NaN,
  equalParsed: Number.NaN,
}

const acebaseName = (children: number) => `acebase query ${size(children)}`

export const acebasePart: Part = {
  prepare: loadAcebase,
  variants: (workspace, settings) =>
    settings.acebaseSizes.map((children) => ({
      name: acebaseName(children),
      run: () => measure(workspace, settings, children),
    })),
  rows: (samples, { acebaseSizes }) =>
    ACEBASE_QUESTIONS.flatMap((name) => acebaseSizes.map((children) => rivalRow(samples, name, children))),
}

/** Makes the databases that the variants ask; one that takes too long is given up. */
async function loadAcebase(workspace: Workspace, { acebaseSizes }: Settings): Promise<void> {
  for (const children of acebaseSizes) {
    const dataDir = workspace.acebase(children)
    const request: AcebaseLoadRequest = { dataDir, children, limitMs: LOAD_LIMIT_MS }
    const { ms, finished } = await askChild<AcebaseLoadFigures>('query/acebase-load.ts', request)
    const outcome = finished ? 'loaded in' : 'not loaded within'
    workspace.announce(`AceBase with ${size(children)}: ${outcome} ${Math.round(ms / 1000)} s`)
  }
}

async function measure(workspace: Workspace, { sliceMs }: Settings, children: number): Promise<Figures> {
  const dataDir = workspace.acebase(children)
  if (!isLoaded(dataDir)) return NOT_MEASURED
  const request: AcebaseQueryRequest = { dataDir, children, sliceMs, slices: SLICES }
  return { ...(await askChild<AcebaseQueryFigures>('query/acebase-query.ts', request)) }
}

function rivalRow(samples: Samples, name: AcebaseQuestion, children: number): Row {
  const ours = samples.get(embeddedQueryName(children), name)
  const theirs = samples.get(acebaseName(children), name)
  const loaded = !theirs.some(Number.isNaN)
  return {
    name: `${acebaseName(children)} ${name}`,
    operation: `${questions[name].title}, parsed, embedded, against AceBase`,
    size: children,
    measured: figure(ours, 'us'),
    limit: loaded
      ? { title: 'AceBase', ...figure(theirs, 'us') }
      : `AceBase did not load within ${LOAD_LIMIT_MS / 1000} s`,
    judged: loaded ? spread(ratios(theirs, ours)) : undefined,
    unit: 'x',
  }
}
