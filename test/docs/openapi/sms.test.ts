import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { DholeError } from '../../../src/error.ts'
import { bodyOf } from '../../../src/http/response/error-texts.ts'
import { smsParameters } from '../../../src/http/sms/schemas.ts'
import { CARRIER_CODES } from '../../../src/sms/model/carrier-codes.ts'
import { signatureOf } from '../../protocol/sms/calls.ts'
import { application, SMS_KEY } from '../../protocol/sms/service.ts'
import { type Answer, startInProcess } from '../../support/https-server.ts'
import { withServer } from '../../support/with-server.ts'
import { type Documented, fetchDocument, isSms, operationsOf, parametersOf, responseOf } from './document.ts'
import { expectDocumented } from './expectations.ts'
import { type SmsRequest, sendSms, shownSmsRequests, signedSmsRequest, unsignedSmsRequest } from './sms-requests.ts'

type Step = readonly [operationId: string, example: string]

const NAMED: Step = ['postSmsRecord', 'named']
const ONE: Step = ['postSmsReport', 'delivered']
const BOTH: Step = ['postSmsReport', 'both']

/** What is asked first, then a request of the document, and the example that answers it. */
const STORIES: readonly (readonly [before: readonly Step[], request: Step, answer: string])[] = [
  [[NAMED, BOTH], ['getSmsStatuses', 'signed'], 'both'],
  [[NAMED, BOTH], ['postSmsStatuses', 'signed'], 'both'],
  [[NAMED, BOTH], ['postSmsStatusesBySend', 'signed'], 'both'],
  [[NAMED], ['getSmsStatuses', 'signed'], 'none'],
  [[NAMED, BOTH], ['getSmsBatch', 'signed'], 'both'],
  [[NAMED, BOTH], ['postSmsBatch', 'timed'], 'both'],
  [[NAMED, BOTH], ['postSmsBatchBySend', 'signed'], 'both'],
  [[NAMED, BOTH], ['postSmsBatchBySend', 'timed'], 'both'],
  [[NAMED, ONE], ['getSmsBatch', 'timed'], 'waiting'],
  [[], ['postSmsBatch', 'signed'], 'none'],
  [[], NAMED, 'recorded'],
  [[], ['postSmsRecord', 'numbers'], 'recorded'],
  [[NAMED], ONE, 'delivered'],
  [[NAMED], BOTH, 'both'],
  [[], ONE, 'unknown'],
  [[NAMED], ['getSmsReceipt', 'signed'], 'accepted'],
  [[NAMED], ['postSmsReceipt', 'signed'], 'accepted'],
  [[NAMED], ['getSmsReceipt', 'numbered'], 'accepted'],
  [[NAMED], ['postSmsReceipt', 'numbered'], 'accepted'],
  [[NAMED], ['getSmsReceipt', 'smpp'], 'accepted'],
  [[NAMED], ['postSmsReceipt', 'smpp'], 'accepted'],
  [[], ['getSmsReceipt', 'numbered'], 'unknown'],
]

/** The moment of the examples. */
const THEN = 1492675740231

const server = withServer(() => {
  // An application for each story: all begin with nothing.
  const names = ['app', ...STORIES.map((_, index) => `story-${index}`)]
  const applications = Object.fromEntries(names.map((name) => [name, application()]))
  return startInProcess({ docs: true, applications })
})
let document: Awaited<ReturnType<typeof fetchDocument>>
let operations: Documented[]
/** Those that are signed. */
let calls: Documented[]

beforeAll(async () => {
  document = await fetchDocument(server)
  operations = operationsOf(document).filter(isSms)
  calls = operations.filter(({ path, method }) => path.includes('{app}') && method !== 'OPTIONS')
})

afterAll(() => {
  setSystemTime()
})

function found(operationId: string): Documented {
  const documented = operations.find(({ operation }) => operation.operationId === operationId)
  if (documented === undefined) throw new RangeError(`no operation ${operationId}`)
  return documented
}

