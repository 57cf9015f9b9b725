import { afterAll, beforeAll, expect, test } from 'bun:test'
import { MEANINGS } from '../../../packaging/documents/metrics.ts'
import { mobiles, pushed, SmsClient } from '../../protocol/sms/calls.ts'
import { openSource } from '../../support/event-source.ts'
import { http2Client } from '../../support/http2-client.ts'
import { SECRET } from '../../support/https-server.ts'
import { longTest } from '../../support/lane.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { wide } from '../../support/store.ts'
import { customToken } from '../../support/token.ts'
import { attacks } from '../abuse/attacks.ts'
import { parsePage } from './page.ts'
import { OWNER, startWatched, type WatchedServer } from './watched-server.ts'

let server: WatchedServer

beforeAll(async () => {
  server = await startWatched({ FAILED_CREDENTIALS: '0' })
})

afterAll(() => server[Symbol.asyncDispose]())

/** By how much each value has grown meanwhile; what has not is left out. */
async function growth(action: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
  const before = await server.scrape()
  await action()
  const after = await server.scrape()
  return new Map(
    [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const).filter(([, by]) => by > 0),
  )
}

const LIST = JSON.stringify(wide(200, (at) => ({ height: at })))
const DENIED = `{"rules":{".read":true,".write":"auth != null"}}`
const OPEN = `{"rules":{".read":true,".write":true}}`

const call = (method: string, target: string, body?: string, headers?: Record<string, string>) => () =>
  server.call(method, target, { body, headers })

