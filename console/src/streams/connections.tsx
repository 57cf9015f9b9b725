import type { ResultOf } from '../../../src/admin/operations.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { bytesText, countText, numberText } from '../parts/amounts.ts'
import { Fetched } from '../parts/fetched.tsx'
import { Moment } from '../parts/moment.tsx'
import { call } from '../shell/call.ts'
import type { PageProps } from '../shell/page.ts'
import { usePolled } from '../shell/polled.ts'
import { type Column, Table } from '../shell/table.tsx'
import { toast } from '../shell/toasts.tsx'

type Connection = ResultOf<'connections'>['connections'][number]

/** How often the connections are asked for, in ms. */
const EVERY_MS = 5000
const CARRIERS: Readonly<Record<Connection['carrier'], string>> = { websocket: 'WebSocket', polling: 'long polling' }

/** The SDKs that are connected to an application. */
export function Connections({ application }: Pick<PageProps, 'application'>) {
  const connections = usePolled((signal) => call('connections', { application }, signal), [application], EVERY_MS)
  const end = async ({ id }: Connection) => {
    const { ended } = await call('connection-end', { id })
    toast(ended ? 'The connection is ended.' : 'It had ended already.')
    connections.refresh()
  }
  return (
    <section aria-labelledby="connections-title">
      <h2 id="connections-title">Connections of SDKs</h2>
      <Fetched of={connections}>
        {({ total, connections: rows }) => (
          <>
            <p role="status">
              {countText(total, 'connection')} open
              {total > rows.length && `; the ${numberText(rows.length)} that were opened first are shown`}.
            </p>
            <Table
              caption="Open connections"
              columns={columnsOf(end)}
              rows={rows}
              keyOf={({ id }) => id}
              empty="No SDK is connected."
            />
          </>
        )}
      </Fetched>
    </section>
  )
}

function columnsOf(end: (connection: Connection) => Promise<void>): readonly Column<Connection>[] {
  return [
    { title: 'User', cell: ({ uid }) => uid ?? '' },
    { title: 'Client', cell: ({ address }) => address ?? '' },
    { title: 'By', cell: ({ carrier }) => CARRIERS[carrier] },
    { title: 'Since', cell: ({ since }) => <Moment at={since} /> },
    { title: 'Listens', cell: ({ listens }) => numberText(listens), isNumber: true },
    { title: 'Received', cell: ({ bytesReceived }) => bytesText(bytesReceived), isNumber: true },
    { title: 'Sent', cell: ({ bytesSent }) => bytesText(bytesSent), isNumber: true },
    {
      title: 'Actions',
      cell: (connection) => (
        <ActionButton label={`End the connection of ${nameOf(connection)}`} run={() => end(connection)}>
          End
        </ActionButton>
      ),
    },
  ]
}

function nameOf({ uid, address, id }: Connection): string {
  return uid ?? address ?? id
}