function ask([operationId, example]: Step, app: string): Promise<Answer> {
  const documented = found(operationId)
  const request = shownSmsRequests(documented)[example]
  if (request === undefined) throw new RangeError(`no example ${example} of ${operationId}`)
  return sendSms(server, documented, request, { app })
}

function shownAnswers({ operation }: Documented): Readonly<Record<string, unknown>> {
  const examples = responseOf(operation, 200)?.content?.['application/json']?.examples ?? {}
  return Object.fromEntries(Object.entries(examples).map(([name, example]) => [name, (example as Shown).value]))
}

interface Shown {
  readonly value: unknown
}

describe('the tag', () => {
  test('has every operation about text messages, and no credential of the tree goes with them', () => {
    for (const { path, method, operation } of operations) {
      expect({ path, method, tags: operation.tags, security: operation.security }).toEqual({
        path,
        method,
        tags: ['Text messages'],
        security: [],
      })
    }
  })

  test('explains signing with examples that are right', () => {
    const description = document.tags?.find(({ name }) => name === 'Text messages')?.description ?? ''
    const digest = (text: string) => createHash('sha256').update(text).digest('hex')
    const [, text = '', printed] = /printf '%s' '([^']+)' \| openssl dgst -sha256\n```\n\nprints\n\n```\n(\w+)\n/.exec(
      description,
    ) ?? ['']
    expect(text).toEndWith(`&${SMS_KEY}`)
    expect(digest(text)).toBe(printed ?? '')
    expect(description).toContain(`\n${text.replace(`&${SMS_KEY}`, `\nsignature=${printed}`)}\n`)
    const rows = [...description.matchAll(/^- `(.+)` {2}\n {2}`(\w{64})`$/gm)]
    expect(rows).toHaveLength(4)
    for (const [, signed, signature] of rows) expect(digest(`${signed}&${SMS_KEY}`)).toBe(signature ?? '')
  })
})

describe('examples', () => {
  test('have the signature that belongs to them', () => {
    let seen = 0
    for (const documented of calls) {
      for (const [name, request] of Object.entries(shownSmsRequests(documented))) {
        const { signature, source, token } = request.fields
        const what = `${documented.operation.operationId} ${name}`
        if (token === undefined) expect(signatureOf(signedParts(request)), what).toBe(signature ?? '')
        else expect(signatureOf({ source: source ?? '' }), what).toBe(token)
        seen++
      }
    }
    expect(seen).toBe(19)
  })

  function signedParts({ fields, body }: SmsRequest): Record<string, string> {
    return body === undefined ? fields : { ...fields, body }
  }

  test('have all parameters that are needed, and every parameter is in one', () => {
    for (const documented of calls) {
      const { names, required } = parametersShown(documented)
      const shown = Object.values(shownSmsRequests(documented))
      for (const { fields } of shown) expect(Object.keys(fields)).toEqual(expect.arrayContaining(required))
      const used = new Set(shown.flatMap(({ fields }) => Object.keys(fields)))
      expect([...used].sort()).toEqual(names.toSorted())
    }
  })

  test.each(STORIES.map((story, index) => [story[1].join(' '), story[2], index] as const))(
    '%s, sent at its time as it stands, is answered as it is shown: %s',
    async (_, answer, index) => {
      const [before, request] = STORIES[index] ?? [[], NAMED]
      setSystemTime(THEN)
      for (const step of before) expect((await ask(step, `story-${index}`)).status).toBe(200)
      const { status, text, headers } = await ask(request, `story-${index}`)
      expect(`${status} ${text}`).toStartWith('200 ')
      expectDocumented(found(request[0]), { status, text, headers })
      const shown = JSON.stringify(shownAnswers(found(request[0]))[answer])
      // What a batch is called that was given no name is chance.
      const isNamed = request[1] !== 'numbers'
      expect(isNamed ? text : text.replace(/15b8a684247[0-9a-f]{7}/, 'e97539af58f44a0092')).toBe(shown)
    },
  )

  test('are all in a story', () => {
    const told = new Set(STORIES.flatMap(([, [id, example], answer]) => [`${id} ${example}`, `${id} > ${answer}`]))
    const missing = calls.flatMap((documented) => {
      const id = documented.operation.operationId
      return Object.keys(shownSmsRequests(documented)).map((name) => `${id} ${name}`)
    })
    expect(missing.filter((name) => !told.has(name))).toEqual([])
    // An answer is shown wherever the call has another name.
    const answers = new Set([...told].filter((name) => name.includes('>')).map(nameless))
    const shown = calls.flatMap((documented) => {
      return Object.keys(shownAnswers(documented)).map((name) => `${documented.operation.operationId} > ${name}`)
    })
    expect(shown.map(nameless).filter((name) => !answers.has(name))).toEqual([])
  })

  function nameless(name: string): string {
    return name.replace(/^(get|post)|BySend/g, '')
  }
})

