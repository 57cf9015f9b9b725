import type { ResultOf } from '../../../src/admin/operations.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { numberText } from '../parts/amounts.ts'
import { Fetched } from '../parts/fetched.tsx'
import { Moment } from '../parts/moment.tsx'
import { call } from '../shell/call.ts'
import { confirm } from '../shell/dialogs.tsx'
import type { PageProps } from '../shell/page.ts'
import { usePolled } from '../shell/polled.ts'
import { type Column, Table } from '../shell/table.tsx'
import { toast } from '../shell/toasts.tsx'

type Index = ResultOf<'indexes'>[number]

/** An index that is built is looked at again so often, in ms. */
const EVERY_MS = 5000
/** An index that no query used for so long is called unused, in ms. */
const UNUSED_MS = 7 * 24 * 60 * 60 * 1000

/** The indexes of an application: declared by rules, or built for a query. */
export function IndexesPage({ application }: PageProps) {
  const indexes = usePolled((signal) => call('indexes', { id: application }, signal), [application], EVERY_MS)
  const drop = async ({ path, child }: Index) => {
    const text = `The next query of ${path} that sorts by ${child} builds it again.`
    if (!(await confirm({ title: 'Drop the index', text, action: 'Drop', isDangerous: true }))) return
    await call('index-drop', { id: application, path, child })
    toast(`The index of ${path} by ${child} is dropped.`)
    indexes.refresh()
  }
  return (
    <>
      <p class="hint">
        A query builds the index that it needs, unless the application requires declarations. Rules declare indexes with{' '}
        <code>.indexOn</code>; those are never dropped.
      </p>
      <Fetched of={indexes}>
        {(rows) => (
          <Table
            caption="Indexes"
            columns={columnsOf(drop)}
            rows={rows}
            keyOf={({ path, child, covering }) => JSON.stringify([path, child, covering])}
            empty="There is no index: no query needed one yet, and no rules declare one."
          />
        )}
      </Fetched>
    </>
  )
}

function columnsOf(drop: (index: Index) => Promise<void>): readonly Column<Index>[] {
  return [
    { title: 'List', cell: ({ path }) => <code>{path}</code> },
    {
      title: 'Sorted by',
      cell: ({ child, covering }) => (
        <>
          <code>{child}</code> {covering && <small>covering</small>}
        </>
      ),
    },
    { title: 'State', cell: stateOf },
    { title: 'Declared', cell: ({ declared }) => (declared ? 'yes' : 'no') },
    {
      title: 'Entries when built',
      cell: ({ entries }) => (entries === undefined ? '' : numberText(entries)),
      isNumber: true,
    },
    { title: 'Last used', cell: ({ lastUsed }) => (lastUsed === undefined ? '' : <Moment at={lastUsed} />) },
    {
      title: 'Actions',
      cell: (index) =>
        index.declared ? null : (
          <ActionButton label={`Drop the index of ${index.path} by ${index.child}`} run={() => drop(index)}>
            Drop
          </ActionButton>
        ),
    },
  ]
}

function stateOf({ state, declared, lastUsed }: Index): string {
  if (state === 'building') return 'being built'
  const isUnused = !declared && lastUsed !== undefined && Date.now() - lastUsed > UNUSED_MS
  return isUnused ? 'unused' : 'ready'
}
