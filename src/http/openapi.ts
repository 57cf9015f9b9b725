import packageJson from '../../package.json' with { type: 'json' }
import { errorExamples, methodNotAllowed } from './openapi-errors.ts'
import { paths } from './openapi-operations.ts'
import { securitySchemes } from './openapi-parameters.ts'
import { type Documentation, schemas, toOpenApi } from './openapi-schemas.ts'

const DESCRIPTION = `A realtime JSON tree: every URL that ends in \`.json\` is a node, every node an endpoint.

It speaks the REST dialects of Wilddog Sync and the Firebase Realtime Database. Errors have one body for both:
\`errcode\` and \`message\` are Wilddog's, \`error\` is Firebase's. Methods that are not documented here get 405,
writes to \`/.info\` get 400. Without encryption everything is 404. Where the families answer a query differently, the
application's profile decides; requests that show a Firebase client get Firebase's answer.`

/**
 * What `/swagger/json` tells, built from the schemas and the error table the service itself runs on.
 * @param prefix path the service lives under
 */
export function documentation(prefix: string): Documentation {
  return {
    info: {
      title: 'Dhole',
      version: packageJson.version,
      description: DESCRIPTION,
      license: { name: packageJson.license },
    },
    servers: [{ url: prefix === '' ? '/' : encodeURI(prefix) }],
    tags: [
      { name: 'Tree', description: 'Nodes and what is below them.' },
      { name: 'Priorities', description: 'A value beside the value, for sorting. POST and PATCH get 20207.' },
      { name: 'Connection', description: 'What the service says of itself.' },
    ],
    // An open application asks for nothing.
    security: [{}, ...Object.keys(securitySchemes).map((name) => ({ [name]: [] }))],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toOpenApi(schema)])),
      examples: errorExamples,
      responses: { MethodNotAllowed: methodNotAllowed },
      securitySchemes,
    },
  }
}
