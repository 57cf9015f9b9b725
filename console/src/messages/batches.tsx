import type { ResultOf } from '../../../src/admin/operations.ts'
import { countText, numberText } from '../parts/amounts.ts'
import { Fetched } from '../parts/fetched.tsx'
import { Moment } from '../parts/moment.tsx'
import { MoreButton, usePages } from '../parts/pages.tsx'
import { call } from '../shell/call.ts'
import { usePolled } from '../shell/polled.ts'
import { hrefOf } from '../shell/router.ts'
import { type Column, Table } from '../shell/table.tsx'
import { countName } from './message-states.ts'
import type { PartProps } from './messages-page.tsx'

type Batch = ResultOf<'sms-batches'>['batches'][number]

/** How often the counts are asked for, in ms. */
const EVERY_MS = 15_000

/** The batches of an application, the newest first, and how many messages are in which state. */
export function Batches({ application }: PartProps) {
  const counts = usePolled((signal) => call('sms-counts', { id: application }, signal), [application], EVERY_MS)
  const batches = usePages(
    async (after, signal) => {
      const { batches: rows, next } = await call('sms-batches', { id: application, ...after }, signal)
      return { rows, next }
    },
    [application],
  )
  return (
    <>
      <section aria-label="Messages by state">
        <Fetched of={counts}>
          {(found) => (
            <dl class="facts">
              {Object.entries(found).map(([state, count]) => (
                <div key={state}>
                  <dt>{countName(state)}</dt>
                  <dd>{numberText(count)}</dd>
                </div>
              ))}
            </dl>
          )}
        </Fetched>
      </section>
      <section aria-labelledby="batches-title">
        <h2 id="batches-title">Batches</h2>
        <Fetched of={batches}>
          {(rows) => (
            <Table
              caption="Batches"
              columns={columnsOf(application)}
              rows={rows}
              keyOf={({ id }) => id}
              empty="No messages were recorded yet."
            />
          )}
        </Fetched>
        <MoreButton pages={batches} />
      </section>
    </>
  )
}

function columnsOf(application: string): readonly Column<Batch>[] {
  return [
    {
      title: 'rrid',
      cell: ({ id }) => <a href={hrefOf('messages', [application, 'search'], { rrid: id })}>{id}</a>,
    },
    { title: 'Recorded', cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      title: 'Messages',
      cell: ({ count, isCut }) => `${isCut ? 'more than ' : ''}${numberText(count)}`,
      isNumber: true,
    },
    { title: 'States', cell: ({ states }) => <States states={states} /> },
  ]
}

function States({ states: { delivered, failed, sending, notSent } }: { readonly states: Batch['states'] }) {
  const parts = [
    [delivered, 'delivered'],
    [failed, 'failed'],
    [sending, 'being sent'],
    [notSent, 'not sent'],
  ] as const
  const shown = parts.filter(([count]) => count > 0)
  return <>{shown.map(([count, name]) => countText(count, name, name)).join(', ')}</>
}
