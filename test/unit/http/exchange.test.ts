import { expect, test } from 'bun:test'
import { Database } from '../../../src/database/database.ts'
import { databaseSettings } from '../../support/database-settings.ts'
import { openTestStore } from '../../support/engine.ts'
import { exchangeOf } from '../../support/exchange.ts'
import { tempDir } from '../../support/temp-dir.ts'

const RULES = '{"rules":{"open":{".read":true}}}'

test('the rules apply to a request whose credential was not checked', async () => {
  await using dir = await tempDir()
  const store = await openTestStore(dir.file('tree'), {})
  await using database = new Database(store, { ...databaseSettings, rules: RULES })
  const exchange = exchangeOf(new Request('https://localhost/closed.json'))
  const read = async (path: string) => await database.node(path, exchange)
  await expect(read('/open')).resolves.toBeUndefined()
  await expect(read('/closed')).rejects.toMatchObject({ code: 'permission-denied' })
})
