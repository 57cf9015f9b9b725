import { expect, test } from 'bun:test'
import type { Database } from '../../../../src/database/database.ts'
import { Contention } from '../../../../src/http/sdk/requests/contention.ts'
import { SessionWrites } from '../../../../src/http/sdk/requests/session-writes.ts'
import { OK } from '../../../../src/http/sdk/session/messages.ts'
import { Requests } from '../../../../src/http/sdk/session/requests.ts'
import { MailboxBound } from '../../../../src/hub/mailbox.ts'
import { openTree } from '../../../../src/open-tree.ts'
import { tempDir } from '../../../support/temp-dir.ts'

const HASH = 'A'.repeat(28)

test('the conditional sets of a client that has left wait for no other client, and make none wait', async () => {
  const put: string[] = []
  const database = {
    put: async (_: unknown, data: string) => {
      put.push(data)
      return { kind: 'mismatch' }
    },
  } as unknown as Database
  const contention = Contention.of(database)
  // It has lost so often that the others wait for it for two seconds.
  const other = {}
  for (let loss = 0; loss < 10; loss++) contention.left(other, ['n'], 'lost')
  const writes = new SessionWrites(database, {
    access: () => ({}),
    reported: () => undefined,
    failed: () => OK,
    answer: () => {},
    together: (work) => work(),
  })
  const take = (number: number) => {
    const body = { p: '/n', d: `value ${number}`, h: HASH }
    return writes.take({ number, action: 'p', body }, 100)
  }
  const waiting = take(1)
  expect(put).toEqual([])
  writes.close()
  await waiting
  const later = [take(2), take(3)]
  expect(put).toEqual(['value 1', 'value 2', 'value 3'])
  await Promise.all(later)
  await writes.ended
  expect(contention.size).toBe(1)
})

test('a client that leaves while its credential is being verified leaves no listen behind', async () => {
  await using dir = await tempDir()
  const database = openTree({ file: `${dir.path}/tree.db` })
  const verified = Promise.withResolvers<object>()
  let listens = 0
  const requests = new Requests(
    database,
    {
      id: 'client',
      bound: new MailboxBound(1000),
      streams: { add: () => ++listens, delete: () => void listens-- },
      applicationId: 'app',
      address: undefined,
      uid: undefined,
      reserve: () => ({ resize() {}, release() {} }),
      push: () => undefined,
      lost: () => {},
      abort: () => {},
      access: () => verified.promise,
      signIn: () => Promise.reject(new Error('nobody signs in')),
      signOut: async () => {},
    },
    10,
  )
  const asked = Promise.resolve(requests.answer({ number: 1, action: 'q', body: { p: '/a', h: '' } }))
  requests.close()
  verified.resolve({})
  await asked.catch(() => {})
  expect(listens).toBe(0)
  await database.put(['a'], 1)
  expect(database.isWatched).toBe(false)
  await database.close()
})
