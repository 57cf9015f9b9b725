import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientOf, type HttpsClient, type HttpsServer } from './https-server.ts'
import { keepCertificate } from './shared-certificate.ts'

const MAIN = Bun.fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** `dhole serve` as its own process, started as a user starts it, on free ports and a folder of its own. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string
  /** PEM file to trust. */
  readonly certificate: string
  readonly dataDir: string
  readonly pid: number
  /** Everything printed so far on both outputs. */
  output(): string
  kill(signal: NodeJS.Signals): void
  /** Exit status. */
  readonly exited: Promise<number>
  /** Ends the process, if it still runs, and removes its folder. */
  stop(): Promise<void>
}

/** How a server is started beside what every test does. */
export interface Launch {
  /** Command that starts the one that follows it. */
  readonly through?: readonly string[]
  /** Arguments of the runtime. */
  readonly runtime?: readonly string[]
  /** File of the command, of another copy of the program. */
  readonly main?: string | undefined
  /** A single executable, in place of the runtime and that file. */
  readonly executable?: string
  /** Folder it is started in. Default: that of this process. */
  readonly cwd?: string
  /** Lets it make its certificate. Default: it finds one in its folder, which saves half of its start. */
  readonly makesCertificate?: boolean
}

/**
 * Starts a server and waits until it listens.
 * @param settings beside `PORT=0` and a temporary `DATA_DIR`
 * @param flags of Bun, before the script
 * @throws Error with what it printed when it ends before it listens
 */
export async function spawnServer(
  settings: Readonly<Record<string, string>> = {},
  { through = [], runtime = [], main = MAIN, executable, cwd, makesCertificate = false }: Launch = {},
): Promise<ServerProcess> {
  const dataDir = settings['DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'dhole-server-')))
  // Another user could not read it.
  if (!makesCertificate && through.length === 0) await keepCertificate(dataDir)
  const program = executable === undefined ? [process.execPath, ...runtime, main] : [executable]
  const child = Bun.spawn([...through, ...program, 'serve'], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', DATA_DIR: dataDir, ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let printed = ''
  const listening = Promise.withResolvers<string>()
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      printed += decoder.decode(chunk, { stream: true })
      const url = /listening on (https:\S+)\n/.exec(printed)?.[1]
      if (url !== undefined) listening.resolve(url)
    }
  }
  const read = Promise.all([collect(child.stdout), collect(child.stderr)])
  const ended = Promise.all([child.exited, read]).then(([status]) => {
    listening.reject(new Error(`the server ended with status ${status}:\n${printed}`))
    return status
  })
  const url = await listening.promise
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
    await rm(dataDir, { recursive: true, force: true })
  }
  return {
    url,
    certificate: join(dataDir, 'tls', 'certificate.pem'),
    dataDir,
    pid: child.pid,
    output: () => printed,
    kill: (signal) => child.kill(signal),
    exited: ended,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** The ways a test speaks to a server in a process of its own. */
export async function clientOfProcess({ url, certificate }: ServerProcess): Promise<HttpsClient> {
  return clientOf(Number(new URL(url).port), await Bun.file(certificate).text())
}

/** A server in a process of its own with the ways to speak to it, for `withServer`. @param settings as of `spawnServer` */
export async function startProcess(settings: Readonly<Record<string, string>> = {}): Promise<HttpsServer> {
  const server = await spawnServer(settings)
  return { ...server, ...(await clientOfProcess(server)) }
}
