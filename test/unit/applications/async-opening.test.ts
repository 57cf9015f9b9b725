import { describe, expect, test } from 'bun:test'
import type { Application, ApplicationParts } from '../../../src/applications/application.ts'
import { Applications } from '../../../src/applications/applications.ts'

/** Applications whose parts arrive when the test says so. */
function scene({ maxOpen = 10, known = ['a', 'b'] } = {}) {
  const openings: { id: string; done(): void; fail(error: unknown): void }[] = []
  const finds: string[] = []
  const errors: string[] = []
  const closed: string[] = []
  const applications = new Applications({
    find: async (id) => {
      finds.push(id)
      await new Promise(setImmediate)
      if (!known.includes(id)) return undefined
      return () => {
        const { promise, resolve, reject } = Promise.withResolvers<ApplicationParts>()
        const database = { isWatched: false, close: async () => void closed.push(id), endStreams() {} }
        openings.push({ id, done: () => resolve({ database } as unknown as ApplicationParts), fail: reject })
        return promise
      }
    },
    defaultId: undefined,
    baseDomain: undefined,
    idleMs: Number.POSITIVE_INFINITY,
    maxOpen,
    onError: (id, error) => void errors.push(`${id}: ${String(error)}`),
  })
  const choose = async (name: string): Promise<Application> => applications.choose(name, '')
  const opening = async (count: number) => {
    while (openings.length < count) await new Promise(setImmediate)
    return openings[count - 1]!
  }
  return { applications, choose, opening, openings, errors, closed }
}

describe('an application that opens asynchronously', () => {
  test('is opened once for all requests that wait for it', async () => {
    const here = scene()
    const requests = [here.choose('a'), here.choose('a'), here.choose('a')]
    const opening = await here.opening(1)
    const late = here.choose('a')
    opening.done()
    const [first, ...others] = await Promise.all([...requests, late])
    expect(others.every((other) => other === first)).toBe(true)
    expect(here.openings).toHaveLength(1)
    expect(here.applications.choose('a', '')).toBe(first!)
    await here.applications.close()
    expect(here.closed).toEqual(['a'])
  })

  test('that cannot be opened is unavailable, and the next request tries again', async () => {
    const here = scene()
    const request = here.choose('a')
    ;(await here.opening(1)).fail(new Error('no connection'))
    expect(request).rejects.toMatchObject({ code: 'unavailable' })
    await request.catch(() => {})
    expect(here.errors).toEqual(['a: Error: no connection'])
    const again = here.choose('a')
    ;(await here.opening(2)).done()
    expect((await again).id).toBe('a')
  })

  test('that does not exist is unknown', async () => {
    await expect(scene().choose('other')).rejects.toMatchObject({ code: 'app-unknown' })
  })

  test('takes a place while it opens', async () => {
    const here = scene({ maxOpen: 1 })
    const first = here.choose('a')
    const opening = await here.opening(1)
    // There is no idle application to close.
    await expect(here.choose('b')).rejects.toMatchObject({ code: 'unavailable' })
    opening.done()
    await first
    await new Promise(setImmediate)
    const second = here.choose('b')
    ;(await here.opening(2)).done()
    expect((await second).id).toBe('b')
    expect(here.closed).toEqual(['a'])
  })

  test('is closed when the service ends while it opens', async () => {
    const here = scene()
    const request = here.choose('a')
    const opening = await here.opening(1)
    const end = here.applications.close()
    opening.done()
    await end
    await request
    expect(here.closed).toEqual(['a'])
  })

  test('stays open when it is to be kept', async () => {
    const here = scene({ maxOpen: 0 })
    const kept = here.applications.keep('a')
    const request = here.choose('a')
    ;(await here.opening(1)).done()
    await kept
    expect((await request).id).toBe('a')
    expect(here.openings).toHaveLength(1)
    await expect(scene().applications.keep('other')).rejects.toMatchObject({ code: 'app-unknown' })
  })
})
