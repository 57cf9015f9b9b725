import '../../support/long-lane.ts'
import { beforeAll, expect, test } from 'bun:test'
import { type HttpsClient, SECRET, startInProcess } from '../../support/https-server.ts'
import { customToken, nowInSeconds } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'
import { type Documented, fetchDocument, operationsOf, responseOf } from './document.ts'
import { OPEN_RULES, OWNER } from './good-requests.ts'

const server = withServer(() => startInProcess({ docs: true }))
let operations: Documented[]

beforeAll(async () => {
  operations = operationsOf(await fetchDocument(server))
})

const accept = { Accept: 'text/event-stream' }

function request(on: HttpsClient, target: string, headers: Record<string, string> = {}): Promise<Response> {
  const init = { headers: { ...accept, ...headers }, redirect: 'manual', tls: { ca: on.ca } } as const
  return fetch(on.url + target, init)
}

/** Events as they come, with `meanwhile` done after the first. Ends the stream. */
async function read(reply: Response, count: number, meanwhile: () => Promise<void>): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of reply.body ?? []) {
    if (text === '') await meanwhile()
    text += decoder.decode(chunk, { stream: true })
    if (text.split('\n\n').length > count) break
  }
  return text
}

function examplesOf({ operation }: Documented): Record<string, { value: string } | undefined> {
  const { examples } = responseOf(operation, 200)?.content?.['text/event-stream'] ?? {}
  return (examples ?? {}) as Record<string, { value: string }>
}

function isStreamed({ operation }: Documented): boolean {
  return responseOf(operation, 200)?.content?.['text/event-stream'] !== undefined
}

/** The operation whose examples are tried. */
function getNode(): Documented {
  const found = operations.find(({ operation }) => operation.operationId === 'getNode')
  if (found === undefined) throw new Error('no node is read')
  return found
}

test('streams are opened where they are documented, and nowhere else', async () => {
  for (const documented of operations.filter(({ method }) => method === 'GET')) {
    const reply = await request(server, documented.target)
    const type = reply.headers.get('content-type')?.split(';')[0] ?? ''
    const known = responseOf(documented.operation, reply.status)?.content ?? {}
    expect(Object.keys(known), documented.target).toContain(type)
    expect({ target: documented.target, type }).toMatchObject(
      isStreamed(documented) ? { type: 'text/event-stream' } : { type: 'application/json' },
    )
    await reply.body?.cancel()
  }
})

test('streams tell what the examples show, to the letter', async () => {
  const node = getNode()
  const { whole, numbered } = examplesOf(node)
  const alice = '{"name":"Alice","age":30,"tags":{"admin":true}}'
  await server.call('PUT', node.target, { body: alice })
  const told = await read(await request(server, node.target), 3, async () => {
    await server.call('DELETE', node.target.replace('.json', '/tags/admin.json'))
    await server.call('PATCH', node.target, { body: '{"age":31,"tags/editor":true}' })
  })
  expect(told).toBe(whole?.value ?? '')
  await server.call('PUT', node.target, { body: alice })
  const shaped = (text = '') => text.replace(/^id: [-\w]{22}$/m, 'id')
  for (const [query, headers] of [['?resume=true', {}] as const, ['', { 'Last-Event-ID': 'somewhere' }] as const]) {
    const first = await read(await request(server, node.target + query, headers), 1, async () => {})
    expect(shaped(first)).toBe(shaped(numbered?.value))
  }
})

test('streams say that nothing has happened as the example does', async () => {
  await using hasty = await startInProcess({ streams: { keepAliveMs: 8 } })
  const told = await read(await request(hasty, '/silent.json'), 2, async () => {})
  expect(told.split('\n\n')[1]).toBe(examplesOf(getNode())['silence']?.value.trimEnd())
})

test('streams end as the examples do', async () => {
  const node = getNode()
  const { denied, revoked } = examplesOf(node)
  await server.call('PUT', node.target, { body: '{"name":"Alice","age":30,"tags":{"admin":true}}' })
  const setRules = async (body: string) => {
    await server.call('PUT', '/.settings/rules.json', { headers: OWNER, body })
  }
  const toEnd = Number.POSITIVE_INFINITY
  const cancelled = await request(server, node.target)
  expect(await read(cancelled, toEnd, () => setRules('{"rules":{}}'))).toBe(denied?.value ?? '')
  await setRules(OPEN_RULES)
  const token = customToken(SECRET, { uid: 'alice', exp: nowInSeconds() + 3 })
  const expiring = await request(server, `${node.target}?auth=${token}`)
  expect(await read(expiring, toEnd, async () => {})).toBe(revoked?.value ?? '')
})

test('streams are sent elsewhere where another host serves them', async () => {
  const streamHost = 'https://streams.example.org'
  await using moved = await startInProcess({ streamHost })
  for (const documented of operations.filter(isStreamed)) {
    const reply = await request(moved, `${documented.target}?print=pretty`)
    expect(reply.status).toBe(307)
    expect(Object.keys(responseOf(documented.operation, 307)?.headers ?? {})).toEqual(['Location'])
    expect(reply.headers.get('location')).toBe(`${streamHost}${documented.target}?print=pretty`)
    expect(await reply.text()).toBe('')
  }
  expect(operations.filter(({ operation }) => responseOf(operation, 307) !== undefined)).toEqual(
    operations.filter(isStreamed),
  )
})
