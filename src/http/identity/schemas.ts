import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { DholeError } from '../../error.ts'

const CLOSED = { additionalProperties: false }
const text = (description: string) => Type.String({ description })
/** A token of a body. It is checked as the credential that it is, so that its errors say what is wrong with it. */
const token = (description: string) => Type.Optional(Type.Unknown({ description }))

const LIFETIME = 'Seconds after which the client should ask for another ID token, as text.'

/** Bodies of the calls that sign users in, and their answers, by the name that they have in the document. */
export const identityBodies = {
  SignIn: Type.Object({
    token: token('A custom token.'),
    returnSecureToken: Type.Optional(Type.Unknown({ description: 'Ignored: there always is a refresh token.' })),
  }),
  SignedIn: Type.Object(
    {
      kind: Type.Literal('identitytoolkit#VerifyCustomTokenResponse'),
      idToken: text('The ID token.'),
      refreshToken: text('Good for further ID tokens until the sign-in ends.'),
      expiresIn: text(LIFETIME),
      isNewUser: Type.Literal(false),
    },
    CLOSED,
  ),
  Lookup: Type.Object({ idToken: token('An ID token of a sign-in.') }),
  Accounts: Type.Object(
    {
      kind: Type.Literal('identitytoolkit#GetAccountInfoResponse'),
      users: Type.Array(
        Type.Object(
          {
            localId: text('The user.'),
            customAuth: Type.Literal(true),
            createdAt: text('When the user signed in, in milliseconds since 1970.'),
            lastLoginAt: text('The same.'),
          },
          CLOSED,
        ),
      ),
    },
    CLOSED,
  ),
  Refresh: Type.Object({
    grant_type: Type.Optional(Type.Unknown({ description: '`refresh_token`.' })),
    refresh_token: token('The refresh token.'),
  }),
  Refreshed: Type.Object(
    {
      access_token: text('A new ID token.'),
      expires_in: text(LIFETIME),
      token_type: Type.Literal('Bearer'),
      refresh_token: text('The same refresh token.'),
      id_token: text('The same as `access_token`.'),
      user_id: text('The user.'),
      project_id: text('The application.'),
    },
    CLOSED,
  ),
  IdentityError: Type.Object(
    {
      error: Type.Object(
        {
          code: Type.Integer({ description: 'The status.' }),
          message: text("Google's word for the error, or that, ` : ` and what is wrong."),
          errors: Type.Array(
            Type.Object({ message: Type.String(), domain: Type.String(), reason: Type.String() }, CLOSED),
          ),
        },
        CLOSED,
      ),
    },
    CLOSED,
  ),
} as const satisfies Readonly<Record<string, TSchema>>

/** A body of a call. @throws `bad-data` unless it is an object */
export function checkBody<Name extends 'SignIn' | 'Lookup'>(
  name: Name,
  json: unknown,
): Static<(typeof identityBodies)[Name]> {
  if (!Value.Check(identityBodies[name], json)) throw new DholeError('bad-data')
  // What a prototype has is no member of a body.
  return Object.assign(Object.create(null), json)
}
