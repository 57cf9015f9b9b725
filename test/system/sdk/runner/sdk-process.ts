import { join } from 'node:path'
import type { Line, Task } from '../scenarios/program.ts'
import type { SdkVersion } from './sdk-versions.ts'

export type Runtime = 'node' | 'bun'

/** Where scenarios go. */
export interface SdkTarget {
  /** What clients are given in turn as `databaseURL`. */
  readonly databaseUrls: readonly string[]
  /** The server, for REST. */
  readonly url: string
  /** PEM file to trust. */
  readonly certificate: string
  readonly secret: string
}

let program: Promise<string> | undefined

/** The program as Node.js runs it: it knows no types. */
function bundled(): Promise<string> {
  program ??= Bun.build({
    entrypoints: [join(import.meta.dir, '../scenarios/program.ts')],
    target: 'node',
    format: 'esm',
  }).then(async ({ outputs: [built] }) => (await built?.text()) ?? '')
  return program
}

/** A process that runs scenarios with one version of an SDK. */
export class SdkProcess implements AsyncDisposable {
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>
  readonly #lines: AsyncIterator<Line>
  static #tasks = 0

  private constructor(child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>) {
    this.#child = child
    this.#lines = linesOf(child.stdout)
  }

  /** @param dir a folder for the program */
  static async start(
    { folder, adapter }: SdkVersion,
    runtime: Runtime,
    { databaseUrls, url, certificate, secret }: SdkTarget,
    { dir, env = {} }: { readonly dir: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<SdkProcess> {
    const file = join(dir, 'program.mjs')
    await Bun.write(file, await bundled())
    const parameters = [folder, adapter, databaseUrls.join(' '), url, secret]
    const command = [runtime === 'bun' ? process.execPath : 'node', file, ...parameters]
    const environment = { PATH: process.env['PATH'] ?? '', NODE_EXTRA_CA_CERTS: certificate, ...env }
    return new SdkProcess(Bun.spawn(command, { env: environment, stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' }))
  }

  /**
   * Runs a scenario.
   * @param onNotice gets what the scenario tells meanwhile
   * @throws Error with what it failed with
   */
  async run(name: string, argument = '', onNotice: (text: string) => void = () => {}): Promise<unknown> {
    const task: Task = { name, id: `${process.pid}-${SdkProcess.#tasks++}`, argument }
    this.#child.stdin.write(`${JSON.stringify(task)}\n`)
    await this.#child.stdin.flush()
    for (;;) {
      const { value: line, done } = await this.#lines.next()
      if (done) throw new Error(`the process has ended during "${name}"`)
      if (line.kind === 'result') return line.result
      if (line.kind === 'failure') throw new Error(line.error)
      onNotice(line.text)
    }
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#child.exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }
}

/** What the program says; SDKs print warnings between. */
async function* linesOf(output: ReadableStream<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true })
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('{"kind":')) yield JSON.parse(line) as Line
  }
}
