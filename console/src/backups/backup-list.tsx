import type { ResultOf } from '../../../src/admin/operations.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { bytesText } from '../parts/amounts.ts'
import { Moment, momentText } from '../parts/moment.tsx'
import { call } from '../shell/call.ts'
import { confirm } from '../shell/dialogs.tsx'
import { type Column, Table } from '../shell/table.tsx'
import { toast } from '../shell/toasts.tsx'

type Backup = ResultOf<'backups'>[number]

/** One application of a backup. */
interface Row {
  readonly backup: Backup
  readonly id: string
  readonly bytes: number
}

interface BackupListProps {
  readonly backups: readonly Backup[]
  readonly isDisabled: boolean
  /** Called when a restore has begun. */
  readonly onBegin: () => void
}

/** The backups, each application of them on a line of its own. */
export function BackupList({ backups, isDisabled, onBegin }: BackupListProps) {
  const rows = backups.flatMap((backup) => backup.applications.map(({ id, bytes }) => ({ backup, id, bytes })))
  const restore = async ({ backup: { name, madeAt }, id }: Row) => {
    const agreed = await confirm({
      title: `Restore “${id}”`,
      text:
        `The tree, the rules and the text messages of “${id}” become what they were at ${momentText(madeAt)}. ` +
        'What was written since is no longer there; the old tree stays as a file beside the new one. Streams end and begin anew.',
      action: 'Restore',
      isDangerous: true,
      typed: id,
    })
    if (!agreed) return
    await call('backup-restore', { name, id, confirm: id })
    toast(`Restoring “${id}” from “${name}” has begun.`)
    onBegin()
  }
  const columns: readonly Column<Row>[] = [
    { title: 'Made', cell: ({ backup }) => <Moment at={backup.madeAt} /> },
    { title: 'Backup', cell: ({ backup }) => backup.name },
    { title: 'Application', cell: ({ id }) => id },
    { title: 'Size', cell: ({ bytes }) => bytesText(bytes), isNumber: true },
    {
      title: 'Actions',
      cell: (row) => (
        <ActionButton
          kind="danger"
          label={`Restore ${row.id} from ${row.backup.name}`}
          disabled={isDisabled}
          run={() => restore(row)}
        >
          Restore…
        </ActionButton>
      ),
    },
  ]
  return (
    <Table
      caption="Backups"
      columns={columns}
      rows={rows}
      keyOf={({ backup, id }) => `${backup.name}/${id}`}
      empty="There is no backup yet."
    />
  )
}
