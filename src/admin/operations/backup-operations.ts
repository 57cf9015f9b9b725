import { Type } from '@sinclair/typebox'
import { DholeError } from '../../error.ts'
import { ofServer, valueOperation } from '../operation.ts'
import { id, nothing } from './nothing.ts'
import { backupState, type ListedBackup, listedBackup } from './storage-schemas.ts'

const MOST_APPLICATIONS = 1000

/** Operations on backups. */
export const BACKUP_OPERATIONS = {
  backups: valueOperation(
    {
      access: 'operator',
      summary:
        'The backups in the folder of backups, the last 100, the newest first, each with its first 100 applications.',
      input: Type.Object({}),
      result: Type.Unsafe<readonly ListedBackup[]>(Type.Array(listedBackup)),
    },
    (target) => ofServer(target.backups).list(),
  ),
  'backup-state': valueOperation(
    {
      access: 'operator',
      summary: 'The backup or restore that is under way, and how the last one has ended.',
      input: Type.Object({}),
      result: backupState,
    },
    (target) => ofServer(target.backups).state(),
  ),
  'backup-make': valueOperation(
    {
      access: 'operator',
      summary:
        'Begins to copy applications into a new backup, without their keys. `backup-state` tells when it is done.',
      input: Type.Object({ ids: Type.Optional(Type.Array(id, { minItems: 1, maxItems: MOST_APPLICATIONS })) }),
      changes: true,
      result: Type.Object({ name: Type.String() }),
    },
    async (target, { ids }) => ({ name: await ofServer(target.backups).make(ids) }),
  ),
  'backup-restore': valueOperation(
    {
      access: 'operator',
      summary:
        'Begins to replace the tree of an application by that of a backup; `confirm` repeats its name. The replaced tree ' +
        'stays in a file beside it.',
      input: Type.Object({ name: Type.String(), id, confirm: Type.String() }),
      changes: true,
      result: nothing,
    },
    async (target, { name, id, confirm }) => {
      if (confirm !== id) throw new DholeError('admin-input', 'confirm: expected the name of the application')
      await ofServer(target.backups).restore(name, id)
    },
  ),
} as const
