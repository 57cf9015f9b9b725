import type { ResultOf } from '../../../src/admin/operations.ts'
import { Fetched } from '../parts/fetched.tsx'
import { Moment, momentText } from '../parts/moment.tsx'
import { call } from '../shell/call.ts'
import { openDialog } from '../shell/dialogs.tsx'
import { usePolled } from '../shell/polled.ts'
import { type Column, Table } from '../shell/table.tsx'
import { toast } from '../shell/toasts.tsx'
import { Difference } from './editor-box.tsx'

type Version = ResultOf<'rules-history'>[number]

interface HistoryProps {
  readonly application: string
  /** Puts an earlier text into the editor. */
  readonly onTake: (source: string) => void
}

/** Earlier rules, the newest first. */
export function History({ application, onTake }: HistoryProps) {
  const versions = usePolled((signal) => call('rules-history', { id: application }, signal), [application])
  return (
    <section aria-labelledby="history-title">
      <h2 id="history-title">History</h2>
      <Fetched of={versions}>
        {(found) => (
          <Table
            caption="Published rules"
            columns={columnsOf(found, onTake)}
            rows={found}
            keyOf={(version) => found.indexOf(version)}
            empty="No rules were published yet."
          />
        )}
      </Fetched>
    </section>
  )
}

function columnsOf(versions: readonly Version[], onTake: (source: string) => void): readonly Column<Version>[] {
  return [
    { title: 'Published', cell: ({ at }) => <Moment at={at} /> },
    { title: 'By', cell: ({ by }) => by },
    { title: 'Characters', cell: ({ source }) => source.length.toLocaleString('en'), isNumber: true },
    {
      title: 'Actions',
      cell: (version) => {
        const when = momentText(version.at)
        const earlier = versions[versions.indexOf(version) + 1]
        return (
          <span class="actions">
            <button
              type="button"
              aria-label={`Show what was published at ${when}`}
              onClick={() => void show(version, earlier)}
            >
              Show
            </button>
            <button
              type="button"
              aria-label={`Go back to the rules of ${when}`}
              onClick={() => {
                onTake(version.source)
                toast('These rules are in the editor: publish them to put them in force.')
              }}
            >
              Go back to these
            </button>
          </span>
        )
      },
    },
  ]
}

function show({ at, source }: Version, earlier: Version | undefined): Promise<void> {
  return openDialog(`Rules of ${momentText(at)}`, () => <Difference before={earlier?.source ?? ''} after={source} />)
}
