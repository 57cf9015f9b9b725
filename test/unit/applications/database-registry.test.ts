import { afterEach, expect, spyOn, test } from 'bun:test'
import { DatabaseRegistry } from '../../../src/admin/database-registry.ts'
import type { ApplicationCatalog } from '../../../src/engines/catalog/application-catalog.ts'

/** A registry over settings by name, which counts the questions to the database. */
function registryOf(settings: Map<string, string>) {
  const asked: string[] = []
  const catalog = {
    settings: async (id: string) => {
      asked.push(id)
      return settings.get(id)
    },
  } as Pick<ApplicationCatalog, 'settings'> as ApplicationCatalog
  return { asked, registry: new DatabaseRegistry(async () => catalog) }
}

afterEach(() => clock.mockRestore())
let clock = spyOn(performance, 'now')

/** Sets the monotonic clock. */
function at(ms: number): void {
  clock.mockRestore()
  clock = spyOn(performance, 'now').mockReturnValue(ms)
}

test('a name without an application is remembered for a second', async () => {
  const settings = new Map<string, string>()
  const { asked, registry } = registryOf(settings)
  at(0)
  expect(await registry.find('shop')).toBeUndefined()
  settings.set('shop', '{"open":true}')
  at(999)
  expect(registry.find('shop')).toBeUndefined()
  expect(asked).toEqual(['shop'])
  at(1001)
  expect(await registry.find('shop')).toEqual({ open: true })
  expect(registry.rulesOf('shop')).toBe('open')
  settings.delete('shop')
  expect(await registry.find('shop')).toBeUndefined()
  settings.set('shop', '{}')
  registry.forget('shop')
  expect(await registry.find('shop')).toEqual({})
  expect(registry.rulesOf('shop')).toBe('locked')
})

test('remembered names are bounded, the oldest goes first', async () => {
  const { asked, registry } = registryOf(new Map())
  at(0)
  for (let name = 0; name < 10_001; name++) await registry.find(`a${name}`)
  expect(asked).toHaveLength(10_001)
  expect(registry.find('a10000')).toBeUndefined()
  expect(registry.find('a1')).toBeUndefined()
  expect(asked).toHaveLength(10_001)
  await registry.find('a0')
  expect(asked).toHaveLength(10_002)
})

test('damaged settings are an error that names the application', async () => {
  const { registry } = registryOf(new Map([['shop', '{"open":7}']]))
  await expect(Promise.resolve(registry.find('shop'))).rejects.toThrow('settings of application "shop": ')
})
