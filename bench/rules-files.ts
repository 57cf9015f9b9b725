/** What large rules files cost: to be read, and to be looked into. */
import { askChild } from './child.ts'
import type { Part } from './part.ts'
import { type Goal, type Row, short, size } from './report.ts'
import { type Samples, spread } from './rounds.ts'
import { rulesAmong, SHAPES, type Shape } from './rule-shapes.ts'
import type { CompileFigures, CompileRequest } from './rules-compile.ts'
import { clubRow, clubVariant, SHOWN_IN_URL } from './rules-load.ts'

const READ: Goal = { kind: 'at most', bound: 200 }
const MATCHED: Goal = { kind: 'at most', bound: 1.1 }

export const FEW_NODES = 10
export const MANY_NODES = 10_000

const compileName = (shape: Shape) => `rules compile ${shape}`
const matchName = (nodes: number) => `rules getNote among ${nodes}`

export const rulesFilesPart: Part = {
  variants: (workspace, settings) => [
    ...SHAPES.map((shape) => ({ name: compileName(shape), run: () => compile(shape) })),
    ...[FEW_NODES, MANY_NODES].map((nodes) =>
      clubVariant(
        matchName(nodes),
        { operation: 'getNote', rules: rulesAmong(nodes), credential: SHOWN_IN_URL },
        workspace,
        settings,
      ),
    ),
  ],
  rows: (samples) => [
    ...SHAPES.map((shape) => compileRow(samples, shape)),
    clubRow(samples, {
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

async function compile(shape: Shape) {
  const request: CompileRequest = { shape, nodes: MANY_NODES }
  return { ...(await askChild<CompileFigures>('rules-compile.ts', request)) }
}

function compileRow(samples: Samples, shape: Shape): Row {
  const get = (figure: keyof CompileFigures) => samples.get(compileName(shape), figure)
  const middle = (figure: keyof CompileFigures) => `${short(spread(get(figure)).median)} ms`
  return {
    operation: `read a rules file, ${shape}, the first of a process`,
    size: MANY_NODES,
    measured: `${middle('first')}, later ones ${middle('later')}`,
    limit: `JSON.parse ${middle('json')}`,
    judged: spread(get('first')),
    unit: 'ms',
    goal: READ,
  }
}
