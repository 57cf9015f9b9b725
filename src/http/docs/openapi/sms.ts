import type { TObject, TSchema } from '@sinclair/typebox'
import { type SmsCall, smsParameters } from '../../sms/schemas.ts'
import { preflightOperation } from './operations.ts'
import type { DocumentedMethod, MethodsOf } from './parameters.ts'
import {
  type ExampleObject,
  mapValues,
  type OperationObject,
  type ParameterObject,
  type PathItemObject,
  type PathsObject,
  type SchemaName,
  type SchemaObject,
  schemaRef,
  toOpenApi,
} from './schemas.ts'
import { insecure, smsErrorResponses } from './sms-errors.ts'
import { carrierCodesReply, type SmsExample, smsReplies, smsRequests } from './sms-examples.ts'

/** One path of the signed calls. */
interface Endpoint {
  readonly call: SmsCall
  /** Ends the names of its operations. */
  readonly id: string
  readonly summary: string
  readonly description: string
}

/** Name of the chapter. */
export const SMS_TAG = 'Text messages'

const ANSWERS: Readonly<Record<SmsCall, SchemaName>> = {
  statuses: 'Messages',
  batch: 'Messages',
  record: 'Recorded',
  report: 'Reported',
  receipt: 'Reported',
}

const statuses = {
  call: 'statuses',
  summary: 'Final states that have become known',
  description: `The states 2 and 3 of the last 24 hours that were not handed over yet, oldest first, at most 10,000: the rest
comes with the next call. There may be one call a second, unless the application is set otherwise.

A state counts as handed over once the answer has arrived as a whole. Where the connection is cut before, the next call
gets it again, so that none is lost: clients take those for the same that agree in \`rrid\`, \`mobile\` and \`status\`.
States older than 24 hours are answered by \`/api/v1/{app}/status\`.`,
} as const

const batch = {
  call: 'batch',
  summary: 'All messages of a batch',
  description: `In the order of submission, with the state each is in, however old. It can be asked again and again, and takes
nothing away from \`/api/v2/{app}/status\`. A batch that is not known has no messages.`,
} as const

const endpoints: Readonly<Record<string, Endpoint>> = {
  '/api/v2/{app}/status': { ...statuses, id: 'SmsStatuses' },
  '/api/v2/{app}/send': {
    ...statuses,
    id: 'SmsStatusesBySend',
    description: `Another name of \`/api/v2/{app}/status\`, for \`timestamp\` and \`signature\` alone. It sends nothing.`,
  },
  '/api/v1/{app}/status': { ...batch, id: 'SmsBatch' },
  '/api/v1/{app}/send': {
    ...batch,
    id: 'SmsBatchBySend',
    description: `Another name of \`/api/v1/{app}/status\`. It sends nothing.`,
  },
  '/api/v1/{app}/batch/record': {
    call: 'record',
    id: 'SmsRecord',
    summary: 'Takes in a batch that other software has sent',
    description: `Its messages are in state 0 until something is reported of them. The same batch under the same \`rrid\` once more
gets the same answer and changes nothing; another batch under that name is refused.`,
  },
  '/api/v1/{app}/report': {
    call: 'report',
    id: 'SmsReport',
    summary: "Takes in what carriers report, in the shape of Wilddog's pushes",
    description: `All of it, or nothing when any of it is wrong: then the answer names the place. What is signed is \`timestamp\` and
the body, to the letter, as a parameter \`body\`.

A state goes from 0 to 1 and from either to 2 or 3, which are final. The same report once more is accepted and changes
nothing. A report that contradicts a final state, or comes late, is ignored, and so is one of a message that is not
known.`,
  },
  '/api/v1/{app}/dlr': {
    call: 'receipt',
    id: 'SmsReceipt',
    summary: 'Takes in one report, from a gateway that calls a URL',
    description: `Which message it is, is said by \`rrid\` and \`mobile\` or by \`messageId\`; what became of it, by \`stat\`. Or all of
it is said by \`receipt\`.

Gateways that can put values into a URL but cannot sign send \`source\` and \`token\` in place of \`timestamp\` and
\`signature\`. The token is valid for this call only: it allows reports, and no reads.`,
  },
}

const APP: ParameterObject = {
  name: 'app',
  in: 'path',
  required: true,
  description: 'Name of the application.',
  schema: { type: 'string' },
  example: 'app',
}

