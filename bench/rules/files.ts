/** What large rules files cost: to be read, and to be looked into. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, type Samples, spread } from '../harness/rounds.ts'
import { size } from '../report/numbers.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import { MEMBERS } from '../stock/club.ts'
import { rulesAmong, SHAPES, type Shape } from '../stock/rule-shapes.ts'
import type { CompileFigures, CompileRequest } from './compile.ts'
import { clubContest, clubRow, SHOWN_IN_URL } from './load.ts'

const READ: Goal = { kind: 'at most', bound: 200 }
const MATCHED: Goal = { kind: 'at most', bound: 1.1 }

export const FEW_NODES = 10
export const MANY_NODES = 10_000

/** Rules that are all different, and in one shape rules that say the same again and again, as those of people do. */
const FILES: readonly { readonly title: string; readonly shape: Shape; readonly distinct: boolean }[] = [
  ...SHAPES.map((shape) => ({ title: shape, shape, distinct: true })),
  { title: 'even, rules alike', shape: 'even', distinct: false },
]

const compileName = (title: string) => `rules compile ${title}`
const matchName = (nodes: number) => `rules getNote among ${nodes}`

export const rulesFilesPart: Part = {
  prepare: (workspace) => workspace.build('club', [MEMBERS]),
  variants: (workspace, settings) => [
    ...FILES.map(({ title, ...file }) => ({ name: compileName(title), run: () => compile(file) })),
    clubContest(
      'rules getNote among others',
      [FEW_NODES, MANY_NODES].map((nodes) => ({
        name: matchName(nodes),
        operation: 'getNote',
        rules: rulesAmong(nodes),
        credential: SHOWN_IN_URL,
      })),
      workspace,
      settings,
    ),
  ],
  rows: (samples) => [
    ...FILES.map(({ title }) => compileRow(samples, title)),
    clubRow(samples, {
      name: matchName(MANY_NODES),
      operation: 'GET leaf by a rule with many beside it, HTTPS',
      subject: matchName(MANY_NODES),
      limit: matchName(FEW_NODES),
      limitTitle: `file of ${size(FEW_NODES)} nodes`,
      by: 'time',
      size: MANY_NODES,
      goal: MATCHED,
    }),
  ],
}

async function compile(file: Omit<CompileRequest, 'nodes'>): Promise<Figures> {
  const request: CompileRequest = { ...file, nodes: MANY_NODES }
  return { ...(await askChild<CompileFigures>('rules/compile.ts', request)) }
}

function compileRow(samples: Samples, title: string): Row {
  const get = (what: keyof CompileFigures) => samples.get(compileName(title), what)
  return {
    name: compileName(title),
    operation: `read a rules file, ${title}, the first of a process`,
    size: MANY_NODES,
    measured: { ...figure(get('first'), 'ms'), beside: { title: 'later ones', ...figure(get('later'), 'ms') } },
    limit: { title: 'JSON.parse', ...figure(get('json'), 'ms') },
    judged: spread(get('first')),
    unit: 'ms',
    goal: READ,
  }
}
