import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { ResultOf } from '../../../src/admin/operations.ts'
import { Fetched } from '../parts/fetched.tsx'
import { TextField } from '../parts/fields.tsx'
import { Moment } from '../parts/moment.tsx'
import { MoreButton, usePages } from '../parts/pages.tsx'
import { call } from '../shell/call.ts'
import { hrefOf, navigate } from '../shell/router.ts'
import { type Column, Table } from '../shell/table.tsx'
import { stateText } from './message-states.ts'
import type { PartProps } from './messages-page.tsx'

type Message = ResultOf<'sms-search'>['messages'][number]

const COLUMNS: readonly Column<Message>[] = [
  { title: 'Number', cell: ({ number }) => number },
  { title: 'rrid', cell: ({ rrid }) => rrid },
  { title: 'State', cell: ({ status }) => <span class={`message-${status}`}>{stateText(status)}</span> },
  {
    title: 'Code',
    cell: ({ code, meaning }) => (
      <>
        <code>{code}</code> {meaning !== undefined && <small>{meaning}</small>}
      </>
    ),
  },
  { title: 'Recorded', cell: ({ submittedAt }) => <Moment at={submittedAt} /> },
  { title: 'Reported', cell: ({ receivedAt }) => (receivedAt === undefined ? '' : <Moment at={receivedAt} />) },
  { title: 'Id of the gateway', cell: ({ messageId }) => messageId ?? '' },
]

/** Finds messages by number, by rrid, or by both. The address holds what is looked for. */
export function MessageSearch({ application, search }: PartProps) {
  const wanted = { number: search.get('number') ?? '', rrid: search.get('rrid') ?? '' }
  const number = useSignal(wanted.number)
  const rrid = useSignal(wanted.rrid)
  // Before anything can be typed.
  useLayoutEffect(() => {
    number.value = wanted.number
    rrid.value = wanted.rrid
  }, [wanted.number, wanted.rrid])
  return (
    <section aria-labelledby="search-title">
      <h2 id="search-title">Search</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const given = { number: number.value.trim(), rrid: rrid.value.trim() }
          navigate(hrefOf('messages', [application, 'search'], given))
        }}
      >
        <div class="fields">
          <TextField label="Number" value={number} hint="the whole number" />
          <TextField label="rrid" value={rrid} hint="the name of a batch" />
        </div>
        <div class="actions">
          <button type="submit" class="primary">
            Search
          </button>
        </div>
      </form>
      {(wanted.number !== '' || wanted.rrid !== '') && (
        <Found key={application} application={application} {...wanted} />
      )}
    </section>
  )
}

interface FoundProps {
  readonly application: string
  readonly number: string
  readonly rrid: string
}

function Found({ application, number, rrid }: FoundProps) {
  const messages = usePages(
    async (after, signal) => {
      const given = { ...(number === '' ? {} : { number }), ...(rrid === '' ? {} : { rrid }) }
      const { messages: rows, next } = await call('sms-search', { id: application, ...given, ...after }, signal)
      return { rows, next }
    },
    [application, number, rrid],
  )
  return (
    <>
      <Fetched of={messages}>
        {(rows) => (
          <Table
            caption="Messages"
            columns={COLUMNS}
            rows={rows}
            keyOf={(message) => rows.indexOf(message)}
            empty={messages.next.value === undefined ? 'No such message.' : 'None on the first pages: show more.'}
          />
        )}
      </Fetched>
      <MoreButton pages={messages} />
    </>
  )
}
