import { Type } from '@sinclair/typebox'
import type { Authenticator } from '../../auth/authenticator.ts'
import { DholeError } from '../../error.ts'
import { type AdministeredApplication, onApplication } from '../operation.ts'
import { id } from './nothing.ts'

/** Lifetime of the tokens that the console reads and writes trees with, in seconds. */
const CONSOLE_TOKEN_SECONDS = 15 * 60
const SECOND_MS = 1000
const MAX_SECONDS = 10 * 365 * 24 * 60 * 60

/** Operations on the tokens of an application. */
export const TOKEN_OPERATIONS = {
  'console-token': onApplication(
    {
      access: 'application',
      summary: 'A token of an administrator for the REST API of an application, which expires after 15 minutes.',
      input: Type.Object({ id }),
      result: Type.Object({
        token: Type.String(),
        /** Milliseconds since 1970. */
        expires: Type.Integer(),
      }),
    },
    async (application) => {
      const expires = (Math.floor(Date.now() / SECOND_MS) + CONSOLE_TOKEN_SECONDS) * SECOND_MS
      const token = await authenticatorOf(application).mint({ admin: true, expiresIn: CONSOLE_TOKEN_SECONDS })
      return { token, expires }
    },
  ),
  'token-make': onApplication(
    {
      access: 'application',
      changes: true,
      summary: 'Makes a custom token, as `dhole token` does.',
      input: Type.Object({
        id,
        uid: Type.Optional(Type.String()),
        claims: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        /** Seconds. Default: 24 hours. */
        expiresIn: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SECONDS })),
        admin: Type.Optional(Type.Boolean()),
        debug: Type.Optional(Type.Boolean()),
      }),
      result: Type.Object({ token: Type.String() }),
    },
    async (application, { uid, claims, expiresIn, admin, debug }) => {
      if (uid === undefined && admin !== true) {
        throw new DholeError('admin-input', 'uid: a token needs a user, unless it is of an administrator')
      }
      try {
        return { token: await authenticatorOf(application).mint({ uid, claims, expiresIn, admin, debug }) }
      } catch (cause) {
        if (!(cause instanceof DholeError && cause.code === 'token-payload')) throw cause
        const why = 'uid must be 1 to 64 letters, digits and `-`; claims must be short and nest little'
        throw new DholeError('admin-input', why, { cause })
      }
    },
  ),
  'token-decode': onApplication(
    {
      access: 'application',
      summary: 'What a token holds, and whether the application accepts it now.',
      input: Type.Object({ id, token: Type.String({ maxLength: 32 * 1024 }) }),
      result: Type.Object({
        /** Decoded JSON, whatever it is; `null` where there is none. */
        header: Type.Unknown(),
        payload: Type.Unknown(),
        verdict: Type.Union([Type.Literal('valid'), Type.Literal('refused')]),
        /** Why it is refused. */
        reason: Type.Optional(Type.String()),
      }),
    },
    (application, { token }) => authenticatorOf(application).inspect(token),
  ),
} as const

/** @throws `admin-state` without a server */
function authenticatorOf({ authenticator }: AdministeredApplication): Authenticator {
  if (authenticator === undefined) throw new DholeError('admin-state', 'no server runs here')
  return authenticator
}
