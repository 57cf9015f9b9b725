import { expect, test } from 'bun:test'
import { type Observer, silentObserver } from '../../../src/observer.ts'
import { openSource } from '../../support/event-source.ts'
import { startInProcess } from '../../support/https-server.ts'
import { withServer } from '../../support/with-server.ts'
import { OPERATOR } from './console-client.ts'

const heard: string[] = []

/** An observer of the host, whose methods need their object. */
class HostObserver implements Observer {
  readonly #heard = heard
  readonly storeFailed = silentObserver.storeFailed
  readonly storeTroubled = silentObserver.storeTroubled
  readonly requestFailed = silentObserver.requestFailed

  requestEnded({ path, status }: { path: string; status: number }): void {
    this.#heard.push(`${status} ${path}`)
  }

  streamOpened(): void {
    this.#heard.push('stream')
  }
}

const server = withServer(() => startInProcess({ console: { secret: OPERATOR }, observer: new HostObserver() }))

const admin = async (name: string, input: object) => {
  const headers = { Authorization: `Bearer ${OPERATOR}` }
  const reply = await server.call('POST', `/.admin/operations/${name}`, { headers, body: JSON.stringify(input) })
  return { status: reply.status, ...JSON.parse(reply.text) }
}

test('the console of the plugin shows requests and streams, and the host hears of them as before', async () => {
  await server.call('GET', '/a.json')
  await server.call('GET', '/a.json?orderBy=nonsense')
  await using source = await openSource(server, '/a.json')
  await source.next()
  expect(heard).toEqual(expect.arrayContaining(['200 /a.json', '400 /a.json', 'stream']))
  const { result: refused } = await admin('requests-recent', { kind: 'refused' })
  expect(refused).toEqual([expect.objectContaining({ path: '/a.json', status: 400, code: 'bad-order' })])
  const { result: listed } = await admin('streams', {})
  expect(listed).toMatchObject({ total: 1, streams: [{ application: 'app', path: '/a.json' }] })
  expect(await admin('stream-end', { id: listed.streams[0].id })).toMatchObject({ result: { ended: true } })
  expect(await source.nextMessage()).toMatchObject({ name: 'cancel' })
  expect((await admin('metrics-hour', {})).result).toMatchObject({ stepMs: 10_000 })
})

test('backups stay with the host', async () => {
  expect(await admin('backups', {})).toMatchObject({ status: 409 })
  expect(await admin('backup-make', {})).toMatchObject({ status: 409 })
})
