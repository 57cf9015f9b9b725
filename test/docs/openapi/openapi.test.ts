import { beforeAll, describe, expect, test } from 'bun:test'
import packageJson from '../../../package.json' with { type: 'json' }
import { DholeError, type ErrorCode } from '../../../src/error.ts'
import { toOpenApi } from '../../../src/http/docs/openapi/schemas.ts'
import { bodyOf } from '../../../src/http/response/error-texts.ts'
import { parameterSchema, settingsParameterSchema } from '../../../src/http/url/parameters.ts'
import { application } from '../../protocol/sms/service.ts'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { customToken } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'
import {
  allErrors,
  bodyExamples,
  type Documented,
  exampleValues,
  fetchDocument,
  isSms,
  operationsOf,
  parametersOf,
  validate,
} from './document.ts'
import { expectDocumented } from './expectations.ts'
import { credentialsFor, goodBody, goodQuery, OPEN_RULES, OWNER } from './good-requests.ts'

const server = withServer(() => startInProcess({ docs: true, applications: { app: application() } }))
let document: Awaited<ReturnType<typeof fetchDocument>>
let operations: Documented[]
/** Those of the tree and beside it. */
let tree: Documented[]

beforeAll(async () => {
  document = await fetchDocument(server)
  operations = operationsOf(document)
  tree = operations.filter((operation) => !isSms(operation))
})

const SEED = JSON.stringify({ name: 'Everybody', users: { alice: { name: 'Alice', tags: { admin: true } } } })

/** The same data and rules before every call. */
async function seeded(): Promise<void> {
  await server.call('PUT', '/.settings/rules.json', { headers: OWNER, body: OPEN_RULES })
  await server.call('PUT', '/.json', { body: SEED })
}

test('is valid OpenAPI 3', async () => {
  expect(document).toMatchObject({ openapi: '3.0.3', info: { title: 'Dhole', version: packageJson.version } })
  await validate(document)
})

test('every operation has its own id', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(operations.length)
  expect(ids).not.toContain(undefined)
})

test('names every method the server serves and no other', async () => {
  const methods = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'REPORT', 'LINK']
  for (const path of Object.keys(document.paths ?? {})) {
    const documented = operations.filter((operation) => operation.path === path)
    const served: string[] = []
    for (const method of methods) {
      await seeded()
      const body = goodBody(path, method)
      const headers = credentialsFor(documented[0])
      const target = (documented[0]?.target ?? path) + goodQuery(path)
      const { status } = await server.call(method, target, { headers, body })
      if (status < 300) served.push(method)
    }
    expect({ path, served }).toEqual({ path, served: documented.map(({ method }) => method) })
  }
})

test('a method that is not documented gets what the document says', async () => {
  const told: (string | null)[] = []
  const beside = ['/.settings/rules.json', '/.auth/customTokenToIdToken.json']
  for (const path of ['/a.json', ...beside, '/health', '/api/v2/app/status', '/api/v1/carrier-codes']) {
    const { status, text, headers } = await server.call('PROPFIND', path, { headers: OWNER })
    expect(status).toBe(405)
    expect(JSON.parse(text)).toEqual(bodyOf(new DholeError('method-not-allowed')))
    told.push(headers.get('allow'))
  }
  expect(document.components?.responses?.['MethodNotAllowed']).toMatchObject({
    headers: { Allow: { schema: { enum: expect.arrayContaining(told) } } },
  })
})

test('beside the tree, who has used another method is told those that the document has', async () => {
  const beside = Object.keys(document.paths ?? {}).filter((path) =>
    /^\/(\.settings\/|\.auth\/|api\/|health$|ready$)/.test(path),
  )
  expect(beside).toHaveLength(13)
  for (const named of beside) {
    const documented = operations.filter(({ path }) => path === named)
    const methods = documented.map(({ method }) => method)
    const path = documented[0]?.target ?? named
    for (const method of ['DELETE', 'PATCH', 'PROPFIND']) {
      const { status, headers } = await server.call(method, path, { headers: OWNER })
      expect({ path, status, allow: headers.get('allow') }).toEqual({ path, status: 405, allow: methods.join(', ') })
    }
  }
})

