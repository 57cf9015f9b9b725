import type { ServerProcess } from '../../support/server-process.ts'

/** Variables of a terminal. */
export type Variables = Readonly<Record<string, string | undefined>>

/** A shell block that does nothing but listen. */
export const LISTENS = /^curl -N /

/** The Bun that runs this stands for the one that npx would fetch. */
const NPX = `npx() { shift 2; ${JSON.stringify(process.execPath)} "$@"; }\n`
/** A real Node.js may be missing; what the pages have it do, Bun does too. */
const NODE = `node() { ${JSON.stringify(process.execPath)} "$@"; }\n`
const END = 'end of the answers'

export function environment(server: ServerProcess): Variables {
  return { ...process.env, CURL_CA_BUNDLE: server.certificate }
}

/** Without empty lines: terminals differ in them. */
export function dense(text: string): string {
  return text.replace(/^\n+/, '').replace(/\n\n+/g, '\n')
}

/** One terminal: what one block sets, the next ones know. */
export class Terminal {
  readonly #bash
  readonly #out

  constructor(variables: Variables, folder: string) {
    this.#bash = Bun.spawn(['bash'], { env: variables, cwd: folder, stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
    this.#out = new Output(this.#bash.stdout)
    // `set -a` exports every variable, so that listeners in another terminal have it too.
    this.#bash.stdin.write(`set -ua\nexec 2>&1\n${NPX}${NODE}`)
  }

  /** What commands print on either output, without empty lines. */
  async run(commands: string): Promise<string> {
    this.#bash.stdin.write(`${commands}\nprintf '\\n%s\\n' '${END}'\n`)
    await this.#bash.stdin.flush()
    return dense(`${await this.#out.until(`\n${END}\n`)}\n`).replace(/^\n$/, '')
  }

  /** Every variable that has been set. */
  async variables(): Promise<Variables> {
    const entries = (await this.run('env -0')).split('\0').map((entry) => /^(\w+)=([\s\S]*)$/.exec(entry))
    return Object.fromEntries(entries.flatMap((entry) => (entry === null ? [] : [[entry[1], entry[2]]])))
  }

  async close(): Promise<void> {
    this.#bash.kill()
    await this.#bash.exited
  }
}

/** A stream, read as far as it is expected to go. */
export class Listener {
  readonly #curl
  readonly #out

  constructor(command: string, variables: Variables, folder: string) {
    const quiet = command.replace(LISTENS, 'exec curl -sS -N ')
    this.#curl = Bun.spawn(['bash', '-euc', quiet], { env: variables, cwd: folder, stdout: 'pipe', stderr: 'inherit' })
    this.#out = new Output(this.#curl.stdout)
  }

  /** The next events, as many as are expected; fewer only when the stream ends. */
  async next(expected: string): Promise<string> {
    const events: string[] = []
    for (const _ of expected.trim().split('\n\n')) events.push(await this.#out.until('\n\n'))
    return `${events.join('\n\n')}\n`
  }

  async stop(): Promise<void> {
    this.#curl.kill()
    await this.#curl.exited
  }
}

/** Text that comes in pieces. */
class Output {
  readonly #reader
  readonly #decoder = new TextDecoder()
  #read = ''

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader()
  }

  /** What comes before a mark; all there is when it ends without one. */
  async until(mark: string): Promise<string> {
    while (!this.#read.includes(mark)) {
      const { value, done } = await this.#reader.read()
      if (done) break
      this.#read += this.#decoder.decode(value, { stream: true })
    }
    const end = this.#read.indexOf(mark)
    const text = end === -1 ? this.#read : this.#read.slice(0, end)
    this.#read = end === -1 ? '' : this.#read.slice(end + mark.length)
    return text
  }
}
