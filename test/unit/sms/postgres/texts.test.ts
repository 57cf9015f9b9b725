import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { decodeText, encodeText } from '../../../../src/sms/postgres/stored-text.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { deliver, leaseOf, openMessages } from '../../../support/postgres/messages.ts'

const anyText = fc.string({ unit: fc.constantFrom('"', '\0', '\\', 'a', '{', ',', '\ud800', '\udc00', '\u00e9') })

test('a stored text can be stored, comes back, and is of one text alone', () => {
  fc.assert(
    fc.property(anyText, anyText, (one, other) => {
      const stored = encodeText(one)
      expect(stored).not.toContain('\0')
      expect(stored.isWellFormed()).toBe(true)
      expect(decodeText(stored)).toBe(one)
      expect(stored === encodeText(other)).toBe(one === other)
    }),
  )
  expect(encodeText('13800138000')).toBe('13800138000')
})

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'texts of messages on PostgreSQL', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
  })
  afterAll(() => database.close())

  test('halves of surrogate pairs are told apart', async () => {
    await using opened = await openMessages(database, 'halves')
    const mobiles = ['\ud800', '\ud801', '\udc00', 'a\ud800', '\ufffd']
    await deliver(opened.store, mobiles)
    expect((await leaseOf(opened.store)).mobiles).toEqual(mobiles)
    expect((await opened.store.export(undefined, 10)).records.map(({ mobile }) => mobile)).toEqual(mobiles)
  })

  test('a text that is too long for an index is refused, and a long one is not', async () => {
    await using opened = await openMessages(database, 'long')
    const { store } = opened
    // Random, so that nothing can compress it.
    const random = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64url')
    const long = random(1350)
    await deliver(store, [long])
    expect((await leaseOf(store)).mobiles).toEqual([long])
    const contradicting = { state: 3, code: 'x'.repeat(64), receivedAt: 1_700_000_000_000 } as const
    const { records } = await store.export(undefined, 1)
    const message = { rrid: records[0]?.rrid ?? '', mobile: long }
    expect(await store.report([{ message, ...contradicting }])).toMatchObject({ ignored: 1 })
    const tooLong = [random(3000), '\0'.repeat(400)]
    for (const mobile of tooLong) {
      await expect(store.record({ mobiles: ['1', mobile] })).rejects.toMatchObject({ code: 'sms-bad-arguments' })
    }
    expect(await store.counts()).toMatchObject({ notSent: 0, delivered: 1, reportsContradicting: 1 })
  })
})
