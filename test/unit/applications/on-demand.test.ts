import { describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import type { Application } from '../../../src/applications/application.ts'
import type { Applications } from '../../../src/applications/applications.ts'
import { type OnDemand, startApplications } from '../../../src/dhole.ts'
import type { ApplicationOptions } from '../../../src/options.ts'
import { fileTest, isOnPostgres, makeApplications, storageOf } from '../../support/engine.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { freed } from '../../system/applications/freed.ts'

const SECRET = 'a secret of the test suite'
const NEVER = 3_600_000

/** Applications over a folder of their own, and what `find` knows. */
interface Scene extends AsyncDisposable {
  readonly applications: Applications
  readonly registered: Map<string, ApplicationOptions & { readonly secret: string }>
  readonly troubles: string[]
  file(id: string): string
  /** Waits until an application is closed, and its file free. */
  closed(id: string): Promise<void>
  /** Chooses by name. */
  choose(id: string): Promise<Application>
  /** Names of those that are open, the default one left out. */
  open(): readonly string[]
}

async function scene(settings: Partial<Omit<OnDemand, 'find'>>, ids: readonly string[]): Promise<Scene> {
  const dir = await tempDir()
  const registered: Scene['registered'] = new Map(ids.map((id) => [id, { secret: SECRET }]))
  const troubles: string[] = []
  await makeApplications(dir.path, ids)
  const observer = {
    storeFailed() {},
    storeTroubled: (file: string) => void troubles.push(file),
    requestFailed() {},
  }
  const { applications } = startApplications(
    { ...storageOf(dir.path), dataDir: dir.path, applications: { app: { secret: SECRET } }, observer },
    { find: (id) => registered.get(id), idleMs: NEVER, maxOpen: 10, ...settings },
  )
  return {
    applications,
    registered,
    troubles,
    file: (id) => dir.file(`apps/${id}.sqlite`),
    closed: async (id) => {
      if (isOnPostgres(dir.path)) await until(() => applications.open.every((open) => open.id !== id))
      else await freed(dir.file(`apps/${id}.sqlite`))
    },
    choose: async (id) => applications.choose(id, 'localhost'),
    open: () =>
      applications.open
        .map(({ id }) => id)
        .filter((id) => id !== 'app')
        .sort(),
    [Symbol.asyncDispose]: async () => {
      await applications.close()
      await dir[Symbol.asyncDispose]()
    },
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate)
}

/** Listens to everything and hears nothing. */
const silentSink = { write: () => undefined, keepAlive() {}, end() {}, abort() {} }

describe('an application is opened when it is asked for', () => {
  fileTest('files are opened in the turn of the request', 'and not before, nor for anybody else', async () => {
    await using here = await scene({}, ['a', 'b'])
    expect(here.open()).toEqual([])
    expect(existsSync(here.file('a'))).toBe(false)
    expect((await here.choose('app')).id).toBe('app')
    const chosen = here.applications.choose('a', 'localhost')
    expect(chosen).not.toBeInstanceOf(Promise)
    expect(here.open()).toEqual(['a'])
    expect(await here.choose('a')).toBe(await chosen)
    expect(existsSync(here.file('b'))).toBe(false)
  })

  test('unknown names open nothing and close nothing', async () => {
    await using here = await scene({ maxOpen: 1 }, ['a'])
    await here.choose('a')
    for (const id of ['none', 'A', '../a', 'a/../a', '', '__proto__', 'a'.repeat(64)]) {
      await expect(here.choose(id)).rejects.toMatchObject({ code: 'app-unknown' })
    }
    expect(here.open()).toEqual(['a'])
    expect(here.troubles).toEqual([])
  })

  fileTest('it damages the file', 'one that cannot be opened is out of service until it is mended', async () => {
    await using here = await scene({}, ['a', 'b'])
    writeFileSync(here.file('a'), 'no database'.repeat(1000))
    await expect(here.choose('a')).rejects.toMatchObject({ code: 'unavailable' })
    expect(here.troubles).toEqual([here.file('a')])
    here.registered.set('b', { secret: SECRET, rules: '{"rules": nonsense' })
    await expect(here.choose('b')).rejects.toMatchObject({ code: 'unavailable' })
    here.registered.set('b', { secret: SECRET })
    await here.closed('b')
    expect((await here.choose('b')).id).toBe('b')
  })
})

describe('an application that nobody needs', () => {
  test('is closed, and opened again with all it had', async () => {
    await using here = await scene({ idleMs: 20 }, ['a'])
    const first = await here.choose('a')
    const release = first.hold()
    await first.database.put('/kept', 1)
    release()
    await here.closed('a')
    expect(here.open()).toEqual([])
    const second = await here.choose('a')
    expect(second).not.toBe(first)
    expect(await second.database.get('/kept')).toBe(1)
  })

  test('stays while a request is under way, however often others have ended', async () => {
    await using here = await scene({ idleMs: 10 }, ['a', 'b'])
    const held = await here.choose('a')
    const releases = [held.hold(), held.hold()]
    // The other one was needed later, and has gone: so time enough has passed.
    await here.choose('b')
    await until(() => !here.open().includes('b'))
    expect(here.open()).toEqual(['a'])
    releases[0]?.()
    releases[0]?.()
    await here.choose('b')
    await until(() => !here.open().includes('b'))
    expect(here.open()).toEqual(['a'])
    expect(await here.choose('a')).toBe(held)
    releases[1]?.()
    await here.closed('a')
  })

  test('stays while somebody watches', async () => {
    await using here = await scene({ idleMs: 10 }, ['a', 'b'])
    const watched = await here.choose('a')
    const release = watched.hold()
    const subscription = await watched.database.subscribe('/', {}, silentSink)
    release()
    await here.choose('b')
    await here.closed('b')
    expect(here.open()).toEqual(['a'])
    subscription.close()
    await here.closed('a')
    expect(here.open()).toEqual([])
  })

  test('is the default one: that stays', async () => {
    await using here = await scene({ idleMs: 10 }, ['b'])
    const kept = await here.choose('app')
    await here.choose('b')
    await here.closed('b')
    expect(await here.choose('app')).toBe(kept)
    expect(await kept.database.get('/')).toBe(null)
  })
})

describe('as many as may be', () => {
  test('are open: the one unused for longest goes for another', async () => {
    await using here = await scene({ maxOpen: 3 }, ['a', 'b', 'c', 'd', 'e'])
    for (const id of ['a', 'b', 'c', 'a']) await here.choose(id)
    await here.choose('d')
    expect(here.open()).toEqual(['a', 'c', 'd'])
    const release = (await here.choose('c')).hold()
    await here.choose('a')
    await here.choose('d')
    release()
    await here.choose('e')
    expect(here.open()).toEqual(['c', 'd', 'e'])
    expect(here.troubles).toEqual([])
  })

  test('are busy: one more is out of service until one is free', async () => {
    await using here = await scene({ maxOpen: 2 }, ['a', 'b', 'c'])
    const release = (await here.choose('a')).hold()
    const watched = await here.choose('b')
    const subscription = await watched.database.subscribe('/', {}, silentSink)
    await expect(here.choose('c')).rejects.toMatchObject({ code: 'unavailable' })
    expect(here.open()).toEqual(['a', 'b'])
    subscription.close()
    expect((await here.choose('c')).id).toBe('c')
    expect(here.open()).toEqual(['a', 'c'])
    release()
  })

  test('are not busy with requests that were answered in the turn in which they were opened', async () => {
    await using here = await scene({ maxOpen: 1 }, ['a', 'b'])
    for (const id of ['a', 'b', 'a', 'b']) expect((await here.choose(id)).id).toBe(id)
    expect(here.open()).toEqual(['b'])
  })

  test('is a bound for a crowd too: each is served or told to come again', async () => {
    const ids = Array.from({ length: 12 }, (_, number) => `app-${number}`)
    await using here = await scene({ maxOpen: 3 }, ids)
    let most = 0
    const visit = async (id: string): Promise<'served' | 'refused'> => {
      try {
        const application = await here.choose(id)
        const release = application.hold()
        most = Math.max(most, here.open().length)
        await application.database.put('/by', id).finally(release)
        return 'served'
      } catch (error) {
        expect(error).toMatchObject({ code: 'unavailable' })
        return 'refused'
      }
    }
    const crowd = await Promise.all([...ids, ...ids, ...ids].map(visit))
    expect(crowd).toContain('served')
    expect(most).toBeLessThanOrEqual(3)
    // One after the other there is room for all, and nobody has written where another lives.
    for (const id of ids) {
      expect(await visit(id)).toBe('served')
      expect(await (await here.choose(id)).database.get('/')).toEqual({ by: id })
    }
    expect(here.troubles).toEqual([])
  })
})

describe('while an application is being closed', () => {
  test('a request for it waits and opens it again', async () => {
    await using here = await scene({ maxOpen: 2 }, ['a', 'b', 'c'])
    const first = await here.choose('a')
    await first.database.put('/kept', 1)
    await here.choose('b')
    // No room for this one: `a` has to go, and is wanted again at the same moment, three times.
    const other = here.choose('c')
    const again = await Promise.all([here.choose('a'), here.choose('a'), here.choose('a')])
    expect((await other).id).toBe('c')
    expect(new Set(again).size).toBe(1)
    expect(again[0]).not.toBe(first)
    expect(await again[0]?.database.get('/kept')).toBe(1)
    expect(here.troubles).toEqual([])
  })

  test('because it is removed, a request for it finds nothing', async () => {
    await using here = await scene({}, ['a'])
    const application = await here.choose('a')
    await application.database.put('/kept', 1)
    here.registered.delete('a')
    const removed = here.applications.remove('a')
    await expect(here.choose('a')).rejects.toMatchObject({ code: 'app-unknown' })
    await removed
    await here.closed('a')
    await expect(here.choose('a')).rejects.toMatchObject({ code: 'app-unknown' })
  })

  test('because all are, nothing is opened any more', async () => {
    await using here = await scene({}, ['a', 'b'])
    await here.choose('a')
    const closed = here.applications.close()
    for (const id of ['a', 'b', 'app']) await expect(here.choose(id)).rejects.toMatchObject({ code: 'unavailable' })
    await closed
    for (const id of ['a', 'b', 'app']) await expect(here.choose(id)).rejects.toMatchObject({ code: 'unavailable' })
    expect(existsSync(here.file('b'))).toBe(false)
  })
})
