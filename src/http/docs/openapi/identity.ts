import type { ErrorCode } from '../../../error.ts'
import {
  identityError,
  lookupWords,
  refreshWords,
  signInWords,
  type TokenWords,
} from '../../identity/identity-errors.ts'
import { retryAfter } from './errors.ts'
import { preflightOperation } from './operations.ts'
import type { MethodsOf } from './parameters.ts'
import {
  type ExampleObject,
  mapValues,
  type OperationObject,
  type ParameterObject,
  type PathsObject,
  type ResponseObject,
  type SchemaName,
  schemaRef,
} from './schemas.ts'

export const IDENTITY_TAG = 'Sign-in'
export const IDENTITY_DESCRIPTION =
  'What `firebase/auth` calls for users with custom tokens. Other calls of Firebase Authentication are refused, as ' +
  'OPERATION_NOT_ALLOWED.'

/** One call. */
interface Call {
  /** Ends the names of its operations. */
  readonly id: string
  readonly summary: string
  readonly description: string
  readonly body: { readonly schema: SchemaName; readonly type: string; readonly example: unknown }
  readonly answer: { readonly schema: SchemaName; readonly example: unknown }
  readonly words: TokenWords
  readonly errors: readonly ErrorCode[]
}

const TOKEN = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.…'
const JSON_TYPE = 'application/json'
const SIGNED_IN = '1700000000000'

const ERRORS: readonly ErrorCode[] = [
  ...([
    'token-missing',
    'bad-token',
    'token-expired',
    'token-payload',
    'token-refused',
    'bad-data',
    'no-data',
  ] as const),
  ...(['write-too-big', 'https-required', 'app-unknown', 'body-too-slow', 'app-not-named', 'quota'] as const),
  ...(['too-many-failures', 'internal', 'unavailable', 'too-busy'] as const),
]

/** What each status says. */
const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'The request or its token is wrong.',
  403: 'A token without a signature came from a page of another site, in development.',
  404: 'There is no such application, or the request came without encryption.',
  408: 'The body came too slowly.',
  417: 'There are several applications and the request names none.',
  429: 'This address has shown too many wrong credentials, or asks more often than it may.',
  500: 'The service failed. The cause is in its log.',
  503: 'The application is out of service for now, or too much is under way.',
}

const signIn: Call = {
  id: 'SignIn',
  summary: 'Signs a user in with a custom token',
  description:
    'The custom token is signed with the super secret, or by a service account that the application trusts. The ' +
    'sign-in ends after 30 days, or with a custom token that is a credential itself.',
  body: { schema: 'SignIn', type: JSON_TYPE, example: { token: TOKEN, returnSecureToken: true } },
  answer: {
    schema: 'SignedIn',
    example: {
      kind: 'identitytoolkit#VerifyCustomTokenResponse',
      idToken: TOKEN,
      refreshToken: TOKEN,
      expiresIn: '3600',
      isNewUser: false,
    },
  },
  words: signInWords,
  errors: [...ERRORS, 'permission-denied'],
}

const lookup: Call = {
  id: 'Lookup',
  summary: 'The user of an ID token',
  description: 'What the token says: there is no list of users.',
  body: { schema: 'Lookup', type: JSON_TYPE, example: { idToken: TOKEN } },
  answer: {
    schema: 'Accounts',
    example: {
      kind: 'identitytoolkit#GetAccountInfoResponse',
      users: [{ localId: 'alice', customAuth: true, createdAt: SIGNED_IN, lastLoginAt: SIGNED_IN }],
    },
  },
  words: lookupWords,
  errors: ERRORS,
}

const refresh: Call = {
  id: 'Refresh',
  summary: 'Another ID token for a refresh token',
  description: 'Takes JSON with the same members as well.',
  body: {
    schema: 'Refresh',
    type: 'application/x-www-form-urlencoded',
    example: { grant_type: 'refresh_token', refresh_token: TOKEN },
  },
  answer: {
    schema: 'Refreshed',
    example: {
      access_token: TOKEN,
      expires_in: '3600',
      token_type: 'Bearer',
      refresh_token: TOKEN,
      id_token: TOKEN,
      user_id: 'alice',
      project_id: 'app',
    },
  },
  words: refreshWords,
  errors: ERRORS,
}

const OLDER = 'Where SDKs before version 9, and those of phones, call it.'

const calls: Readonly<Record<string, Call>> = {
  '/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken': signIn,
  '/identitytoolkit.googleapis.com/v1/accounts:lookup': lookup,
  '/securetoken.googleapis.com/v1/token': refresh,
  '/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyCustomToken': {
    ...signIn,
    id: 'VerifyCustomToken',
    description: OLDER,
  },
  '/www.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo': {
    ...lookup,
    id: 'GetAccountInfo',
    description: OLDER,
  },
}

const key: ParameterObject = {
  name: 'key',
  in: 'query',
  required: false,
  description: 'API key of the client: the name of the application. Keys of another form, such as Google’s, name none.',
  schema: { type: 'string' },
  examples: {
    name: { summary: 'The application app', value: 'app' },
    google: { summary: 'A key of Google’s', value: 'AIzaSyD-a-key-of-Google' },
  },
}

/** The paths that sign users in. */
export function identityPaths(methodsOf: MethodsOf): PathsObject {
  return mapValues(calls, (call, path) => ({
    ...Object.fromEntries(methodsOf(path).map((method) => [method, operation(method, call)])),
    options: preflightOperation(call.id, IDENTITY_TAG, responsesOf(['https-required'], call.words)),
  }))
}

function operation(method: string, { id, summary, description, body, answer, words, errors }: Call): OperationObject {
  return {
    operationId: `${method}${id}`,
    tags: [IDENTITY_TAG],
    summary,
    description,
    parameters: [key],
    requestBody: {
      required: true,
      content: { [body.type]: { schema: schemaRef(body.schema), example: body.example } },
    },
    responses: {
      200: {
        description: 'Done.',
        content: { [JSON_TYPE]: { schema: schemaRef(answer.schema), example: answer.example } },
      },
      ...responsesOf(errors, words),
    },
    // The token in the body is all that a call wants to see.
    security: [],
  }
}

function responsesOf(errors: readonly ErrorCode[], words: TokenWords): Record<string, ResponseObject> {
  const byStatus = Object.groupBy(errors, (code) => identityError({ code, hint: undefined }, words).status)
  return mapValues(byStatus, (codes = [], status) => ({
    description: STATUS_TEXT[Number(status)] ?? '',
    ...(status === '429' || status === '503' ? { headers: { 'Retry-After': retryAfter } } : {}),
    content: { [JSON_TYPE]: { schema: schemaRef('IdentityError'), examples: examplesOf(codes, words) } },
  }))
}

function examplesOf(codes: readonly ErrorCode[], words: TokenWords): Record<string, ExampleObject> {
  const examples = codes.map((code) => {
    const value = JSON.parse(identityError({ code, hint: undefined }, words).text)
    return [code, { summary: value.error.message, value }] as const
  })
  return Object.fromEntries(examples)
}