describe('parameters', () => {
  test('every one is there, with its own description', () => {
    const documented = operations.flatMap(({ operation }) => parametersOf(operation))
    const credentials = Object.values(document.components?.securitySchemes ?? {}).flatMap((scheme) =>
      'name' in scheme ? [scheme] : [],
    )
    const all = [...Object.entries(parameterSchema.properties), ...Object.entries(settingsParameterSchema.properties)]
    for (const [name, schema] of all) {
      const described = [...documented, ...credentials].filter((parameter) => parameter.name === name)
      // What a credential may be is told where the first of its carriers is.
      const texts = described.map(({ description = '' }) => description.split('\n\n')[0])
      expect(texts, name).toContain(schema.description ?? '')
    }
  })

  /** Filters that mean something beside an order only. */
  const FILTER = /^(start|end|equal|limit)/

  /** A legal value where the schema lists none. */
  const values: Readonly<Record<string, readonly string[]>> = {
    app: ['app'],
    ns: ['app'],
    callback: ['handle'],
    download: ['users.json'],
    auth_variable_override: ['null', '{"uid":"alice"}'],
    sv: ['timestamp'],
    timeout: ['500ms', '3s', '1min'],
    'x-http-method-override': ['PUT'],
    'If-None-Match': ['null_etag', 'other'],
    'if-match': ['*', 'other'],
    'Idempotency-Key': ['7c0e6f1a-7a2d-4f0e-9d6f-2f1f0d3a9b55', '"quoted"'],
    'Last-Event-ID': ['wLEfC2KJ0mSx4cY7Vt3A5g'],
    limitToFirst: ['2'],
    limitToLast: ['2'],
  }

  test('every one works where it is documented', async () => {
    for (const documented of tree) {
      for (const parameter of parametersOf(documented.operation)) {
        const { name, in: place, schema } = parameter
        if (place === 'path' || name === 'Content-Encoding' || name === 'X-HTTP-Method-Override') continue
        const examples = exampleValues(parameter)
        const listed = (schema as { enum?: string[] }).enum ?? values[name] ?? examples
        expect(listed, name).not.toBeEmpty()
        for (const value of listed) {
          await seeded()
          // A filter means something beside an order only, and a size beside a form.
          const order = FILTER.test(name) ? 'orderBy=%22$value%22&' : ''
          const form = name === 'readSizeLimit' ? 'format=export&' : ''
          const query = place === 'query' ? `?${order}${form}${name}=${encodeURIComponent(value)}` : ''
          const owner = ['auth_variable_override', 'readSizeLimit'].includes(name) ? OWNER : credentialsFor(documented)
          const headers = { ...owner, ...(place === 'header' ? { [name]: value } : {}) }
          const body = goodBody(documented.path, documented.method)
          const answer = await server.call(documented.method, documented.target + query, { headers, body })
          expect(answer.status, `${documented.method} ${documented.target}${query} ${value}`).not.toBe(400)
          if (name !== 'x-http-method-override') expectDocumented(documented, answer)
        }
      }
    }
  })

  test('of a filter, nothing is the first example', () => {
    const bounds = ['startAt', 'startAfter', 'endAt', 'endBefore', 'equalTo']
    const filters = ['orderBy', ...bounds]
    const node = operations.find(({ operation }) => operation.operationId === 'getNode')
    const examples = parametersOf(node?.operation ?? { responses: {} }).flatMap((parameter) => {
      const shown = Object.values(parameter.examples ?? {}) as { value: unknown }[]
      return shown.length === 0 ? [] : [{ name: parameter.name, first: shown[0]?.value }]
    })
    expect(examples.map(({ name }) => name)).toEqual(filters)
    expect(examples.map(({ first }) => first)).toEqual(filters.map(() => ''))
  })

  test('limits are whole numbers, and are not filled in', () => {
    const documented = operations.filter(({ operation }) => operation.operationId === 'getNode')
    const limits = documented
      .flatMap(({ operation }) => parametersOf(operation))
      .filter(({ name }) => /^limit/.test(name))
    expect(limits.map(({ schema, examples }) => ({ schema, examples }))).toEqual(
      ['first', 'last'].map(() => ({ schema: { type: 'integer', minimum: 1 }, examples: undefined })),
    )
  })

  test('a body may be packed, and POST stand for every method listed', async () => {
    const gzip = { body: Bun.gzipSync('{"a":1}'), headers: { 'Content-Encoding': 'gzip' } }
    expect((await server.call('PUT', '/packed.json', gzip)).text).toBe('{"a":1}')
    const post = operations.find(({ operation }) => operation.operationId === 'postNode')
    const override = parametersOf(post?.operation ?? { responses: {} }).find((p) => p.name === 'X-HTTP-Method-Override')
    const { enum: listed } = (override?.schema ?? { enum: [] }) as { enum: string[] }
    expect(listed).not.toBeEmpty()
    for (const method of listed) {
      const headers = { 'X-HTTP-Method-Override': method }
      expect((await server.call('POST', '/over.json', { headers, body: '{"a":1}' })).status).toBe(200)
    }
  })
})

