import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { databaseSettings } from '../../support/postgres/server-settings.ts'
import { canWatch } from '../../support/watched-server.ts'
import { type HoldServer, holdListened, OWNER, startHoldServer } from './hold-server.ts'

/** PostgreSQL has a string in one row, whatever its length. */
const TEXT = JSON.stringify('"\n'.repeat(2_600_000))
const RULES = JSON.stringify({
  rules: {
    '.read': true,
    checked: { '.read': "root.child('d/s').val() != 'x'", '.write': "root.child('d/s').val() != 'x'" },
  },
})

describe.skipIf(!canWatch || whyNoPostgres !== undefined)(
  'a string of 10 MB on PostgreSQL does not hold the event loop',
  () => {
    let server: HoldServer
    beforeAll(async () => {
      server = await startHoldServer(databaseSettings())
      await server.send('PUT', '/.settings/rules.json', RULES, OWNER)
      await store()
    })
    afterAll(() => server?.stop())

    const store = async () => {
      await server.send('PUT', '/d.json?print=silent', '{"n":1}', OWNER)
      return server.send('PUT', '/d/s.json?print=silent', TEXT, OWNER)
    }

    test.each<[method: string, target: string, status: number, body?: string | undefined, isStored?: boolean]>([
      ['PUT', '/d/s.json', 200, TEXT],
      ['GET', '/d/s.json', 200],
      ['GET', '/d.json', 200],
      ['PATCH', '/d.json', 200, '{"n":2}'],
      ['GET', '/d.json?orderBy="$value"&limitToLast=1', 200],
      ['GET', '/d.json?orderBy="$key"&limitToLast=1', 200],
      ['GET', '/d.json?shallow=true', 200],
      ['GET', '/checked.json', 200],
      ['PUT', '/checked/a.json', 200, '1'],
      ['PUT', '/d/s/below.json', 200, '1', true],
      ['DELETE', '/d/s/below.json', 200, undefined, true],
      ['PUT', '/d/s/.priority.json', 200, '1', true],
      ['PUT', '/d/s.json', 200, '{".sv":{"increment":1}}', true],
      ['DELETE', '/d/s.json', 200, undefined, true],
    ])('%s %s', async (...[method, target, status, body, isStored]) => {
      const request = async () => {
        if (isStored === true) await store()
        return server.send(method, target, body, target.startsWith('/checked') ? {} : OWNER)
      }
      expect(await server.holdOf(request, status)).toBeLessThan(server.boundMs())
    })

    test.each(['/d/s.json', '/d.json', '/d.json?orderBy="$key"&limitToLast=2'])(
      'written and heard at %s',
      async (heard) => {
        await store()
        const request = () => server.send('PATCH', '/d.json?print=silent', `{"s":${TEXT}}`, OWNER)
        expect(await holdListened(server, heard, request)).toBeLessThan(server.boundMs())
      },
    )
  },
)
