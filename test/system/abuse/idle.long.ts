import { expect, test } from 'bun:test'
import { connect } from 'node:http2'
import { signatureOf } from '../../protocol/sms/calls.ts'
import { SMS_KEY } from '../../protocol/sms/service.ts'
import { openSource } from '../../support/event-source.ts'
import { clientOf, SECRET } from '../../support/https-server.ts'
import { Inbox, sendHttp1 } from '../../support/reader.ts'
import { spawnServer } from '../../support/server-process.ts'
import { draftOf, type GoodCall, goodCalls, type Request, requestOf } from '../sms/good-calls.ts'

const KEPT = { '.read': true, '.write': true }
const RULES = { rules: { kept: KEPT, shut: { '.read': true }, list: { '.indexOn': 'n' } } }
/** Nobody may read what is shut any more. */
const LATER_RULES = { rules: { kept: KEPT } }
const STREAM = { accept: 'text/event-stream' }
const OWNER = `auth=${encodeURIComponent(SECRET)}`
/** Two that stay, two that the server ends. */
const STREAMS = 4

/** The request as bytes of HTTP/1.1, and the status of its answer. */
type Case = readonly [name: string, bytes: string, status: number]

function bytesOf({ method, target, options: { body = '', headers } }: Request): string {
  const fields = { Host: 'localhost', 'Content-Length': String(body).length, ...headers }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${target} HTTP/1.1`, ...lines, '', String(body)].join('\r\n')
}

function asked(method: string, target: string, status = 200, options: Request['options'] = {}): Case {
  return [`${method} ${target}`, bytesOf({ method, target, options }), status]
}

function requestFor(call: GoodCall): Request {
  const draft = draftOf(call)
  const signed = call.body === undefined ? draft.fields : { ...draft.fields, body: call.body }
  return requestOf(call, draft, signatureOf(signed))
}

function cases(): readonly Case[] {
  return [
    asked('GET', '/kept.json'),
    asked('GET', `/list.json?orderBy="n"&limitToLast=1&${OWNER}`),
    asked('GET', `/.json?readSizeLimit=unlimited&format=export&${OWNER}`),
    asked('GET', '/list.json', 403),
    ...['PUT', 'PATCH', 'POST', 'DELETE'].flatMap((method) => {
      const options = method === 'DELETE' ? {} : { body: '{"a":1}' }
      return [asked(method, '/kept/b.json', 200, options), asked(method, '/list.json', 403, options)]
    }),
    asked('GET', '/kept.json', 503, { headers: STREAM }),
    ...goodCalls.map((call): Case => [call.name, bytesOf(requestFor(call)), 200]),
  ]
}

type Server = ReturnType<typeof clientOf>

async function serving(): Promise<Server & AsyncDisposable> {
  const { url, certificate, stop } = await spawnServer({
    APP_SECRET: SECRET,
    SMS_KEY,
    SMS_INTERVAL_MS: '0',
    IDLE_TIMEOUT_S: '8',
    MAX_STREAMS: String(STREAMS),
  })
  const server = clientOf(Number(new URL(url).port), await Bun.file(certificate).text())
  await putRules(server, RULES)
  return { ...server, [Symbol.asyncDispose]: stop }
}

async function putRules({ call }: Server, rules: object): Promise<void> {
  const { status } = await call('PUT', `/.settings/rules.json?${OWNER}`, { body: JSON.stringify(rules) })
  expect(status).toBe(200)
}

/** The batch that the calls are about. */
async function record({ call }: Server): Promise<void> {
  const recording = goodCalls.find(({ path }) => path === 'v1/batch/record')
  if (recording === undefined) throw new Error('no call records a batch')
  const { method, target, options } = requestFor(recording)
  expect((await call(method, target, options)).status).toBe(200)
}

/** One connection of HTTP/2. */
function http2({ url, ca }: Server) {
  const session = connect(url, { ca })
  const open = (path: string) => {
    const inbox = new Inbox()
    const stream = session.request({ ':path': path, ...STREAM })
    stream.on('data', (chunk: Buffer) => inbox.body(chunk))
    const ended = new Promise<void>((resolve) => stream.on('close', () => resolve()))
    return { until: inbox.until.bind(inbox), ended }
  }
  return { open, [Symbol.asyncDispose]: async () => session.destroy() }
}

test('a connection whose request is answered or whose stream has ended goes in the end, one with a stream stays', async () => {
  await using server = await serving()
  await record(server)
  await using kept = await openSource(server, '/kept.json')
  await using session = http2(server)
  const [, toDeny] = asked('GET', '/list.json', 403, { headers: STREAM })
  const denied = sendHttp1(server, toDeny)
  await denied.until(({ status }) => status === 403)
  const [keptBeside, shutBeside] = [session.open('/kept.json'), session.open('/shut.json')]
  const [, toShut] = asked('GET', '/shut.json', 200, { headers: STREAM })
  const shut = sendHttp1(server, toShut)
  for (const { until } of [keptBeside, shutBeside, shut]) await until(({ text }) => text.includes('event: put'))

  const answered = cases().map(([name, sent, wanted]) => ({ name, wanted, ...sendHttp1(server, sent) }))
  for (const { name, wanted, until } of answered) {
    const { status } = await until((received) => received.status !== 0)
    expect([name, status]).toEqual([name, wanted])
  }
  await putRules(server, LATER_RULES)
  await shutBeside.ended
  expect(await shut.ended).toBe(true)
  expect((await shut.until(() => true)).text).toEndWith('event: cancel\ndata: Permission denied\n\n')
  await Promise.all([denied, shut, ...answered].map(({ closed }) => closed))

  await server.call('PUT', '/kept.json', { body: '"still heard"' })
  await keptBeside.until(({ text }) => text.includes('still heard'))
  while ((await kept.next()).data !== 'still heard');
})