/** Every path about text messages. */
export function smsPaths(methodsOf: MethodsOf): PathsObject {
  const items = mapValues(endpoints, (endpoint, path) => pathItem(endpoint, methodsOf(path)))
  return { ...items, '/api/v1/carrier-codes': carrierCodes() }
}

function pathItem(endpoint: Endpoint, methods: readonly DocumentedMethod[]): PathItemObject {
  const { id } = endpoint
  const operations = methods.map((method) => [method, operation(method, endpoint, method !== methods[0])])
  return { ...Object.fromEntries(operations), options: preflightOf(id, [APP]) }
}

function operation(
  method: DocumentedMethod,
  { call, id, summary, description }: Endpoint,
  isAlternative: boolean,
): OperationObject {
  const isForm = method === 'post' && call !== 'report'
  const content = { 'application/json': { schema: schemaRef(ANSWERS[call]), examples: smsReplies[call] } }
  return {
    operationId: `${method}${id}`,
    tags: [SMS_TAG],
    summary: isAlternative ? `${summary}: asked with a form` : summary,
    description,
    parameters: [APP, ...(isForm ? [] : queryParameters(call))],
    ...(method === 'get' ? {} : { requestBody: isForm ? form(call) : json(call) }),
    responses: { 200: { description: 'Done.', content }, ...smsErrorResponses(call) },
    security: [],
  }
}

/** A parameter shows its value in each of the requests of the call: those of one name go together. */
function queryParameters(call: SmsCall): ParameterObject[] {
  const { properties, required = [] }: TObject = smsParameters[call]
  return Object.entries(properties).map(([name, property]: [string, TSchema]) => {
    const { description = '', ...schema } = fieldSchema(property, name, required)
    const examples = mapValues(smsRequests[call], ({ summary, values: { [name]: value } }) =>
      value === undefined ? { summary: 'not sent', value: '' } : { summary, value },
    )
    return { name, in: 'query', required: required.includes(name), description, schema, examples }
  })
}

/** Of an optional field also the empty text, which stands in the examples for one that is not sent. */
function fieldSchema(property: TSchema, name: string, required: readonly string[]): SchemaObject {
  const schema = toOpenApi(property)
  if (schema.pattern === undefined || required.includes(name)) return schema
  return { ...schema, pattern: `^$|${schema.pattern}` }
}

type Body = NonNullable<OperationObject['requestBody']>

/** Swagger UI fills in what stands at the fields, and anything where nothing does; the examples of the whole it shows. */
function form(call: SmsCall): Body {
  const schema: TObject = smsParameters[call]
  const [first] = Object.values(smsRequests[call])
  const properties = mapValues(schema.properties, (property: TSchema, name) => {
    return { ...fieldSchema(property, name, schema.required ?? []), example: first?.values[name] ?? '' }
  })
  const examples = examplesOf(call, ({ values }) => values)
  const filled = { ...toOpenApi(schema), properties } as SchemaObject
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema: filled, examples } } }
}

function json(call: SmsCall): Body {
  const examples = examplesOf(call, ({ body }) => body)
  return { required: true, content: { 'application/json': { schema: schemaRef('Push'), examples } } }
}

function examplesOf(call: SmsCall, part: (request: SmsExample) => unknown): Readonly<Record<string, ExampleObject>> {
  return mapValues(smsRequests[call], (request) => ({ summary: request.summary, value: part(request) }))
}

function carrierCodes(): PathItemObject {
  return {
    get: {
      operationId: 'getSmsCarrierCodes',
      tags: [SMS_TAG],
      summary: 'What the codes of carriers mean',
      description: `The same for everybody, and unsigned. Browsers get a table to read. Every other code that begins with \`MY:\` or
\`DB:\` is a failure too.`,
      parameters: [],
      responses: {
        200: {
          description: 'All codes with a known meaning.',
          content: {
            'application/json': { schema: schemaRef('CarrierCodes'), examples: carrierCodesReply },
            'text/html': { schema: schemaRef('Page') },
          },
        },
        404: insecure,
      },
      security: [],
    },
    options: preflightOf('SmsCarrierCodes', []),
  }
}

function preflightOf(id: string, parameters: ParameterObject[]): OperationObject {
  const operation = preflightOperation(id, SMS_TAG, { 404: insecure })
  return { ...operation, description: 'Asks for no signature, reads nothing.', parameters }
}
