import { expect, test } from 'bun:test'
import { SdkClient } from '../../support/sdk-client.ts'
import { wide } from '../../support/store.ts'
import { withServer } from '../../support/with-server.ts'

const server = withServer()

/** Children of a node that is read and hashed outside the transaction. */
const CHILDREN = 3000

const sha1 = (text: string): string => new Bun.CryptoHasher('sha1').update(text).digest('base64')

/** As clients compute it, of objects without priorities, numbers and texts. */
function hashOf(value: unknown): string {
  if (typeof value === 'string') return sha1(`string:${value}`)
  if (typeof value === 'number') {
    const view = new DataView(new ArrayBuffer(8))
    view.setFloat64(0, value)
    return sha1(`number:${view.getBigUint64(0).toString(16).padStart(16, '0')}`)
  }
  const children = Object.entries(value as object)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, child]) => `:${key}:${hashOf(child)}`)
  return sha1(children.join(''))
}

const large = wide(CHILDREN, (index) => ({ n: index }))
const put = (path: string, json: unknown) => server.call('PUT', path, { body: JSON.stringify(json) })

test('a large node is replaced where its hash is right, and only there', async () => {
  await put('/large.json', large)
  await using client = await SdkClient.connect(server)
  const right = hashOf(large)
  expect((await client.request('p', { p: '/large', d: { a: 1 }, h: hashOf({ a: 0 }) })).status).toBe('datastale')
  expect((await client.request('p', { p: '/large', d: { a: 1 }, h: right })).status).toBe('ok')
  expect((await client.request('p', { p: '/large', d: { a: 2 }, h: right })).status).toBe('datastale')
  expect((await server.call('GET', '/large.json')).text).toBe('{"a":1}')
})

test('conditional sets of a large node are decided one after the other', async () => {
  await put('/large.json', large)
  const clients = await Promise.all(Array.from({ length: 4 }, () => SdkClient.connect(server)))
  const h = hashOf(large)
  const answers = await Promise.all(
    clients.flatMap((client, at) => [
      client.request('p', { p: '/large', d: { winner: at }, h }),
      client.request('p', { p: '/small', d: at }),
    ]),
  )
  const statuses = answers.flatMap(({ status }, at) => (at % 2 === 0 ? [status] : []))
  expect(statuses.toSorted()).toEqual(['datastale', 'datastale', 'datastale', 'ok'])
  const winner = statuses.indexOf('ok')
  expect((await server.call('GET', '/large.json')).text).toBe(JSON.stringify({ winner }))
  for (const client of clients) await client[Symbol.asyncDispose]()
})

test('long strings are hashed in pieces that split no character', async () => {
  const text = 'x🐕'.repeat(60_000)
  await put('/text.json', text)
  await using client = await SdkClient.connect(server)
  expect((await client.request('p', { p: '/text', d: 'new', h: hashOf(text) })).status).toBe('ok')
})
