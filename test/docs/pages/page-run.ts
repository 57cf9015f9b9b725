/** Runs a page of the documents as a reader does: its commands in one terminal, its listeners and programs beside it. */
import { type Block, blocks, expectShown, pageText } from './blocks.ts'
import { type Checkout, startCheckout } from './checkout.ts'
import { runHost, runProgram } from './programs.ts'
import { LISTENS, Listener } from './shell.ts'

/** What a page needs beside a server. */
export interface Preparation {
  readonly settings?: Readonly<Record<string, string>>
  /** Called before the first command. */
  prepare?(checkout: Checkout): Promise<Prepared | undefined>
}

/** What was prepared for a page. */
interface Prepared {
  /** Other texts in the commands of the page, by their replacements. */
  readonly replaced: Readonly<Record<string, string>>
  /** Called after the last command. */
  stop(): Promise<void>
}

/** The server as the pages name it. */
const SERVER = 'https://localhost:8443'
/** Written `sh` when it runs, and `bash` when it is only shown. */
const RUNS = ['sh', 'json', 'text', 'ts']

/** Runs every block. @returns the number of outputs that were compared */
export async function runPage(page: string, { settings = {}, prepare }: Preparation): Promise<number> {
  await using checkout = await startCheckout(settings)
  const prepared = await prepare?.(checkout)
  const run = new PageRun(checkout, prepared?.replaced ?? {})
  try {
    for (const block of blocks(await pageText(page), ...RUNS)) await run.next(block)
    await run.end()
  } finally {
    await run.stop()
    await prepared?.stop()
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

  readonly #replaced: Readonly<Record<string, string>>

  constructor(checkout: Checkout, replaced: Readonly<Record<string, string>>) {
    this.#replaced = replaced
    this.#checkout = checkout
    this.#url = checkout.server.url.replace('127.0.0.1', 'localhost')
  }

  async next({ language, text }: Block): Promise<void> {
    if (language === 'sh') {
      await this.end()
      const commands = this.#commandsOf(text)
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

  #commandsOf(text: string): string {
    const quiet = text.replaceAll(SERVER, this.#url).replaceAll('command curl -w', 'command curl -sS -w')
    return Object.entries(this.#replaced).reduce((commands, [shown, real]) => commands.replaceAll(shown, real), quiet)
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
