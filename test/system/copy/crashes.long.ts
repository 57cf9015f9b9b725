import '../../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import { copyApplications } from '../../../src/admin/copy/copy.ts'
import { runDhole } from '../../support/dhole-command.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { CrashPlan } from './crash-child.ts'
import { fill, learn, type TestPlace } from './rich-tree.ts'

const CHILD = Bun.fileURLToPath(new URL('./crash-child.ts', import.meta.url))

/** Points of a crash, what is in use then, and what the next run does. */
const CRASHES = [
  ['begun', 'source', 'copy'],
  ['rows', 'source', 'copy'],
  ['copied', 'source', 'copy'],
  ['marked', 'none', 'complete'],
  ['activated', 'target', 'done'],
] as const

const EACH = CRASHES.flatMap((crash) => [[...crash, 'folder'] as const, [...crash, 'database'] as const])

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'a copy that is killed', () => {
  test.each(EACH)(
    'when it has %s: in use is the %s, and the next run does: %s; from a %s',
    async (at, inUse, done, from) => {
      await using dir = await tempDir()
      const server = { url: databaseUrl() ?? '', schema: freshSchema() }
      const folder = dir.file('data')
      const places: readonly [TestPlace, TestPlace] = [{ folder }, { server }]
      const [source, target] = from === 'folder' ? places : places.toReversed()
      if (source === undefined || target === undefined) throw new Error('no places')
      await fill(source, 'app')
      const before = await learn(source, 'app')
      const options = {
        from: placeOf(source),
        to: placeOf(target),
        ids: ['app'],
        keepSource: false,
      }
      const plan: CrashPlan = { options, at }
      const child = Bun.spawn([process.execPath, CHILD, JSON.stringify(plan)], { stderr: 'inherit' })
      await child.exited
      expect(child.signalCode).toBe('SIGKILL')
      expect(await isUsable(source)).toBe(inUse === 'source')
      expect(await isUsable(target)).toBe(inUse === 'target')
      if (inUse === 'none') for (const place of places) await expectAdvice(place)
      const [copied] = await copyApplications(options, {})
      expect(copied).toMatchObject({ id: 'app', done })
      expect(await learn(target, 'app')).toEqual(before)
      expect(await isUsable(source)).toBe(false)
      expect(await copyApplications(options, {})).toMatchObject([{ id: 'app', done: 'done' }])
    },
  )
})

/** Either side says what opens the copy: at a start of its server, and to the doctor. */
async function expectAdvice(place: TestPlace): Promise<void> {
  const advice = /run the same `dhole copy` again/
  await using dir = await tempDir()
  const settings =
    'folder' in place
      ? { DATA_DIR: place.folder }
      : { DATA_DIR: dir.path, DATABASE_URL: place.server.url, DATABASE_SCHEMA: place.server.schema ?? '' }
  const start = await runDhole(['serve'], { PORT: '0', ...settings })
  expect([start.status, start.stderr]).toEqual([2, expect.stringMatching(advice)])
  const doctor = await runDhole(['doctor', '--data-dir', settings.DATA_DIR], settings)
  expect(doctor.stdout).toMatch(advice)
}

async function isUsable(place: TestPlace): Promise<boolean> {
  try {
    await learn(place, 'app')
    return true
  } catch (error) {
    expect(String(error)).toMatch(/it was moved to|not copied completely|is not complete/)
    return false
  }
}

function placeOf(place: TestPlace): CrashPlan['options']['from'] {
  return 'folder' in place ? { kind: 'folder', ...place } : { kind: 'database', ...place }
}
