import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../../files/system-error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { EXIT_INTERRUPTED } from '../exit-status.ts'
import { reason } from '../terminal/input.ts'

const OWNER_ONLY = 0o600

/** Destination of text. Every method throws Error when it cannot write. */
export interface Destination extends Disposable {
  /** Resolves when the destination accepts more. @param text text, or its UTF-8 */
  write(text: string | Uint8Array): Awaitable<void>
  /** Completes the destination. */
  finish(): void
}

/** Standard output. */
export class Output implements Destination {
  write(text: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
    })
  }

  finish(): void {}

  [Symbol.dispose](): void {}
}

/** A file for its owner alone, written atomically; devices and pipes are written directly. */
export function destinationOf(file: string): Destination {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return new WholeFile(file)
  // Keeps a link and replaces its file.
  return found.isFile() ? new WholeFile(realpathSync(file)) : new OpenFile(openFor(file, file, 'w'))
}

/** @throws Error with the requested name */
function openFor(file: string, path: string, flags: 'w' | 'wx'): number {
  try {
    return openSync(path, flags, OWNER_ONLY)
  } catch (cause) {
    const why = codeOf(cause) === 'ENOENT' ? `there is no folder ${dirname(file)}` : reason(cause)
    throw new Error(`${file}: cannot be written: ${why}`, { cause })
  }
}

class OpenFile implements Destination {
  readonly #descriptor: number

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  write(text: string | Uint8Array): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at)
  }

  finish(): void {}

  [Symbol.dispose](): void {
    closeSync(this.#descriptor)
  }
}

/** A file that appears, or replaces another one, when it is complete. */
class WholeFile implements Destination {
  readonly #file: string
  readonly #unfinished: string
  readonly #descriptor: number
  readonly #open: OpenFile

  constructor(file: string) {
    this.#file = file
    this.#unfinished = `${file}.${crypto.randomUUID()}`
    this.#descriptor = openFor(file, this.#unfinished, 'wx')
    this.#open = new OpenFile(this.#descriptor)
    process.once('exit', this.#forget)
    process.once('SIGINT', this.#interrupt)
    process.once('SIGTERM', this.#interrupt)
  }

  write(text: string | Uint8Array): void {
    this.#open.write(text)
  }

  finish(): void {
    fsyncSync(this.#descriptor)
    renameSync(this.#unfinished, this.#file)
  }

  [Symbol.dispose](): void {
    this.#open[Symbol.dispose]()
    this.#forget()
    process.off('exit', this.#forget)
    process.off('SIGINT', this.#interrupt)
    process.off('SIGTERM', this.#interrupt)
  }

  /** Removes the incomplete file; a complete one has another name. */
  readonly #forget = (): void => rmSync(this.#unfinished, { force: true })
  readonly #interrupt = (): void => process.exit(EXIT_INTERRUPTED)
}
