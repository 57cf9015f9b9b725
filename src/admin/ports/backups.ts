import type { BackupState, ListedBackup } from '../operations/storage-schemas.ts'

/** The backups of a server, which are made and restored beside the event loop, one at a time. */
export interface BackupsPort {
  /** The newest ones first. */
  list(): Promise<readonly ListedBackup[]>
  state(): BackupState
  /**
   * Begins to copy applications into a new folder.
   * @param ids default: all
   * @returns the name of the backup
   * @throws `admin-state` while something is under way, or when it cannot begin
   */
  make(ids: readonly string[] | undefined): Promise<string>
  /**
   * Begins to replace the tree of an application by that of a backup.
   * @throws `admin-unknown` for a name that is no backup; `admin-state` as `make`
   */
  restore(name: string, id: string): Promise<void>
}
