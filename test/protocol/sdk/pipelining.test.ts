import { expect, test } from 'bun:test'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { strictObserver } from '../../support/store.ts'
import { withServer } from '../../support/with-server.ts'
import { DEAR_RULES } from '../../system/security/dear-rules.ts'

/** Transactions so far. */
let transactions = 0

const server = withServer(() =>
  startInProcess({ observer: { ...strictObserver, batchCommitted: () => void transactions++ } }),
)

/** Its rules leave the transaction, because they take long, and come back. */
const DEAR = { a: 1, b: 2, c: 3, d: 4, e: 5 }

async function withRules(rules: string, work: () => Promise<void>): Promise<void> {
  const put = (body: string) => server.call('PUT', `/.settings/rules.json?auth=${encodeURIComponent(SECRET)}`, { body })
  await put(rules)
  try {
    await work()
  } finally {
    await put('{"rules":{".read":true,".write":true}}')
  }
}

/** What is pushed for a commit of the plan: the paths of the writes, in the order of their commits. */
const pathsOf = (received: readonly string[]) =>
  received.flatMap((message) => (/^[dm] \/(small|list) /.exec(message) ? [message.slice(0, 40)] : []))

test('writes in one burst share commits', async () => {
  await using client = await SdkClient.connect(server)
  await client.request('s', {})
  const before = transactions
  const answers = await Promise.all(
    Array.from({ length: 1000 }, (_, at) => client.request('p', { p: `/burst/${at}`, d: at })),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['ok']))
  // Without sharing there would be one for each.
  expect(transactions - before).toBeLessThan(250)
  expect(client.received.filter((message) => message.startsWith('answer'))).toEqual(
    Array.from({ length: 1001 }, (_, at) => `answer ${at + 1} ok`),
  )
})

test('writes whose rules take long are not overtaken by later ones of the session', async () => {
  await withRules(DEAR_RULES, async () => {
    await using watcher = await SdkClient.connect(server)
    await watcher.request('q', { p: '/', h: '' })
    await using client = await SdkClient.connect(server)
    const plan: (readonly [path: string, data: unknown])[] = []
    for (let at = 0; at < 24; at++) {
      const isDear = at % 5 === 1 || at % 7 === 3
      plan.push(isDear ? ['/list', { ...DEAR, a: at }] : ['/small', at])
    }
    watcher.take()
    const answers = plan.map(([path, data]) => client.request('p', { p: path, d: data }))
    for (const { status } of await Promise.all(answers)) expect(status).toBe('ok')
    expect(client.received).toEqual(plan.map((_, at) => `answer ${at + 1} ok`))
    expect(pathsOf(await watcher.first(plan.length))).toEqual(
      plan.map(([path, data]) => `d ${path} ${JSON.stringify(data)}`.slice(0, 40)),
    )
  })
})

test('a refused write does not keep the others back, nor take them with it', async () => {
  await withRules(DEAR_RULES, async () => {
    await using client = await SdkClient.connect(server)
    const answers = await Promise.all([
      client.request('p', { p: '/small', d: 1 }),
      client.request('p', { p: '/refused', d: 1 }),
      client.request('p', { p: '/list', d: DEAR }),
      client.request('p', { p: '/ref.used', d: 1 }),
      client.request('m', { p: '/', d: { small: 2 } }),
      client.request('g', { p: '/small', q: {} }),
      client.request('p', { p: '/small', d: 3 }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([
      'ok',
      'permission_denied',
      'ok',
      'invalid_path',
      'ok',
      'ok',
      'ok',
    ])
    expect(answers[5]?.data).toBe(2)
  })
})

test('a conditional write sees the write in front of it', async () => {
  await using client = await SdkClient.connect(server)
  await client.request('q', { p: '/n', h: '' })
  client.take()
  const one = 'YPVfR2bXt/lcDjiQZ8pOkAd3qkQ='
  const answers = await Promise.all([
    client.request('p', { p: '/n', d: 1 }),
    client.request('p', { p: '/n', d: 2, h: one }),
    client.request('p', { p: '/n', d: 3, h: one }),
  ])
  expect(answers.map(({ status }) => status)).toEqual(['ok', 'ok', 'datastale'])
  expect(client.received).toEqual(['d /n 1', 'd /n 2', 'answer 2 ok', 'answer 3 ok', 'answer 4 datastale'])
})

test('a long write among short ones keeps its place', async () => {
  await using client = await SdkClient.connect(server)
  const long = 'x'.repeat(300_000)
  const answers = [
    client.request('p', { p: '/place', d: 1 }),
    client.request('p', { p: '/place', d: long }),
    client.request('p', { p: '/place/part', d: 2 }),
    client.request('g', { p: '/place', q: {} }),
  ]
  const all = await Promise.all(answers)
  expect(all.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok'])
  expect(all[3]?.data).toEqual({ part: 2 })
})

test('a write is told to each of many listens before its answer', async () => {
  await server.call('PUT', '/many.json', { body: '{"a":{"b":0}}' })
  await using client = await SdkClient.connect(server)
  const paths = ['/many/a/b', ...Array.from({ length: 40 }, (_, at) => `/other/${at}`)]
  for (const p of paths) await client.request('q', { p, h: '' })
  // Without queries the widest one alone would send it.
  const wider = ['/', '/many', '/many/a']
  for (const [t, p] of wider.entries()) await client.request('q', { p, h: '', t, q: { i: '.key' } })
  for (const p of paths.slice(20)) await client.request('n', { p })
  client.take()
  const { status } = await client.request('p', { p: '/many/a/b', d: 1 })
  expect(status).toBe('ok')
  const told = ['d /many/a/b #0 1', 'd /many/a/b #1 1', 'd /many/a/b #2 1', 'd /many/a/b 1']
  expect(client.received.toSorted()).toEqual([`answer ${2 * paths.length - 16} ok`, ...told])
  expect(client.take().at(-1)).toStartWith('answer')
})
