import { expect, test } from 'bun:test'
import { SECRET } from '../../support/https-server.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { customToken } from '../../support/token.ts'
import { fetchDocument, operationsOf } from './document.ts'
import { expectDocumented } from './expectations.ts'

test('the server documents its metrics, and answers as it says', async () => {
  await using server = await spawnServer({ APP_SECRET: SECRET })
  const client = await clientOfProcess(server)
  const document = await fetchDocument(client)
  const operations = operationsOf(document).filter(({ path }) => path === '/metrics')
  expect(operations.map(({ method }) => method).toSorted()).toEqual(['GET', 'HEAD', 'OPTIONS'])
  const credentials: Readonly<Record<string, number>> = {
    [SECRET]: 200,
    wrong: 401,
    [customToken(SECRET, { uid: 'ann' })]: 403,
    [customToken(SECRET, { uid: 'ann', exp: 1 })]: 401,
  }
  for (const documented of operations) {
    for (const [credential, status] of Object.entries(credentials)) {
      const answer = await client.call(documented.method, `/metrics?auth=${encodeURIComponent(credential)}`)
      expect(answer.status).toBe(documented.method === 'OPTIONS' ? 204 : status)
      expectDocumented(documented, answer)
    }
    expectDocumented(documented, await client.call(documented.method, '/metrics'))
  }
})