/** What is done, and what must have grown by how much; `undefined` by any amount. */
const MOVES: readonly (readonly [
  what: string,
  action: () => Promise<unknown>,
  grown: Readonly<Record<string, number | undefined>>,
])[] = [
  [
    'PUT',
    call('PUT', '/a.json', '{"b":"é"}'),
    {
      'dhole_requests_total{operation="put",status="2xx"}': 1,
      'dhole_request_bytes_total{operation="put"}': 10,
      'dhole_response_bytes_total{operation="put"}': 10,
      'dhole_request_seconds_count{operation="put"}': 1,
      'dhole_request_seconds_sum{operation="put"}': undefined,
      // The write, and the check whether one would succeed, for the page.
      dhole_commit_jobs_sum: 2,
      dhole_commit_seconds_count: undefined,
      dhole_sync_seconds_count: undefined,
      dhole_sync_seconds_sum: undefined,
      process_cpu_seconds_total: undefined,
    },
  ],
  [
    'GET',
    call('GET', '/a.json'),
    { 'dhole_requests_total{operation="get",status="2xx"}': 1, 'dhole_response_bytes_total{operation="get"}': 10 },
  ],
  [
    'a body without a length',
    () => server.call('PUT', '/a.json', { body: new Response('"12345"').body ?? undefined }),
    { 'dhole_request_bytes_total{operation="put"}': 7 },
  ],
  ['POST', call('POST', '/l.json', '1'), { 'dhole_requests_total{operation="post",status="2xx"}': 1 }],
  ['PATCH', call('PATCH', '/a.json', '{"c":1}'), { 'dhole_requests_total{operation="patch",status="2xx"}': 1 }],
  ['DELETE', call('DELETE', '/a.json'), { 'dhole_requests_total{operation="delete",status="2xx"}': 1 }],
  [
    'a method in place of another',
    call('POST', '/a.json', '1', { 'X-HTTP-Method-Override': 'PUT' }),
    { 'dhole_requests_total{operation="put",status="2xx"}': 1 },
  ],
  ['count', call('GET', '/a.json?count=true'), { 'dhole_requests_total{operation="count",status="2xx"}': 1 }],
  ['shallow', call('GET', '/a.json?shallow=true'), { 'dhole_requests_total{operation="shallow",status="2xx"}': 1 }],
  ['a preflight', call('OPTIONS', '/a.json'), { 'dhole_requests_total{operation="options",status="2xx"}': 1 }],
  [
    'settings',
    call('GET', '/.settings/rules.json', undefined, OWNER),
    { 'dhole_requests_total{operation="settings",status="2xx"}': 1 },
  ],
  [
    'an exchange of a token',
    call('POST', '/.auth/customTokenToIdToken.json', JSON.stringify({ token: customToken(SECRET, { uid: 'ann' }) })),
    { 'dhole_requests_total{operation="token",status="2xx"}': 1 },
  ],
  [
    'an exchange of nothing',
    call('POST', '/.auth/customTokenToIdToken.json', '{}'),
    { 'dhole_requests_total{operation="token",status="4xx"}': 1, 'dhole_errors_total{code="token-missing"}': 1 },
  ],
  ['health', call('GET', '/health'), { 'dhole_requests_total{operation="system",status="2xx"}': undefined }],
  [
    'a wrong credential',
    call('GET', '/a.json?auth=wrong'),
    {
      'dhole_requests_total{operation="get",status="4xx"}': 1,
      'dhole_errors_total{code="bad-token"}': 1,
      dhole_credential_failures_total: 1,
    },
  ],
  [
    'no credential for the metrics',
    call('GET', '/metrics'),
    { 'dhole_requests_total{operation="system",status="4xx"}': 1, 'dhole_errors_total{code="bad-token"}': 1 },
  ],
  [
    'the pages',
    async () => {
      for (const path of ['/swagger', '/swagger/json', '/swagger/start.js', '/docs/live.js'])
        await server.call('GET', path)
      await server.call('POST', '/swagger')
    },
    {
      'dhole_requests_total{operation="docs",status="2xx"}': 4,
      'dhole_requests_total{operation="docs",status="4xx"}': 1,
      'dhole_request_seconds_count{operation="docs"}': 5,
      'dhole_response_bytes_total{operation="docs"}': undefined,
    },
  ],
  [
    'a file of the pages',
    call('GET', '/docs/live.css'),
    {
      'dhole_response_bytes_total{operation="docs"}': Bun.file(
        new URL('../../../src/http/docs/live/style.css', import.meta.url),
      ).size,
    },
  ],
  ['a path of nothing', call('GET', '/nothing'), { 'dhole_requests_total{operation="other",status="4xx"}': 1 }],
  [
    'a call that is not there',
    call('GET', '/api/v1/app/none'),
    { 'dhole_requests_total{operation="sms-other",status="4xx"}': 1 },
  ],
  [
    'a connection of an SDK',
    async () => {
      const client = await SdkClient.connect(server)
      await client.request('q', { p: '/sdk', h: '' })
      await client.request('p', { p: '/sdk', d: 1 })
      await client.request('p', { p: '/sdk', d: 2, h: 'stale' })
      expect((await server.scrape()).get('dhole_connections_open{carrier="websocket"}')).toBe(1)
      expect((await server.scrape()).get('dhole_listens_open')).toBe(1)
      client.close()
      while ((await server.scrape()).get('dhole_connections_open{carrier="websocket"}') !== 0);
      await server.call('DELETE', '/sdk.json')
    },
    {
      'dhole_requests_total{operation="socket",status="2xx"}': 1,
      'dhole_connections_opened_total{carrier="websocket"}': 1,
      'dhole_connections_ended_total{cause="left"}': 1,
      'dhole_messages_total{direction="received"}': 3,
      // The hello, three answers, the beginning of the listen and the write.
      'dhole_messages_total{direction="sent"}': 6,
      'dhole_message_bytes_total{direction="received"}': 169,
      'dhole_message_answers_total{status="ok"}': 2,
      'dhole_message_answers_total{status="datastale"}': 1,
    },
  ],
  [
    'what rules deny',
    async () => {
      await server.call('PUT', '/.settings/rules.json', { headers: OWNER, body: DENIED })
      await server.call('PUT', '/a.json', { body: '1' })
      await server.call('PUT', '/.settings/rules.json', { headers: OWNER, body: OPEN })
    },
    { 'dhole_denials_total{operation="put"}': 1, 'dhole_errors_total{code="permission-denied"}': 1 },
  ],
  [
    'the first query of a list',
    async () => {
      await server.call('PUT', '/list.json', { body: LIST })
      await server.call('GET', '/list.json?orderBy="height"&limitToLast=1')
    },
    {
      'dhole_requests_total{operation="query",status="2xx"}': 1,
      dhole_index_builds_total: 1,
      dhole_index_build_seconds_count: 1,
      dhole_index_rows_total: 200,
    },
  ],
  [
    'text messages',
    async () => {
      const client = new SmsClient((method, target, options) => server.call(method, target, options))
      const [first = '', second = ''] = mobiles(2)
      const rrid = await client.record([first, second], { rrid: 'one' })
      // The same once more is nothing new.
      await client.record([first, second], { rrid: 'one' })
      await client.report(pushed(rrid, first), pushed('nobody', first))
      await client.statuses(rrid)
      await client.news()
    },
    {
      dhole_sms_recorded_total: 2,
      'dhole_sms_reports_total{result="accepted"}': 1,
      'dhole_sms_reports_total{result="ignored"}': 1,
      'dhole_requests_total{operation="sms-record",status="2xx"}': 2,
      'dhole_requests_total{operation="sms-report",status="2xx"}': 1,
      'dhole_requests_total{operation="sms-batch",status="2xx"}': 1,
      'dhole_requests_total{operation="sms-status",status="2xx"}': 1,
    },
  ],
]

