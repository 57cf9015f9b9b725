/** How soon a stream on one process tells of a write that another process has acknowledged. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import type { EventFigures, EventRequest } from './event-load.ts'
import { leavesOf, preparePair, withPair } from './pair.ts'

const OTHER = 'event on another process'
const SAME = 'event on the same process'

/** Milliseconds. */
const P50: Goal = { kind: 'at most', bound: 3 }
const P99: Goal = { kind: 'at most', bound: 10 }

export const eventsPart: Part = {
  quick: true,
  prepare: preparePair,
  variants: (workspace, settings) => [
    {
      name: OTHER,
      compete: () =>
        withPair(workspace, ['one', 'other'], async ({ one, other }) => {
          const { seconds, turns, warmSeconds } = settings
          const routes = [
            { writer: one.url, listener: other.url },
            { writer: one.url, listener: one.url },
          ]
          const request: EventRequest = { routes, seconds, turns, warmSeconds }
          const [far, near] = await askChild<EventFigures[]>('cluster/event-load.ts', request)
          return { [OTHER]: { ...far }, [SAME]: { ...near } }
        }),
    },
  ],
  rows: (samples, settings) => [
    row(samples, settings, 'p50Ms', 'p50', P50),
    row(samples, settings, 'p99Ms', 'p99', P99),
  ],
}

function row(samples: Samples, settings: Settings, what: keyof EventFigures, title: string, goal: Goal): Row {
  return {
    name: `${OTHER} ${title}`,
    operation: `event on another process after the acknowledgement, ${title}, HTTPS`,
    size: leavesOf(settings),
    measured: figure(samples.get(OTHER, what), 'ms'),
    limit: { title: 'same process', ...figure(samples.get(SAME, what), 'ms') },
    judged: spread(samples.get(OTHER, what)),
    unit: 'ms',
    goal,
  }
}
