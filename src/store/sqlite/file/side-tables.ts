import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { Awaitable } from '../../../scheduling/awaitable.ts'

/** Work on tables beside the tree. It gives way to others wherever it yields, and may be run again from its start. */
export type SideWork<T> = (orm: BunSQLiteDatabase) => Generator<void, T>

/**
 * Tables of others in the file of a tree. They are read and written like the tree: what is read is durable, and what is
 * written is acknowledged when it is, in the same group commit.
 * @see docs/explanation/storage.md#durability
 */
export interface SideTables {
  /** Reads the latest durable commit. @throws `unavailable` once closed */
  read<T>(work: SideWork<T>): Awaitable<T>
  /** Runs in a transaction; what it throws takes back what it has written, and nothing else. @throws `unavailable` */
  write<T>(work: SideWork<T>): Promise<T>
}
