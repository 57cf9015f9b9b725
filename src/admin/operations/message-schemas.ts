import { Type } from '@sinclair/typebox'

const count = Type.Integer({ minimum: 0 })

/** A batch of text messages. */
export const listedBatch = Type.Object({
  /** Its rrid. */
  id: Type.String(),
  /** Messages; see `isCut`. */
  count,
  /** Messages by state, of those that `count` counts. */
  states: Type.Object({ notSent: count, sending: count, delivered: count, failed: count }),
  /** When it was submitted, in milliseconds since 1970. */
  createdAt: Type.Number(),
  /** Whether it has more messages than were counted. */
  isCut: Type.Boolean(),
})

/** Position of a page; opaque. */
export const pageCursor = Type.String({ maxLength: 64 })

export const batchPage = Type.Object({ batches: Type.Array(listedBatch), next: Type.Optional(pageCursor) })

/** A text message. Times are milliseconds since 1970. */
export const foundMessage = Type.Object({
  rrid: Type.String(),
  number: Type.String(),
  /** 0 not sent, 1 being sent, 2 delivered, 3 failed. */
  status: Type.Integer({ minimum: 0, maximum: 3 }),
  /** The carrier's code; empty while there is none. */
  code: Type.String(),
  /** What the code means, where that is known. */
  meaning: Type.Optional(Type.String()),
  submittedAt: Type.Number(),
  /** When the carrier reported its state. */
  receivedAt: Type.Optional(Type.Number()),
  /** Id that the gateway gave it. */
  messageId: Type.Optional(Type.String()),
  /** When its final state became known. */
  producedAt: Type.Optional(Type.Number()),
})

/** `next` may be present without any message: the search goes on there. */
export const foundMessages = Type.Object({ messages: Type.Array(foundMessage), next: Type.Optional(pageCursor) })

/** What a signature of a call about text messages should be. */
export const checkedSignature = Type.Object({
  /** The text that is signed, in whose place `KEY` stands for the key. */
  text: Type.String(),
  /** The right signature: 64 hex digits. */
  expected: Type.String(),
  /** Whether the given signature is right; absent without one. */
  matches: Type.Optional(Type.Boolean()),
  /** What is wrong with the call, in words. */
  problems: Type.Array(Type.String()),
})
