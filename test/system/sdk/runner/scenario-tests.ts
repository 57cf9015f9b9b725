import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
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

/** A server in a process of its own, whose rules are those of the scenarios. */
export function withScenarioServer(): SharedServer {
  const server = withServer(() => startProcess({ APP_SECRET: SECRET, BASE_DOMAIN, FAILED_CREDENTIALS: '0' }))
  beforeAll(async () => {
    const { status } = await server.call('PUT', `/.settings/rules.json?auth=${SECRET}`, { body: JSON.stringify(RULES) })
    if (status !== 200) throw new Error(`the rules are refused: ${status}`)
  })
  return server
}

/** Runs scenarios with one version of an SDK in one process, each as a test. */
export function runScenarios(server: SharedServer, version: SdkVersion, runtime: Runtime, scenarios: Scenarios): void {
  describe(`${version.name} in ${runtime === 'node' ? 'Node.js' : 'Bun'}`, () => {
    let dir: TempDir
    let child: SdkProcess

    beforeAll(async () => {
      await install(version)
      dir = await tempDir()
      const certificate = dir.file('ca.pem')
      await Bun.write(certificate, server.ca)
      const databaseUrl =
        version.adapter === 'legacy' ? `https://app.${BASE_DOMAIN}:${server.port}` : `${server.url}/?ns=app`
      const target = { databaseUrl, url: server.url, certificate, secret: SECRET }
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
