import type { ResultOf } from '../../../src/admin/operations.ts'
import { bytesText } from '../parts/amounts.ts'
import { Fetched } from '../parts/fetched.tsx'
import { serverKind } from '../shell/applications.ts'
import { call } from '../shell/call.ts'
import { usePolled } from '../shell/polled.ts'
import { hrefOf } from '../shell/router.ts'
import { type Column, Table } from '../shell/table.tsx'
import { AddApplication } from './add-application.tsx'

type Listed = ResultOf<'list'>[number]

const RULES = { open: 'open to everybody', locked: 'locked', own: 'its own' } as const

const COLUMNS: readonly Column<Listed>[] = [
  {
    title: 'Name',
    cell: ({ id, isDefault }) => (
      <>
        <a href={hrefOf('applications', [id])}>{id}</a> {isDefault && <small>default</small>}
      </>
    ),
  },
  { title: 'Dialect', cell: ({ profile }) => profile ?? '' },
  {
    title: 'Rules',
    cell: ({ id, rules }) => (rules === undefined ? '' : <a href={hrefOf('rules', [id])}>{RULES[rules]}</a>),
  },
  { title: 'Size', cell: ({ bytes }) => (bytes === undefined ? '' : bytesText(bytes)), isNumber: true },
]

/** The applications of the server, and the form of a new one. */
export function ApplicationList() {
  const listed = usePolled((signal) => call('list', {}, signal), [])
  return (
    <>
      <Fetched of={listed}>
        {(rows) => (
          <Table caption="Applications" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} empty="There is none." />
        )}
      </Fetched>
      {serverKind.value === 'host' ? (
        <p class="hint">
          The program that runs Dhole names the applications: add one to the options that it gives to{' '}
          <code>dhole()</code>.
        </p>
      ) : (
        <AddApplication onAdded={listed.refresh} />
      )}
    </>
  )
}
