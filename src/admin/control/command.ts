import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { type ImportedMessage, PAGE_RECORDS } from '../sms-admin.ts'

/** Longest path of a socket that every system takes, in bytes. */
const LONGEST_SOCKET_PATH = 100

const time = Type.Optional(Type.Integer())

const path = Type.Array(Type.String())

const rotation = Type.Object({
  key: Type.Union([Type.Literal('secret'), Type.Literal('sms')]),
  value: Type.Optional(Type.String()),
})

const importedMessage = Type.Object(
  {
    rrid: Type.String(),
    mobile: Type.String(),
    status: Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(2), Type.Literal(3)]),
    deliveryStatus: Type.String(),
    submittedAt: Type.Integer(),
    receivedAt: Type.Optional(Type.Union([Type.Integer(), Type.String()])),
    messageId: Type.Optional(Type.String()),
    producedAt: time,
    returnedAt: time,
  },
  { additionalProperties: false },
)

/**
 * What travels over the socket of a server, as JSON: a method of `Administration`, `MessageDesk` or `TreeDesk` and its
 * arguments.
 */
export const commandSchema = Type.Union([
  // The settings are checked where they are used.
  Type.Object({ do: Type.Literal('add'), id: Type.String(), settings: Type.Unknown() }),
  Type.Object({ do: Type.Literal('check-rotation'), id: Type.String(), rotation }),
  Type.Object({ do: Type.Literal('rotate'), id: Type.String(), rotation }),
  Type.Object({ do: Type.Literal('remove'), id: Type.String(), deleteData: Type.Boolean() }),
  Type.Object({ do: Type.Literal('state') }),
  Type.Object({ do: Type.Literal('settle'), id: Type.String() }),
  Type.Object({
    do: Type.Literal('replace-tree'),
    id: Type.String(),
    stamp: Type.String({ pattern: '^[0-9TZ-]{1,40}$' }),
    keep: Type.Boolean(),
  }),
  Type.Object({ do: Type.Literal('reload') }),
  Type.Object({ do: Type.Literal('process') }),
  Type.Object({
    do: Type.Literal('sms-import'),
    id: Type.String(),
    page: Type.Unsafe<readonly ImportedMessage[]>(Type.Array(importedMessage, { maxItems: PAGE_RECORDS })),
  }),
  Type.Object({
    do: Type.Literal('sms-export'),
    id: Type.String(),
    after: Type.Optional(Type.Tuple([Type.Integer(), Type.Integer()])),
    limit: Type.Integer({ minimum: 1, maximum: PAGE_RECORDS }),
  }),
  Type.Object({ do: Type.Literal('sms-counts'), id: Type.String() }),
  Type.Object({ do: Type.Literal('tree-facts'), id: Type.String() }),
  // What is put is checked as in any request.
  Type.Object({ do: Type.Literal('tree-put'), id: Type.String(), path, json: Type.Unknown() }),
  Type.Object({
    do: Type.Literal('tree-members'),
    id: Type.String(),
    path,
    members: Type.Unsafe<Record<string, unknown>>(Type.Object({})),
  }),
  Type.Object({
    do: Type.Literal('tree-priority'),
    id: Type.String(),
    path,
    priority: Type.Union([Type.String(), Type.Number(), Type.Null()]),
  }),
  Type.Object({ do: Type.Literal('tree-export'), id: Type.String(), path }),
  Type.Object({ do: Type.Literal('tree-rules'), id: Type.String() }),
  Type.Object({ do: Type.Literal('tree-set-rules'), id: Type.String(), source: Type.String() }),
])

export type Command = Static<typeof commandSchema>

/** Which process a server is, and where it listens. */
export interface ServerProcess {
  readonly pid: number
  /** Origin of the HTTPS listener; absent until it listens. */
  readonly url?: string
}

/** What comes back: what the method returned, or what it threw. */
export type CommandReply = { readonly result: unknown } | { readonly error: string }

/** Where the server of a folder takes commands; `undefined` where the path is too long for a socket. */
export function socketPath(dataDir: string): string | undefined {
  const path = join(dataDir, 'control.sock')
  return Buffer.byteLength(path) > LONGEST_SOCKET_PATH ? undefined : path
}
