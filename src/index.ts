export { dhole } from './dhole.ts'
export type { Observer } from './observer.ts'
export type { ApplicationOptions, DholeOptions, LimitOptions, MessagesOptions, StorageOptions } from './options.ts'
export { DholeError, type ErrorBody, type ErrorCode } from './tree/error.ts'
