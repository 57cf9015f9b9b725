import { parameterSchema } from '../../url/parameters.ts'
import type { SecuritySchemeObject } from './schemas.ts'

/** Kinds of credentials. */
const KINDS = `It is one of:

- the **super secret** of the application, unchanged: it may do everything, without rules;
- a **custom token**: a JWT signed with the super secret (HS256, no other algorithm), for the user that rules see
  as \`auth\`: \`{"v":1,"uid":"alice","claims":{"team":"red"},"iat":1700000000}\`, or as Firebase writes it
  \`{"v":0,"d":{"uid":"alice","team":"red"},"iat":1700000000}\`. \`exp\` ends it; without, it is valid for 24 hours.
  \`"admin":true\` gives it the permissions of the super secret, \`"debug":true\` adds the
  header \`X-Firebase-Auth-Debug\` with the results of the rules to answers;
- an **ID token**: the result of \`/.auth/customTokenToIdToken.json\` for a custom token. It is valid for an hour at
  most, and only for this application.

Without any, \`auth\` is \`null\` in the rules. A wrong one is an error; an address that sends many is refused for a while.`

/** Where a credential can be sent; the first one present counts. */
export const securitySchemes: Readonly<Record<string, SecuritySchemeObject>> = {
  auth: credential('auth', `\n\n${KINDS}`),
  accessToken: credential('access_token', ''),
  bearer: { type: 'http', scheme: 'bearer', description: 'The same as `auth`, in the header `Authorization`.' },
}

function credential(name: 'auth' | 'access_token', more: string): SecuritySchemeObject {
  const { description = '' } = parameterSchema.properties[name]
  return { type: 'apiKey', in: 'query', name, description: description + more }
}
