import { Type } from '@sinclair/typebox'

/** No result: the reply says only that the operation ended. */
export const nothing = Type.Unsafe<void>(Type.Unknown())

/** Name of an application. */
export const id = Type.String()
