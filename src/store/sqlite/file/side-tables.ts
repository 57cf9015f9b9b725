import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { Awaitable } from '../../../scheduling/awaitable.ts'

/** Work on tables beside the tree. It pauses where it yields, and may run again from its start. */
export type SideWork<T> = (orm: BunSQLiteDatabase) => Generator<void, T>

/**
 * Tables of other modules in the file of a tree. Reads see durable data only, and a write is acknowledged when it is
 * durable, in the same group commit as the tree.
 * @see docs/explanation/storage.md#durability
 */
export interface SideTables {
  /** Reads the latest durable commit. @throws `unavailable` once closed */
  read<T>(work: SideWork<T>): Awaitable<T>
  /** Runs in a transaction. An error rolls back this work alone. @throws `unavailable` */
  write<T>(work: SideWork<T>): Promise<T>
}
