import type { Observer } from '../observer.ts'
import type { StorageOptions } from '../options.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { BatchFormat } from '../sms/format/batch-format.ts'
import type { MessageStore } from '../sms/message-store.ts'
import type { TreeStore } from '../store/store.ts'
import type { OpenKeys } from './application-keys.ts'

/** What an engine stores of one application. */
export interface ApplicationStorage {
  readonly tree: TreeStore
  readonly keys: OpenKeys
  /** Opens the text messages, which the tree closes with it. Called once. @param format writes the answers about batches */
  messages(format: BatchFormat): MessageStore
  /** Calls a listener when a hot reload of the host opens the file again, or when the tree was moved elsewhere. */
  onReplaced(listener: () => void): void
}

/** Where the applications of a process are stored. */
export interface Engine {
  /** Where an application is stored, for reports to the operator. It holds no password. */
  placeOf(application: string): string
  /**
   * Opens the storage of an application.
   * @param makes whether it is created when it does not exist
   * @throws Error when it cannot be opened
   */
  open(application: string, options: StorageOptions, observer: Observer, makes: boolean): Awaitable<ApplicationStorage>
  /** What several processes share; `undefined` where only this one uses the storage. */
  readonly shared?: SharedStorage
  /** Ends what all applications share. They must be closed. */
  close(): Promise<void>
}

/** What processes on one storage know of each other. */
export interface SharedStorage {
  /** Whether this process must answer nothing: it may not know what others have changed. */
  readonly isSilent: boolean
  /** Called when this process falls silent. */
  onSilent(listener: () => void): void
  /** Calls a listener with ids of applications that have sessions whose process has ended, while there are such. */
  onSessionsLeft(listener: (applications: readonly string[]) => void): void
  /** Counts a wrong credential of a network on all processes. */
  add(network: string): Promise<{ readonly failures: number; readonly leftMs: number }>
}
