import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ServerProcess, spawnServer } from '../../../support/server-process.ts'
import { type TempDir, tempDir } from '../../../support/temp-dir.ts'
import type { Scenarios } from '../scenarios/scenario.ts'
import { SdkProcess } from './sdk-process.ts'
import { install, type SdkVersion } from './sdk-versions.ts'

const SECRET = 'a secret of the emulator'

/** Runs scenarios with clients that connect to a server in development as to Firebase's emulator: without TLS. */
export function runAsEmulator(versions: readonly SdkVersion[], scenarios: Scenarios): void {
  describe('a server in development, used as an emulator', () => {
    let dir: TempDir
    let server: ServerProcess
    let port = ''

    beforeAll(async () => {
      dir = await tempDir()
      server = await spawnServer({ DEVELOPMENT: 'true', HTTP_PORT: '0', APP_SECRET: SECRET })
      port = /plain HTTP on http:\/\/[^:]+:(\d+)/.exec(server.output())?.[1] ?? ''
    })

    afterAll(async () => {
      await server?.stop()
      await dir?.[Symbol.asyncDispose]()
    })

    test.each(versions.map((version) => [version.name, version] as const))('%s', async (_, version) => {
      await install(version)
      const target = {
        databaseUrls: ['https://app.firebaseio.com'],
        url: `http://localhost:${port}`,
        certificate: '',
        secret: SECRET,
      }
      const env =
        version.adapter === 'admin' ? { FIREBASE_DATABASE_EMULATOR_HOST: `localhost:${port}` } : { EMULATOR_PORT: port }
      await using child = await SdkProcess.start(version, 'node', target, { dir: dir.path, env })
      const found: Record<string, unknown> = {}
      const expected: Record<string, unknown> = {}
      for (const [name, scenario] of Object.entries(scenarios)) {
        if (scenario.needs !== undefined && !version.abilities.includes(scenario.needs)) continue
        found[name] = await child.run(name)
        expected[name] = scenario.expected
      }
      expect(found).toEqual(expected)
    })
  })
}
