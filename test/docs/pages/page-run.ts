/** Runs a page of the documents as a reader does: its commands in one terminal, its listeners and programs beside it. */
import { type Block, blocks, expectShown, pageText } from './blocks.ts'
import { type Checkout, startCheckout } from './checkout.ts'
import { runHost, runProgram } from './programs.ts'
import { LISTENS, Listener } from './shell.ts'

/** What a page needs beside a server. */
export interface Preparation {
  readonly settings?: Readonly<Record<string, string>>
  /** Called before the first command. */
  prepare?(checkout: Checkout): Promise<void>
}

/** The server as the pages name it. */
const SERVER = 'https://localhost:8443'
/** Written `sh` when it runs, and `bash` when it is only shown. */
const RUNS = ['sh', 'json', 'text', 'ts']

/** Runs every block. @returns the number of outputs that were compared */
export async function runPage(page: string, { settings = {}, prepare }: Preparation): Promise<number> {
  await using checkout = await startCheckout(settings)
  await prepare?.(checkout)
  const run = new PageRun(checkout)
  try {
    for (const block of blocks(await pageText(page), ...RUNS)) await run.next(block)
    await run.end()
  } finally {
    await run.stop()
  }
  return run.compared
}

class PageRun {
  compared = 0
  readonly #checkout
  readonly #url
  /** Starts what the last block shows; compares it with the output below, empty when there is none. */
  #pending: ((shown: string) => Promise<void>) | undefined
  #listener: Listener | undefined

  constructor(checkout: Checkout) {
    this.#checkout = checkout
    this.#url = checkout.server.url.replace('127.0.0.1', 'localhost')
  }

  async next({ language, text }: Block): Promise<void> {
    if (language === 'sh') {
      await this.end()
      const commands = text.replaceAll(SERVER, this.#url).replaceAll('command curl -w', 'command curl -sS -w')
      if (LISTENS.test(commands)) await this.#listen(commands)
      else this.#pending = async (shown) => expectShown(await this.#checkout.terminal.run(commands), shown, commands)
    } else if (language === 'ts') {
      await this.end()
      if (text.includes("from 'dhole/embedded'")) this.#pending = async (shown) => await runProgram(text, shown)
      else if (text.includes("from 'dhole'")) await runHost(text)
    } else if (this.#pending !== undefined) {
      await this.#pending(text)
      this.#pending = undefined
      this.compared++
    } else {
      expectShown((await this.#listener?.next(text)) ?? 'no listener', text, 'events of the listener')
      this.compared++
    }
  }

  /** Runs commands that print nothing. */
  async end(): Promise<void> {
    await this.#pending?.('')
    this.#pending = undefined
  }

  async stop(): Promise<void> {
    await this.#listener?.stop()
  }

  async #listen(commands: string): Promise<void> {
    await this.#listener?.stop()
    this.#listener = new Listener(commands, await this.#checkout.terminal.variables(), this.#checkout.path)
  }
}
