import packageJson from '../../../../package.json' with { type: 'json' }
import type { AdminService } from '../../admin/admin-service.ts'
import type { Endpoint } from '../../exchange.ts'
import { ADMIN_TAG, adminPaths, adminSecuritySchemes } from './admin.ts'
import { errorExamples, methodNotAllowed } from './errors.ts'
import { IDENTITY_DESCRIPTION, IDENTITY_TAG, identityPaths } from './identity.ts'
import { treePaths } from './operations.ts'
import { settingsPaths } from './other-operations.ts'
import type { DocumentedMethod, MethodsOf } from './parameters.ts'
import { type Documentation, mapValues, schemas, toOpenApi } from './schemas.ts'
import { securitySchemes } from './security.ts'
import { SMS_TAG, smsPaths } from './sms.ts'
import { notOffered, smsErrorExamples } from './sms-errors.ts'
import { SMS_DESCRIPTION } from './sms-signing.ts'
import { SYSTEM_TAG, systemPaths } from './system.ts'

const DESCRIPTION = `A realtime JSON tree: every URL that ends in \`.json\` is a node, every node an endpoint.

It supports the REST dialects of Wilddog Sync and the Firebase Realtime Database. Errors have one body for both:
\`errcode\` and \`message\` are Wilddog's, \`error\` is Firebase's. Methods that are not documented here get 405,
writes to \`/.info\` get 400. Requests without encryption get 404. Where the families answer a query differently, the
profile of the application decides; requests of Firebase clients get Firebase's answer. The header \`X-Request-Id\` of
every error is the id of the request in the log of the service: the one it was sent with, or a new one.

The rules of the application decide who may read and write which nodes, and which values are valid. They apply to every
request to the tree without an administrator's credential; a request is done as a whole or not at all.

The service also stores the states of text messages, and answers the calls of Wilddog about them.`

/**
 * The document of `/swagger/json`, made from the schemas, the table of endpoints and the error texts of the service.
 * @param prefix path the service lives under
 * @param hasMetrics whether `/metrics` is there
 * @param operations of the admin API, if that is there
 */
export function documentation(
  prefix: string,
  hasMetrics: boolean,
  endpoints: readonly Endpoint[],
  operations?: AdminService['operations'],
): Documentation {
  const methodsOf = methodsIn(endpoints)
  return {
    info: {
      title: 'Dhole',
      version: packageJson.version,
      description: DESCRIPTION,
      license: { name: packageJson.license, url: 'https://spdx.org/licenses/MIT.html' },
    },
    servers: [{ url: prefix === '' ? '/' : encodeURI(prefix) }],
    tags: [
      { name: 'Tree', description: 'Nodes and what is below them.' },
      { name: 'Root', description: 'The same for the whole tree.' },
      { name: 'Priorities', description: 'A value beside the value, for sorting. POST and PATCH get 20207.' },
      { name: 'Connection', description: 'The state of the service as the SDKs read it.' },
      { name: 'Rules', description: 'Settings of the application, for its administrators only.' },
      { name: 'Credentials', description: 'How requests authenticate: see the schemes under Authorize.' },
      { name: IDENTITY_TAG, description: IDENTITY_DESCRIPTION },
      { name: SMS_TAG, description: SMS_DESCRIPTION },
      { name: SYSTEM_TAG, description: 'For monitoring.' },
      ...(operations === undefined ? [] : [{ name: ADMIN_TAG, description: 'What the console does.' }]),
    ],
    // Rules may admit requests without a credential.
    security: [{}, ...Object.keys(securitySchemes).map((name) => ({ [name]: [] }))],
    paths: {
      ...treePaths(methodsOf),
      ...settingsPaths(methodsOf),
      ...identityPaths(methodsOf),
      ...smsPaths(methodsOf),
      ...systemPaths(methodsOf, hasMetrics),
      ...(operations === undefined ? {} : adminPaths(methodsOf, operations)),
    },
    components: {
      schemas: mapValues(schemas, toOpenApi),
      examples: { ...errorExamples, ...smsErrorExamples },
      responses: { MethodNotAllowed: methodNotAllowed(endpoints), NotOffered: notOffered },
      securitySchemes: { ...securitySchemes, ...(operations === undefined ? {} : adminSecuritySchemes) },
    },
  }
}

/** Looks up the methods of a path in the table of endpoints. @throws RangeError where it has no such endpoint */
function methodsIn(endpoints: readonly Endpoint[]): MethodsOf {
  return (path) => {
    const endpoint = endpoints.find((candidate) => candidate.path === path)
    if (endpoint === undefined) throw new RangeError(`no endpoint ${path}`)
    return endpoint.methods.map((method) => method.toLowerCase() as DocumentedMethod)
  }
}
