import { type TInteger, Type } from '@sinclair/typebox'

/** A setting that is a whole number with a lower bound. */
export function whole(minimum: number, fallback: number, description: string): TInteger {
  return Type.Integer({ minimum, default: fallback, description })
}