/** Names of the parameters of an operation, in the query or a form, and of those it needs. */
function parametersShown({ operation }: Documented): { names: string[]; required: string[] } {
  const query = parametersOf(operation).filter((parameter) => parameter.in === 'query')
  const body = operation.requestBody as { content: Record<string, { schema: FormSchema }> } | undefined
  const form = body?.content['application/x-www-form-urlencoded']?.schema
  return {
    names: [...query.map(({ name }) => name), ...Object.keys(form?.properties ?? {})],
    required: [...query.filter(({ required }) => required).map(({ name }) => name), ...(form?.required ?? [])],
  }
}

interface FormSchema {
  readonly properties: Readonly<Record<string, { readonly description?: string }>>
  readonly required?: readonly string[]
}

describe('parameters', () => {
  test('are those of the schemas', () => {
    const schemas = Object.values(smsParameters).map(({ properties }) => Object.keys(properties).sort().join())
    for (const documented of calls) expect(schemas).toContain(parametersShown(documented).names.toSorted().join())
  })

  test('cannot be left out where they are required', async () => {
    setSystemTime()
    for (const documented of calls) {
      for (const name of parametersShown(documented).required) {
        const { fields, body } = unsignedSmsRequest(documented.path)
        const { [name]: _, ...left } = fields
        const request = signedSmsRequest({ fields: left, ...(body === undefined ? {} : { body }) })
        const { [name]: __, ...rest } = request.fields
        const answer = await sendSms(server, documented, { ...request, fields: rest })
        expect({ path: documented.path, name, status: answer.status }).toEqual({
          path: documented.path,
          name,
          status: 400,
        })
        expectDocumented(documented, answer)
      }
    }
  })
})

test('the codes of carriers are answered as they are shown, and as a table', async () => {
  const documented = found('getSmsCarrierCodes')
  const json = await server.call('GET', documented.path)
  expectDocumented(documented, json)
  expect<unknown>(JSON.parse(json.text)).toEqual(shownAnswers(documented)['all'])
  const page = await server.call('GET', documented.path, { headers: { Accept: 'text/html,*/*;q=0.8' } })
  expectDocumented(documented, page)
  for (const { code, meaning } of CARRIER_CODES) {
    expect(page.text).toContain(code)
    expect(page.text).toContain(meaning)
  }
})

test.each(['/api/v1/app/notify/send', '/api/v1/app/code/send', '/api/v1/app/balance', '/api/v2/app/batch/record'])(
  'a call that is not documented is answered as the document says: %s',
  async (path) => {
    const { status, text } = await server.call('POST', path, { body: '' })
    const { errcode, message } = bodyOf(new DholeError('sms-not-offered'))
    expect({ status, body: JSON.parse(text) }).toMatchObject({ status: 404, body: { errcode, message } })
    expect(document.components?.responses?.['NotOffered']).toMatchObject({
      content: { 'application/json': { examples: { 'sms-not-offered': {} } } },
    })
  },
)
