import { join } from 'node:path'
import type { DholeOptions } from '../../../../src/index.ts'
import { ownCertificate } from '../../../../src/server/tls/certificate.ts'
import { certificateNames } from '../../../../src/server/tls/own-names.ts'
import { type HttpsClient, type HttpsServer, startInProcess } from '../../../support/https-server.ts'
import { tempDir } from '../../../support/temp-dir.ts'

/** Domain of applications. Host names in URLs of these SDKs have exactly three labels. */
const BASE_DOMAIN = 'dhole.localhost'

/** A server whose certificate is also for hosts of applications. */
export async function startForWilddog(options: DholeOptions = {}): Promise<HttpsServer> {
  await using dir = await tempDir()
  const tls = await ownCertificate(dir.path, certificateNames({ HOST: '127.0.0.1', BASE_DOMAIN }))
  return startInProcess({ baseDomain: BASE_DOMAIN, ...options }, tls)
}

/** A scenario that is being carried out. */
interface Running {
  readonly output: ReadableStream<Uint8Array>
  kill(): void
}

/** A version of the SDK. */
export type Version = '0.7' | '2.5'

/** Starts a scenario with the SDK as it is published. @param runtime default: Bun */
export async function startScenario(
  { port, ca }: Pick<HttpsClient, 'port' | 'ca'>,
  [version, scenario, argument = '']: readonly [Version, string, string?],
  runtime: 'bun' | 'node' = 'bun',
): Promise<Running> {
  const dir = await tempDir()
  const trusted = join(dir.path, 'ca.pem')
  await Bun.write(trusted, ca)
  const program = join(import.meta.dir, 'child.ts')
  const command = runtime === 'bun' ? [process.execPath, program] : ['node', await built(program, dir.path)]
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: trusted, PACKAGES: import.meta.path }
  const running = Bun.spawn([...command, version, String(port), scenario, argument], {
    ...{ env, stdout: 'pipe', stderr: 'inherit', timeout: 50_000 },
  })
  return { output: running.stdout, kill: () => running.kill('SIGKILL') }
}

/** Carries a scenario out. @returns what it prints */
export async function runScenario(...[server, scenario, runtime]: Parameters<typeof startScenario>): Promise<unknown> {
  const { output, kill } = await startScenario(server, scenario, runtime)
  try {
    return JSON.parse(await new Response(output).text())
  } finally {
    kill()
  }
}

/** The program as Node.js can run it. */
async function built(program: string, folder: string): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [program], target: 'node', format: 'esm' })
  const file = join(folder, 'child.mjs')
  await Bun.write(file, (await outputs[0]?.text()) ?? '')
  return file
}
