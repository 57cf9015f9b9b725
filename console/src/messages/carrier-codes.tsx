import { useSignal } from '@preact/signals'
import { Fetched } from '../parts/fetched.tsx'
import { TextField } from '../parts/fields.tsx'
import { errorOf } from '../shell/call-error.ts'
import { send } from '../shell/connection.ts'
import { usePolled } from '../shell/polled.ts'
import { serverUrl } from '../shell/server-paths.ts'
import { type Column, Table } from '../shell/table.tsx'
import { stateText } from './message-states.ts'

interface CarrierCode {
  readonly code: string
  readonly status: number
  readonly meaning: string
}

const COLUMNS: readonly Column<CarrierCode>[] = [
  { title: 'Code', cell: ({ code }) => <code>{code}</code> },
  { title: 'State', cell: ({ status }) => <span class={`message-${status}`}>{stateText(status)}</span> },
  { title: 'Meaning', cell: ({ meaning }) => meaning },
]

/** What the codes of carriers mean. */
export function CarrierCodes() {
  const filter = useSignal('')
  const codes = usePolled(readCodes, [])
  const wanted = filter.value.trim().toLowerCase()
  return (
    <section aria-labelledby="codes-title">
      <h2 id="codes-title">Carrier codes</h2>
      <TextField label="Filter" value={filter} hint="a part of a code or of its meaning" />
      <Fetched of={codes}>
        {(rows) => (
          <Table
            caption="Carrier codes"
            columns={COLUMNS}
            rows={rows.filter(({ code, meaning }) => `${code} ${meaning}`.toLowerCase().includes(wanted))}
            keyOf={({ code }) => code}
            empty="No known code: a state with an unknown one means that the message has failed."
          />
        )}
      </Fetched>
    </section>
  )
}

async function readCodes(signal: AbortSignal): Promise<readonly CarrierCode[]> {
  const reply = await send(serverUrl('/api/v1/carrier-codes'), { headers: { Accept: 'application/json' }, signal })
  if (!reply.ok) throw await errorOf(reply)
  return ((await reply.json()) as { readonly data: readonly CarrierCode[] }).data
}
