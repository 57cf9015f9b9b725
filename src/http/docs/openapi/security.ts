import { parameterSchema } from '../../url/parameters.ts'
import type { SecuritySchemeObject } from './schemas.ts'

/** What can be shown as a credential. */
const KINDS = `It is one of:

- the **super secret** of the application, as it is: its owner may do everything, no rule is asked;
- a **custom token**: a JWT that whoever knows the super secret signs with it (HS256, no other algorithm), for the user
  that rules see as \`auth\`: \`{"v":1,"uid":"alice","claims":{"team":"red"},"iat":1700000000}\`, or in Firebase's words
  \`{"v":0,"d":{"uid":"alice","team":"red"},"iat":1700000000}\`. \`exp\` ends it; without, it is good for 24 hours.
  \`"admin":true\` makes it as mighty as the super secret, \`"debug":true\` has answers tell in
  \`X-Firebase-Auth-Debug\` what the rules said;
- an **ID token**: what \`/.auth/customTokenToIdToken.json\` gives for a custom token. It is good for an hour at most,
  and for this application alone.

Without any, \`auth\` is \`null\` to the rules. A wrong one is an error, never nobody; whoever shows many is refused for a
while.`

/** The ways to show a credential, the first present counts. */
export const securitySchemes: Readonly<Record<string, SecuritySchemeObject>> = {
  auth: credential('auth', `\n\n${KINDS}`),
  accessToken: credential('access_token', ''),
  bearer: { type: 'http', scheme: 'bearer', description: 'The same as `auth`, in the header `Authorization`.' },
}

function credential(name: 'auth' | 'access_token', more: string): SecuritySchemeObject {
  const { description = '' } = parameterSchema.properties[name]
  return { type: 'apiKey', in: 'query', name, description: description + more }
}
