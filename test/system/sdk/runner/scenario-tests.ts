import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { HttpsClient } from '../../../support/https-server.ts'
import { startProcess } from '../../../support/server-process.ts'
import { type TempDir, tempDir } from '../../../support/temp-dir.ts'
import { type SharedServer, withServer } from '../../../support/with-server.ts'
import { RULES } from '../scenarios/access.ts'
import type { Scenarios } from '../scenarios/scenario.ts'
import { type Runtime, SdkProcess } from './sdk-process.ts'
import { install, type SdkVersion } from './sdk-versions.ts'

const SECRET = 'a secret of the scenarios'
/** Host name for version 2, which takes the application from the first of three labels. */
const BASE_DOMAIN = 'db.localhost'

/** Settings of a server for scenarios, of which SDKs of version 2 need `BASE_DOMAIN` too. */
export const SCENARIO_SETTINGS = { APP_SECRET: SECRET, FAILED_CREDENTIALS: '0' } as const

/** Gives a server the rules of the scenarios before the tests of this file or `describe`. */
export function useScenarioRules(server: () => HttpsClient): void {
  beforeAll(async () => {
    const target = `/.settings/rules.json?auth=${SECRET}`
    const { status } = await server().call('PUT', target, { body: JSON.stringify(RULES) })
    if (status !== 200) throw new Error(`the rules are refused: ${status}`)
  })
}

/** A server in a process of its own, whose rules are those of the scenarios. */
export function withScenarioServer(): SharedServer {
  const server = withServer(() => startProcess({ ...SCENARIO_SETTINGS, BASE_DOMAIN }))
  useScenarioRules(() => server)
  return server
}

/**
 * Runs scenarios with one version of an SDK in one process, each as a test.
 * @param servers one, or those that clients connect to in turn
 */
export function runScenarios(
  servers: () => readonly HttpsClient[],
  version: SdkVersion,
  runtime: Runtime,
  scenarios: Scenarios,
): void {
  describe(`${version.name} in ${runtime === 'node' ? 'Node.js' : 'Bun'}`, () => {
    let dir: TempDir
    let child: SdkProcess

    beforeAll(async () => {
      await install(version)
      dir = await tempDir()
      const certificate = dir.file('ca.pem')
      const all = servers()
      await Bun.write(certificate, all[0]?.ca ?? '')
      const databaseUrls = all.map(({ url, port }) =>
        version.adapter === 'legacy' ? `https://app.${BASE_DOMAIN}:${port}` : `${url}/?ns=app`,
      )
      const target = { databaseUrls, url: all[0]?.url ?? '', certificate, secret: SECRET }
      child = await SdkProcess.start(version, runtime, target, { dir: dir.path })
    })

    afterAll(async () => {
      await child?.[Symbol.asyncDispose]()
      await dir?.[Symbol.asyncDispose]()
    })

    for (const [name, { needs, expected }] of Object.entries(scenarios)) {
      if (needs !== undefined && !version.abilities.includes(needs)) continue
      test(name, async () => {
        expect(await child.run(name)).toEqual(expected)
      })
    }
  })
}
