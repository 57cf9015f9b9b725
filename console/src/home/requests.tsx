import { useSignal } from '@preact/signals'
import type { InputOf, ResultOf } from '../../../src/admin/operations.ts'
import { durationText } from '../parts/amounts.ts'
import { Fetched } from '../parts/fetched.tsx'
import { Moment } from '../parts/moment.tsx'
import { call } from '../shell/call.ts'
import { usePolled } from '../shell/polled.ts'
import { type Column, Table } from '../shell/table.tsx'

type Kind = InputOf<'requests-recent'>['kind']
type Request = ResultOf<'requests-recent'>[number]

const EVERY_MS = 10_000
const KINDS: Readonly<Record<Kind, string>> = { recent: 'Recent', slow: 'Slow', refused: 'Refused' }

const COLUMNS: readonly Column<Request>[] = [
  { title: 'Time', cell: ({ at }) => <Moment at={at} /> },
  { title: 'Status', cell: ({ status }) => status, isNumber: true },
  {
    title: 'Request',
    cell: ({ method, path }) => (
      <code>
        {method} {path}
      </code>
    ),
  },
  { title: 'Duration', cell: ({ ms }) => durationText(ms), isNumber: true },
  { title: 'Application', cell: ({ application }) => application ?? '' },
  { title: 'Client', cell: ({ address }) => address ?? '' },
  { title: 'Why', cell: (request) => <Why request={request} /> },
]

/** The last requests: all, the slow ones, and the refused ones with the rule that decided. */
export function Requests() {
  const kind = useSignal<Kind>('recent')
  const chosen = kind.value
  const requests = usePolled((signal) => call('requests-recent', { kind: chosen }, signal), [chosen], EVERY_MS)
  return (
    <section aria-labelledby="requests-title">
      <header class="heading">
        <h2 id="requests-title">Requests</h2>
        <fieldset class="choices">
          <legend class="hidden">Which requests</legend>
          {Object.entries(KINDS).map(([name, text]) => (
            <label key={name}>
              <input
                type="radio"
                name="request-kind"
                checked={chosen === name}
                onChange={() => {
                  kind.value = name as Kind
                }}
              />
              {text}
            </label>
          ))}
        </fieldset>
      </header>
      <Fetched of={requests}>
        {(rows) => (
          <Table
            caption={`${KINDS[chosen]} requests`}
            columns={COLUMNS}
            rows={rows}
            keyOf={({ requestId, at }) => `${requestId} ${at}`}
            empty="None so far."
          />
        )}
      </Fetched>
    </section>
  )
}

function Why({ request: { code, rule, requestId } }: { readonly request: Request }) {
  if (rule !== undefined) {
    return (
      <>
        <code>{rule.path}</code>
        <div>{rule.text === undefined ? 'no rule allows it' : <code>{rule.text}</code>}</div>
      </>
    )
  }
  if (code === undefined) return null
  return (
    <>
      {code} <small>{requestId}</small>
    </>
  )
}
