import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { EXIT_INTERRUPTED } from '../exit-status.ts'
import { reason } from '../terminal/input.ts'

const OWNER_ONLY = 0o600

/** Where text goes. Every method throws Error when it cannot be written. */
export interface Destination extends Disposable {
  /** Waits until more is wanted. @param text as it is or in UTF-8 */
  write(text: string | Uint8Array): Awaitable<void>
  /** All is written. */
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

/** A file that only its owner can read, written whole or not at all; a device or a pipe is written to as it is. */
export function destinationOf(file: string): Destination {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return new WholeFile(file)
  // A link goes on leading to the file.
  return found.isFile() ? new WholeFile(realpathSync(file)) : new OpenFile(openFor(file, file, 'w'))
}

/** @throws Error with the name that was asked for */
function openFor(file: string, path: string, flags: 'w' | 'wx'): number {
  try {
    return openSync(path, flags, OWNER_ONLY)
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const why = isMissing ? `there is no folder ${dirname(file)}` : reason(cause)
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

/** A file that appears, or takes the place of another one, when all of it is written. */
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

  /** What has been finished has another name. */
  readonly #forget = (): void => rmSync(this.#unfinished, { force: true })
  readonly #interrupt = (): void => process.exit(EXIT_INTERRUPTED)
}
