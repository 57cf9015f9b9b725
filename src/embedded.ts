export type { Auth, Caller } from './auth/credential.ts'
export { openDatabase } from './dhole.ts'
export type { Observer } from './observer.ts'
export type { DatabaseOptions, LimitOptions, StorageOptions } from './options.ts'
export type { IndexPolicy, IndexSpec } from './query/indexes.ts'
export type { BoundSpec, Family, Query, QueryLike, QuerySpec, Scalar } from './query/query.ts'
export type {
  Database,
  QueriedChild,
  QueryAnswer,
  ReadOptions,
  WatchedChange,
  WatchOptions,
} from './service/database.ts'
export type { Access } from './service/judge.ts'
export type { Appended, WriteOptions, WriteOutcome } from './service/write-job.ts'
export type { Commit, IndexInfo, LoggedChange, Position } from './store/store.ts'
export { DholeError, type ErrorBody, type ErrorCode } from './tree/error.ts'
export type { NodeText, ReadText } from './tree/node-text.ts'
export { formatPath, type Path, type PathLike, parsePath } from './tree/path.ts'
