/** What rules cost without HTTP. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { size } from '../report/numbers.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import { MEMBERS } from '../stock/club.ts'
import { type EmbeddedRulesFigures, type EmbeddedRulesRequest, WRITERS, type Writers } from './embedded-rules.ts'
import { FEW_NODES, MANY_NODES } from './files.ts'

const NAME = 'embedded rules'
/** The middle of many slices: one writer keeps no core busy, so what runs beside it is seen. */
const SLICES_TIMES = 3
const WRITTEN: Goal = { kind: 'at least', bound: 0.7 }
const MATCHED: Goal = { kind: 'at most', bound: 1.1 }

export const rulesEmbeddedPart: Part = {
  prepare: (workspace) => workspace.build('club', [MEMBERS]),
  variants: (workspace, settings) => [{ name: NAME, run: () => measure(workspace, settings) }],
  rows: (samples) => [
    ...(Object.keys(WRITERS) as Writers[]).flatMap((writers) => writeRows(samples, writers)),
    ...readRows(samples),
  ],
}

function measure(workspace: Workspace, { sliceMs, slices }: Settings): Promise<Figures> {
  return workspace.withScratch(async (scratchDir) => {
    const nodes = { fewNodes: FEW_NODES, manyNodes: MANY_NODES }
    const request: EmbeddedRulesRequest = {
      scratchDir,
      members: MEMBERS,
      ...nodes,
      sliceMs,
      slices: slices * SLICES_TIMES,
    }
    return { ...(await askChild<EmbeddedRulesFigures>('rules/embedded-rules.ts', request)) }
  })
}

function writeRows(samples: Samples, writers: Writers): Row[] {
  const ours = `write ruled ${writers}` as const
  const who = writers === 'one' ? 'one client' : `${WRITERS[writers]} clients`
  const operation = `PUT 1 KB by rules that read three places, ${who}, embedded`
  return [
    { ...compare(samples, ours, `write plain ${writers}`, 'no rules'), operation, goal: WRITTEN },
    { ...compare(samples, ours, `write open ${writers}`, 'open rules'), operation, goal: WRITTEN },
  ]
}

function readRows(samples: Samples): Row[] {
  const few = `file of ${size(FEW_NODES)} nodes`
  return [
    {
      ...compare(samples, 'read few', 'read plain', 'no rules', 'time'),
      operation: 'GET leaf by rule, embedded, time over limit',
    },
    {
      ...compare(samples, 'read few', 'read open', 'open rules', 'time'),
      operation: 'GET leaf by rule, embedded, time over limit',
    },
    {
      ...compare(samples, 'read many', 'read few', few, 'time'),
      operation: 'GET leaf by a rule with many beside it, embedded, time over limit',
      size: MANY_NODES,
      goal: MATCHED,
    },
  ]
}

function compare(
  samples: Samples,
  subject: keyof EmbeddedRulesFigures,
  limit: keyof EmbeddedRulesFigures,
  limitTitle: string,
  by: 'speed' | 'time' = 'speed',
): Omit<Row, 'operation'> {
  const [ours, theirs] = [samples.get(NAME, subject), samples.get(NAME, limit)]
  const unit = by === 'speed' ? 'us CPU' : 'us'
  return {
    name: `${NAME} ${subject} to ${limit}`,
    size: undefined,
    measured: figure(ours, unit),
    limit: { title: limitTitle, ...figure(theirs, unit) },
    judged: spread(by === 'speed' ? ratios(theirs, ours) : ratios(ours, theirs)),
    unit: 'x',
  }
}
