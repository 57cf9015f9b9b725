import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'

/** Longest path of a socket that every system takes, in bytes. */
const LONGEST_SOCKET_PATH = 100

/** What travels over the socket of a server, as JSON: a method of `Administration` and its arguments. */
export const commandSchema = Type.Union([
  // The settings are checked where they are used.
  Type.Object({ do: Type.Literal('add'), id: Type.String(), settings: Type.Unknown() }),
  Type.Object({
    do: Type.Literal('rotate'),
    id: Type.String(),
    rotation: Type.Object({
      key: Type.Union([Type.Literal('secret'), Type.Literal('sms')]),
      value: Type.Optional(Type.String()),
    }),
  }),
  Type.Object({ do: Type.Literal('remove'), id: Type.String(), deleteData: Type.Boolean() }),
  Type.Object({ do: Type.Literal('state') }),
])

export type Command = Static<typeof commandSchema>

/** What comes back: what the method returned, or what it threw. */
export type CommandReply = { readonly result: unknown } | { readonly error: string }

/** Where the server of a folder takes commands; `undefined` where the path is too long for a socket. */
export function socketPath(dataDir: string): string | undefined {
  const path = join(dataDir, 'control.sock')
  return Buffer.byteLength(path) > LONGEST_SOCKET_PATH ? undefined : path
}