test.each(MOVES)('%s is counted', async (_, action, grown) => {
  const by = await growth(action)
  for (const [name, amount] of Object.entries(grown)) {
    expect({ name, by: amount === undefined ? by.has(name) : by.get(name) }).toEqual({ name, by: amount ?? true })
  }
})

test('a stream is counted while it is open, and its bytes as they are written', async () => {
  const before = await server.scrape()
  const source = await openSource(server, '/streamed.json')
  await source.next()
  await server.call('PUT', '/streamed.json', { body: '1' })
  await source.next()
  const during = await server.scrape()
  const grown = (name: string) => (during.get(name) ?? 0) - (before.get(name) ?? 0)
  expect(grown('dhole_streams_open')).toBe(1)
  expect(grown('dhole_streams_opened_total')).toBe(1)
  expect(grown('dhole_stream_bytes_total')).toBe(source.received)
  expect(grown('dhole_requests_total{operation="stream",status="2xx"}')).toBe(1)
  await source[Symbol.asyncDispose]()
  while ((await server.scrape()).get('dhole_streams_open') !== before.get('dhole_streams_open')) await Bun.sleep(1)
})

test('a long answer is counted as it is taken, of whatever operation', async () => {
  // Two bytes a character, and more than the listener is given at a time.
  const text = JSON.stringify('é'.repeat(1_500_000))
  const bytes = Buffer.byteLength(text)
  const [get, put, shallow] = ['get', 'put', 'shallow'].map((name) => `dhole_response_bytes_total{operation="${name}"}`)
  const written = await growth(() => server.call('PUT', '/long.json', { body: text }))
  expect(written.get(put ?? '')).toBe(bytes)
  const read = await growth(() => server.call('GET', '/long.json'))
  expect(read.get(get ?? '')).toBe(bytes)
  const target = '/long.json?format=export&readSizeLimit=unlimited'
  const whole = await growth(() => server.call('GET', target, { headers: OWNER }))
  expect(whole.get(get ?? '')).toBe(bytes)
  const wrapped = await growth(() => server.call('GET', '/long.json?callback=f'))
  expect(wrapped.get(get ?? '')).toBe(Buffer.byteLength(`/**/f(${text});`))
  expect((await growth(() => server.call('HEAD', '/long.json'))).get(get ?? '')).toBeUndefined()
  const leaf = await growth(() => server.call('GET', '/long.json?shallow=true'))
  expect([leaf.get(shallow ?? ''), leaf.get(get ?? '')]).toEqual([bytes, undefined])
  await server.call('DELETE', '/long.json')
})

