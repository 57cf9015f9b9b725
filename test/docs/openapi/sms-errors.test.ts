import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { DholeError, type ErrorCode } from '../../../src/error.ts'
import { bodyOf } from '../../../src/http/response/error-texts.ts'
import { dhole } from '../../../src/index.ts'
import { application } from '../../protocol/sms/service.ts'
import { type Answer, type HttpsServer, startInProcess } from '../../support/https-server.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { allErrors, type Documented, errorsAt, fetchDocument, isSms, operationsOf, responseOf } from './document.ts'
import { expectDocumented } from './expectations.ts'
import { changed, type SmsProvocation, smsProvocations, smsWaysTo } from './sms-provocations.ts'
import { goodSmsRequest, sendSms, signedSmsRequest, smsCallOf, unsignedSmsRequest } from './sms-requests.ts'

/** Cannot be brought about from outside: the disk fails, or we do. */
const UNPROVOKED: readonly string[] = ['sms-failed', 'sms-key-unknown', 'sms-unavailable']

let patient: HttpsServer
let busy: HttpsServer
let plain: Elysia
let plainDir: Awaited<ReturnType<typeof tempDir>>
let document: Awaited<ReturnType<typeof fetchDocument>>
let operations: Documented[]

beforeAll(async () => {
  patient = await startInProcess({ docs: true, applications: { app: application() } })
  busy = await startInProcess({ applications: { app: application({ intervalMs: 24 * 3600 * 1000 }) } })
  plainDir = await tempDir()
  plain = new Elysia({ handler: { standardHostname: false } })
    .use(dhole({ dataDir: plainDir.path, applications: { app: application() } }))
    .listen({ hostname: '127.0.0.1', port: 0 })
  document = await fetchDocument(patient)
  operations = operationsOf(document).filter(isSms)
})

afterAll(async () => {
  await patient.stop()
  await busy.stop()
  await plain.stop(true)
  await plainDir[Symbol.asyncDispose]()
})

async function provoke(documented: Documented, provocation: SmsProvocation): Promise<Answer> {
  const { app, key, before, after, behind, server } = provocation
  const { fields, body } = unsignedSmsRequest(documented.path)
  const sent = body === undefined ? {} : { body: provocation.body ?? body }
  const request = signedSmsRequest({ fields: changed(fields, before), ...sent }, key)
  const wrong = { ...request, fields: changed(request.fields, after) }
  const detour = { ...(app === undefined ? {} : { app }), ...(behind === undefined ? {} : { behind }) }
  if (server === 'plain') return sendPlainly(documented)
  // One call of each is one too many there.
  if (server === 'busy') await sendSms(busy, documented, goodSmsRequest(documented.path))
  return sendSms(server === 'busy' ? busy : patient, documented, wrong, detour)
}

async function sendPlainly(documented: Documented): Promise<Answer> {
  const { target, ...options } = smsCallOf(documented, goodSmsRequest(documented.path))
  const init = { method: documented.method, ...options }
  const reply = await fetch(`http://127.0.0.1:${plain.server?.port}${target}`, init)
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}

test('every error documented at an operation can be brought about there, with that status and body', async () => {
  const seen = new Set<string>()
  const bodies: unknown[] = []
  for (const documented of operations) {
    for (const status of Object.keys(documented.operation.responses).map(Number)) {
      for (const code of errorsAt(documented.operation, status)) {
        if (status < 400 || UNPROVOKED.includes(code)) continue
        const ways = smsWaysTo(code, documented)
        expect(ways, `${documented.method} ${documented.path} ${code}`).not.toBeEmpty()
        for (const way of ways) {
          const answer = await provoke(documented, way)
          const what = `${documented.method} ${documented.path} ${code} ${JSON.stringify(way).slice(0, 90)}`
          const { errcode, message } = bodyOf(new DholeError(code as ErrorCode))
          expect({ what, status: answer.status, text: answer.text }).toMatchObject({ what, status })
          expectDocumented(documented, answer)
          const body: unknown = JSON.parse(answer.text)
          expect(body, what).toMatchObject({ errcode, message })
          bodies.push(body)
        }
        seen.add(code)
      }
    }
  }
  expect(Object.keys(smsProvocations).filter((code) => !seen.has(code))).toEqual([])
  // An example is a body that was sent, to the letter.
  const shown = (document.components?.examples ?? {}) as Readonly<Record<string, { readonly value: unknown }>>
  for (const code of seen) expect(bodies).toContainEqual(shown[code]?.value)
})

test('no operation answers a provocation with an error it does not document', async () => {
  for (const documented of operations.filter(({ method }) => method !== 'OPTIONS')) {
    for (const ways of Object.values(smsProvocations)) {
      for (const way of ways) {
        const answer = await provoke(documented, way)
        expectDocumented(documented, answer)
        if (answer.status < 400) continue
        const codes = errorsAt(documented.operation, answer.status) as ErrorCode[]
        const numbers = codes.map((code) => bodyOf(new DholeError(code)).errcode)
        const { errcode } = JSON.parse(answer.text) as { errcode: number }
        expect(numbers, `${documented.method} ${documented.path} ${answer.text}`).toContain(errcode)
      }
    }
  }
})

test('who asks too often is told when to come again, where the document says so', async () => {
  const documented = operations.filter(({ operation }) => responseOf(operation, 429) !== undefined)
  expect(documented.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/v2/{app}/status',
    'POST /api/v2/{app}/status',
    'POST /api/v2/{app}/send',
  ])
  for (const operation of documented) {
    await sendSms(busy, operation, goodSmsRequest(operation.path))
    const { status, headers } = await sendSms(busy, operation, goodSmsRequest(operation.path))
    expect({ status, wait: headers.get('retry-after') }).toEqual({ status: 429, wait: '1' })
    expect(responseOf(operation.operation, 429)?.headers).toHaveProperty('Retry-After')
  }
})

test('what cannot be provoked is documented all the same', () => {
  for (const { operation, path, method } of operations) {
    const signed = path.includes('{app}') && method !== 'OPTIONS'
    expect(errorsAt(operation, 500)).toEqual(signed ? ['sms-failed', 'sms-key-unknown'] : [])
    expect(errorsAt(operation, 503)).toEqual(signed ? ['sms-unavailable'] : [])
  }
  const known = new Set([...Object.keys(smsProvocations), ...UNPROVOKED])
  expect(operations.flatMap(({ operation }) => allErrors(operation)).filter((code) => !known.has(code))).toEqual([])
})
