import type { ResultOf } from '../../../src/admin/operations.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { bytesText, countText, numberText } from '../parts/amounts.ts'
import { Fetched } from '../parts/fetched.tsx'
import { Moment } from '../parts/moment.tsx'
import { keysOf, nodeText } from '../parts/node-path.ts'
import { call } from '../shell/call.ts'
import type { PageProps } from '../shell/page.ts'
import { usePolled } from '../shell/polled.ts'
import { hrefOf } from '../shell/router.ts'
import { type Column, Table } from '../shell/table.tsx'
import { toast } from '../shell/toasts.tsx'
import { Connections } from './connections.tsx'

type Stream = ResultOf<'streams'>['streams'][number]

/** How often the streams are asked for, in ms. */
const EVERY_MS = 5000

/** Who listens where in an application, and which SDKs are connected to it. */
export function StreamsPage({ application }: PageProps) {
  return (
    <>
      <Streams application={application} />
      <Connections application={application} />
    </>
  )
}

function Streams({ application }: Pick<PageProps, 'application'>) {
  const streams = usePolled((signal) => call('streams', { application }, signal), [application], EVERY_MS)
  const end = async ({ id, path }: Stream) => {
    const { ended } = await call('stream-end', { id })
    toast(ended ? `The stream of ${nodeText(path)} is ended.` : 'It had ended already.')
    streams.refresh()
  }
  return (
    <Fetched of={streams}>
      {({ total, streams: rows }) => (
        <>
          <p role="status">
            {countText(total, 'stream')} open
            {total > rows.length && `; the ${numberText(rows.length)} that were opened first are shown`}.
          </p>
          <Table
            caption="Open streams"
            columns={columnsOf(end)}
            rows={rows}
            keyOf={({ id }) => id}
            empty="No stream is open."
          />
        </>
      )}
    </Fetched>
  )
}

function columnsOf(end: (stream: Stream) => Promise<void>): readonly Column<Stream>[] {
  return [
    { title: 'Path', cell: ({ application, path }) => <PathLink application={application} path={path} /> },
    { title: 'Query', cell: ({ query }) => (query === undefined ? '' : <code>{query}</code>) },
    { title: 'User', cell: ({ uid }) => uid ?? '' },
    { title: 'Client', cell: ({ address }) => address ?? '' },
    { title: 'Since', cell: ({ since }) => <Moment at={since} /> },
    { title: 'Sent', cell: ({ bytesSent }) => bytesText(bytesSent), isNumber: true },
    { title: 'Waiting', cell: ({ waitingBytes }) => bytesText(waitingBytes), isNumber: true },
    {
      title: 'Actions',
      cell: (stream) => (
        <ActionButton label={`End the stream of ${nodeText(stream.path)}`} run={() => end(stream)}>
          End
        </ActionButton>
      ),
    },
  ]
}

function PathLink({ application, path }: { readonly application: string; readonly path: string }) {
  const keys = keysOf(path)
  if (keys === undefined) return <code>{path}</code>
  return (
    <a href={hrefOf('tree', [application, ...keys])}>
      <code>{nodeText(path)}</code>
    </a>
  )
}