test('what is handed over is counted once that is written down', async () => {
  const before = await server.scrape()
  const client = new SmsClient((method, target, options) => server.call(method, target, options))
  const [mobile = ''] = mobiles(1)
  const rrid = await client.record([mobile])
  await client.report(pushed(rrid, mobile))
  expect(JSON.parse((await client.news()).text).data).toHaveLength(1)
  while ((await server.scrape()).get('dhole_sms_returned_total') === before.get('dhole_sms_returned_total'))
    await Bun.sleep(1)
})

test('moving the log into the file is counted', async () => {
  const before = await server.scrape()
  const count = async (letter: string) => {
    // The same once more would not be written.
    const body = JSON.stringify(letter.repeat(6 * 1024 * 1024))
    await server.call('PUT', '/big.json', { body })
    return (await server.scrape()).get('dhole_checkpoint_seconds_count')
  }
  const none = before.get('dhole_checkpoint_seconds_count')
  while ((await count('x')) === none && (await count('y')) === none);
  expect((await server.scrape()).get('dhole_checkpoint_bytes_total')).toBeGreaterThan(16 * 1024 * 1024)
  await server.call('DELETE', '/big.json')
})

test('what is broken off before its turn has come is counted as refused, and not begun', async () => {
  const total = (status: string, values: ReadonlyMap<string, number>) =>
    values.get(`dhole_requests_total{operation="get",status="${status}"}`) ?? 0
  const before = await server.scrape()
  const grown = async () => {
    const now = await server.scrape()
    return { begun: total('2xx', now) - total('2xx', before), not: total('4xx', now) - total('4xx', before) }
  }
  // One packet may come in several turns, each of which has time for all of its part.
  for (let expected = 300; ; expected += 300) {
    const socket = attacks['HTTP/2 streams begun and reset']({ port: server.port, from: '127.0.0.1' })
    let now = await grown()
    while (now.begun + now.not < expected) now = await grown()
    socket.destroy()
    expect(now.begun + now.not).toBe(expected)
    if (now.not > 0) break
  }
})

test('the page is what Prometheus reads, and tells of the process', async () => {
  const { text, headers } = await server.call('GET', '/metrics', { headers: OWNER })
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const families = parsePage(text)
  for (const [name, { type, samples }] of families) {
    expect(name.endsWith('_total')).toBe(type === 'counter')
    const labels = [...samples.keys()].flatMap((line) => [...line.matchAll(/([a-z_]+)="/g)].map(([, label]) => label))
    const documented = Object.keys(MEANINGS[name]?.labels ?? {})
    expect({ name, labels: [...new Set(labels)].filter((label) => label !== 'le') }).toEqual({
      name,
      labels: documented,
    })
  }
  const values = await server.scrape()
  expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(10 * 1024 * 1024)
  expect(values.get('process_open_fds')).toBeGreaterThan(5)
  expect(values.get('process_max_fds')).toBeGreaterThan(values.get('process_open_fds') ?? 0)
  expect(values.get('process_start_time_seconds')).toBeLessThanOrEqual(Date.now() / 1000)
  expect(values.get('dhole_applications_open')).toBe(1)
  expect(values.has('dhole_event_loop_delay_seconds{quantile="0.99"}')).toBe(true)
})

longTest('no client can add lines to the page', async () => {
  await using client = http2Client(server.url, server.ca)
  const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'PROPFIND', 'LOCK', 'TRACE', 'REPORT', 'PURGE']
  const ask = (at: number) => {
    const method = methods[at % methods.length] ?? 'GET'
    const suffix = ['.json', '.json?ns=none', '', '.json?auth=x', '.json?print=loud'][Math.floor(at / 10) % 5] ?? ''
    const headers = { 'x-http-method-override': `M${at}`, 'x-request-id': `id-${at}` }
    return client.call(method, `/p${at}/q${suffix}`, { headers, body: method.startsWith('P') ? String(at) : undefined })
  }
  const round = async (from: number, to: number) => {
    for (let at = from; at < to; at += 50) await Promise.all(Array.from({ length: 50 }, (_, more) => ask(at + more)))
    return [...(await server.scrape()).keys()]
  }
  const few = await round(0, 100)
  expect(await round(100, 10_100)).toEqual(few)
})
