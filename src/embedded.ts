import type { Database } from './embedded/database.ts'
import { EmbeddedDatabase } from './embedded/embedded-database.ts'
import { openServerTree, openTree } from './open-tree.ts'
import { checkDatabaseOptions, type DatabaseOptions, type ServerDatabaseOptions } from './options.ts'

export type { Auth, Caller } from './auth/caller.ts'
export type { Access } from './database/access/access.ts'
export type { QueriedChild, QueryAnswer, ReadOptions, WatchedChange, WatchOptions } from './database/read-types.ts'
export type { Appended } from './database/writes/write-request.ts'
export { ConditionFailedError } from './embedded/condition-failed.ts'
export type {
  Database,
  NodeText,
  TransactionOptions,
  TransactionResult,
  ValueOptions,
  WriteOptions,
  Written,
} from './embedded/database.ts'
export { DholeError, type ErrorBody, type ErrorCode } from './error.ts'
export type { Observer } from './observer.ts'
export type {
  DatabaseOptions,
  DatabaseServer,
  LimitOptions,
  ServerDatabaseOptions,
  StorageOptions,
} from './options.ts'
export type { IndexPolicy, IndexSpec } from './query/index-declarations.ts'
export type { BoundSpec, Family, Query, QueryLike, QuerySpec, Scalar } from './query/query.ts'
export type { IndexInfo, LoggedChange, Position } from './store/store.ts'
export { formatPath, type Path, type PathLike, parsePath } from './tree/path.ts'

/**
 * Opens the tree of one application on a database server without HTTP.
 * @throws TypeError for wrong options, Error when the database cannot be used
 * @example await using db = await openDatabase({ url: 'postgres://dhole@localhost/trees' })
 */
export function openDatabase(options: ServerDatabaseOptions): Promise<Database>
/**
 * Opens the tree of one application without HTTP.
 * @throws TypeError for wrong options, Error when the file is in use or damaged
 * @example await using db = openDatabase({ file: './tree.sqlite' })
 */
export function openDatabase(options: DatabaseOptions): Database
export function openDatabase(options: DatabaseOptions | ServerDatabaseOptions): Database | Promise<Database> {
  checkDatabaseOptions(options)
  if ('url' in options) return openOnServer(options)
  return new EmbeddedDatabase(openTree(options))
}

async function openOnServer(options: ServerDatabaseOptions): Promise<Database> {
  const { database, disconnect } = await openServerTree(options)
  return new EmbeddedDatabase(database, disconnect)
}
