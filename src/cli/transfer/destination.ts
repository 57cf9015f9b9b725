import { closeSync, fsyncSync, openSync, realpathSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../../files/system-error.ts'
import { Unfinished } from '../../files/unfinished.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { reason, STDIN as STDIO } from '../terminal/input.ts'

const OWNER_ONLY = 0o600

/** Destination of text. Every method throws Error when it cannot write. */
export interface Destination extends Disposable {
  /** Resolves when the destination accepts more. @param text text, or its UTF-8 */
  write(text: string | Uint8Array): Awaitable<void>
  /** Completes the destination. */
  finish(): void
}

/**
 * Standard output for `-`. Else a file for its owner alone, written atomically; devices and pipes are written directly.
 * A signal has to end the process by `process.exit`, which removes an incomplete file.
 */
export function destinationOf(file: string): Destination {
  if (file === STDIO) return standardOutput
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return new WholeFile(file)
  // Keeps a link and replaces its file.
  return found.isFile() ? new WholeFile(realpathSync(file)) : new OpenFile(file, file, 'w')
}

const standardOutput: Destination = {
  write: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
    }),
  finish() {},
  [Symbol.dispose]() {},
}

class OpenFile implements Destination {
  protected readonly descriptor: number

  /** @throws Error with the requested name */
  constructor(file: string, path: string, flags: 'w' | 'wx') {
    try {
      this.descriptor = openSync(path, flags, OWNER_ONLY)
    } catch (cause) {
      const why = codeOf(cause) === 'ENOENT' ? `there is no folder ${dirname(file)}` : reason(cause)
      throw new Error(`${file}: cannot be written: ${why}`, { cause })
    }
  }

  write(text: string | Uint8Array): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text
    for (let at = 0; at < bytes.length; ) at += writeSync(this.descriptor, bytes, at)
  }

  finish(): void {}

  [Symbol.dispose](): void {
    closeSync(this.descriptor)
  }
}

/** A file that appears, or replaces another one, when it is complete. */
class WholeFile extends OpenFile {
  readonly #file: string
  readonly #path: string
  readonly #unfinished = new Unfinished()

  constructor(file: string) {
    const path = `${file}.${crypto.randomUUID()}`
    super(file, path, 'wx')
    this.#file = file
    this.#path = path
    this.#unfinished.add(path)
  }

  override finish(): void {
    fsyncSync(this.descriptor)
    renameSync(this.#path, this.#file)
  }

  override [Symbol.dispose](): void {
    super[Symbol.dispose]()
    this.#unfinished[Symbol.dispose]()
  }
}
