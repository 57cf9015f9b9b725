import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { spawnDhole } from '../../support/dhole-command.ts'
import { spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { Disk } from './disk.ts'
import { Random } from './random.ts'
import { buildRecorder, hasCompiler, readRecording, recorderEnvironment } from './recording.ts'

/** Commands one after the other on one folder, which holds what each of them has acknowledged. */
const COMMANDS = [
  'apps add shop',
  'apps add forum --open',
  'apps rotate shop --yes',
  'apps rotate forum --sms-key --yes',
  'apps remove forum --yes',
  'apps add forum',
  'apps remove forum --delete-data --yes',
] as const

/** Keys and registered applications: no tree, no certificate. */
function keptFiles(dataDir: string): Map<string, string> {
  const folders = ['apps', 'secrets'].map((name) => join(dataDir, name)).filter((folder) => existsSync(folder))
  const names = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  return new Map(names.filter(isMeant).map((path) => [path, readFileSync(path, 'utf8')]))
}

function isMeant(path: string): boolean {
  return /\/(apps\/[^/]+\.json|secrets\/[^/]+)$/.test(path)
}

/** A folder whose processes are recorded. */
class RecordedFolder {
  readonly dataDir: string
  readonly environment: Readonly<Record<string, string>>
  readonly #log: string
  readonly #inode: bigint

  constructor(folder: string) {
    const library = join(folder, 'recorder.so')
    buildRecorder(library)
    this.dataDir = join(realpathSync(folder), 'data')
    mkdirSync(this.dataDir)
    this.#inode = statSync(this.dataDir, { bigint: true }).ino
    this.#log = join(folder, 'log')
    this.environment = recorderEnvironment({ library, root: this.dataDir, log: this.#log })
  }

  /** What is there when the power goes now and nothing is kept but what was synced. */
  afterLoss(): Map<string, string> {
    const disk = new Disk(this.dataDir, this.#inode)
    for (const entry of readRecording(this.#log)) disk.apply(entry)
    const kept = [...disk.afterLoss(new Random(0), { kept: 0, torn: 0 })].filter(([path]) => isMeant(path))
    return new Map(kept.map(([path, bytes]) => [path, Buffer.from(bytes).toString()]))
  }
}

function sorted(files: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...files].sort(([one], [other]) => (one < other ? -1 : 1))
}

const canRecord = hasCompiler()
const why = canRecord ? '' : ' (skipped: needs Linux and a C compiler named cc)'

test.skipIf(!canRecord)(
  `what a command has done to applications and keys outlasts a power cut${why}`,
  async () => {
    await using dir = await tempDir()
    const folder = new RecordedFolder(dir.path)
    for (const command of COMMANDS) {
      const args = [...command.split(' '), '--data-dir', folder.dataDir]
      const { status, stderr } = await spawnDhole(args, folder.environment)
      expect([command, status, stderr]).toEqual([command, 0, ''])
      expect([command, sorted(folder.afterLoss())]).toEqual([command, sorted(keptFiles(folder.dataDir))])
    }
    expect(keptFiles(folder.dataDir).size).toBe(3)
  },
  300_000,
)

test.skipIf(!canRecord)(
  `keys that a server has shown outlast a power cut${why}`,
  async () => {
    await using dir = await tempDir()
    const folder = new RecordedFolder(dir.path)
    await using _server = await spawnServer(
      { ...folder.environment, DATA_DIR: folder.dataDir },
      { makesCertificate: true },
    )
    const kept = keptFiles(folder.dataDir)
    expect(kept.size).toBe(2)
    expect(sorted(folder.afterLoss())).toEqual(sorted(kept))
  },
  300_000,
)
