import { expect, test } from 'bun:test'
import { startInProcess } from './https-server.ts'

/** Run by `test/unit/structure/get-path.test.ts` with coverage: as many GETs of a leaf as `GETS` says. */
test('GETs of a leaf', async () => {
  await using server = await startInProcess()
  await server.call('PUT', '/rooms/lobby.json', { body: '1' })
  for (let count = Number(process.env['GETS']); count > 0; count--) {
    expect((await server.call('GET', '/rooms/lobby.json')).text).toBe('1')
  }
})