describe('examples', () => {
  test('every request, sent as it stands, gets the documented answer', async () => {
    let sent = 0
    for (const documented of tree) {
      const { method, target, operation } = documented
      const body = operation.requestBody as {
        content: Record<string, { examples: Record<string, { value: unknown }> }>
      }
      const examples = body === undefined ? { none: undefined } : body.content['application/json']?.examples
      for (const [name, example] of Object.entries(examples ?? {})) {
        await seeded()
        // A token of the document is none of this server's.
        const given = documented.path.startsWith('/.auth/') ? goodBody(documented.path, method) : undefined
        const text = example === undefined ? undefined : (given ?? JSON.stringify(example.value))
        const answer = await server.call(method, target, { headers: credentialsFor(documented), body: text })
        expect(answer.status, `${method} ${target} ${name} ${answer.text}`).toBe(method === 'OPTIONS' ? 204 : 200)
        expectDocumented(documented, answer)
        expectExampleReply(documented, name, answer.text)
        sent++
      }
    }
    expect(sent).toBeGreaterThan(40)
  })

  /** The example answer of the same name, times and generated keys aside. */
  function expectExampleReply({ method, operation }: Documented, name: string, text: string): void {
    if (method !== 'PUT' && method !== 'PATCH') return
    const reply = operation.responses['200'] as { content: Record<string, { examples: Record<string, unknown> }> }
    const { examples = {} } = reply.content['application/json'] ?? {}
    const example = (examples[name] ?? examples['done']) as { value: unknown } | undefined
    const timeless = (json: unknown) => JSON.stringify(json).replace(/\d{13}/g, '0')
    expect(timeless(JSON.parse(text))).toBe(timeless(example?.value))
  }

  test('every query gets the documented answer, in that order', async () => {
    await server.call('PUT', '/dinosaurs.json', { body: JSON.stringify(bodyExamples(operations, 'putNode')['list']) })
    const node = operations.find(({ operation }) => operation.operationId === 'getNode')?.operation
    const reply = node?.responses['200'] as {
      content: Record<string, { examples: Record<string, { summary: string; value: unknown }> }>
    }
    let asked = 0
    for (const { summary, value } of Object.values(reply.content['application/json']?.examples ?? {})) {
      const query = /^`(.+?)`: /.exec(summary)?.[1]
      if (query === undefined) continue
      const { status, text } = await server.call('GET', `/dinosaurs.json?${query}`)
      expect({ query, status, text }).toEqual({ query, status: 200, text: JSON.stringify(value) })
      asked++
    }
    expect(asked).toBeGreaterThan(7)
  })

  test('errors have the number and message of the table', () => {
    for (const [code, example] of Object.entries(document.components?.examples ?? {})) {
      const { errcode, message } = bodyOf(new DholeError(code as ErrorCode))
      expect(example).toMatchObject({ value: { errcode, message } })
    }
  })
})

test('security schemes are the carriers of a credential', async () => {
  await using locked = await startInProcess({ docs: true, applications: { app: { secret: SECRET } } })
  const carriers: Record<string, string> = { auth: '?auth=', accessToken: '?access_token=', bearer: '' }
  expect(Object.keys(document.components?.securitySchemes ?? {})).toEqual(Object.keys(carriers))
  await locked.call('PUT', '/.settings/rules.json', {
    headers: OWNER,
    body: `{"rules":{".read":"auth.uid === 'alice'"}}`,
  })
  const custom = customToken(SECRET, { uid: 'alice' })
  const exchanged = await locked.call('POST', '/.auth/customTokenToIdToken.json', {
    body: JSON.stringify({ token: custom }),
  })
  const { idToken } = JSON.parse(exchanged.text) as { idToken: string }
  for (const credential of [SECRET, custom, customToken(SECRET, { d: { uid: 'alice' } }), idToken]) {
    for (const query of Object.values(carriers)) {
      const headers = query === '' ? { Authorization: `Bearer ${credential}` } : undefined
      const target = query === '' ? '/.json' : `/.json${query}${encodeURIComponent(credential)}`
      expect((await locked.call('GET', target, { headers })).status).toBe(200)
    }
  }
})

test('schemas that OpenAPI 3.0 cannot say are said otherwise', () => {
  expect(toOpenApi(parameterSchema.properties.print)).toMatchObject({ type: 'string', enum: ['pretty', 'silent'] })
  expect(document.components?.schemas?.['Priority']).toMatchObject({
    anyOf: [
      { type: 'string', nullable: true },
      { type: 'number', nullable: true },
    ],
  })
  expect(JSON.stringify(document)).not.toMatch(/"const":|"patternProperties":|"type":"null"/)
})

test('every error that can occur stands at an operation', () => {
  const shown = new Set(operations.flatMap(({ operation }) => allErrors(operation)))
  const all = Object.keys(document.components?.examples ?? {})
  expect(all.filter((code) => !shown.has(code))).toEqual(['method-not-allowed', 'sms-not-offered'])
})
