import { Readable } from 'node:stream'
import { runCommandLine } from '../../src/cli/run.ts'
import type { CommandResult } from './dhole-command.ts'

/** Streams whose output a command writes to. */
type Output = typeof process.stdout | typeof process.stderr

/** Most that one read of a pipe returns. */
const PIPE_BYTES = 64 * 1024

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs `dhole` with arguments in this process, as `spawnDhole` does in one of its own: the same program, arguments, environment,
 * printed text and exit status, without the start of a process. One command runs at a time, because the environment
 * and the outputs belong to the process.
 */
export function runInProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  stdin: string | Uint8Array = '',
): Promise<CommandResult> {
  const result = last.then(() => runAlone(args, environment, stdin))
  last = result.catch(() => {})
  return result
}

async function runAlone(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  stdin: string | Uint8Array,
): Promise<CommandResult> {
  const restore = [
    replaceEnvironment({ PATH: process.env['PATH'] ?? '', ...environment }),
    replaceUmask(),
    keepSignalListeners(),
    replace(process, 'exit', (status) => {
      throw new Error(`the command calls process.exit(${status}): run it as a process`)
    }),
    replaceInput(Buffer.from(stdin)),
  ]
  const stdout = capture(process.stdout)
  const stderr = capture(process.stderr)
  const statusBefore = process.exitCode
  process.exitCode = 0
  try {
    const status = await runCommandLine(args)
    return { status: status ?? Number(process.exitCode), stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    process.exitCode = statusBefore ?? 0
    for (const undo of [stdout.restore, stderr.restore, ...restore]) undo()
  }
}

/** Collects what is written to an output, which is no terminal meanwhile. */
function capture(output: Output): { text(): string; restore(): void } {
  const chunks: Uint8Array[] = []
  const write = (
    chunk: string | Uint8Array,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    done?: (error?: Error | null) => void,
  ): boolean => {
    chunks.push(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk.slice())
    const callback = typeof encoding === 'function' ? encoding : done
    if (callback !== undefined) queueMicrotask(() => callback())
    return true
  }
  const undo = [replace(output, 'write', write), replace(output, 'isTTY', false)]
  return {
    text: () => Buffer.concat(chunks).toString('utf8'),
    restore: () => {
      for (const each of undo) each()
    },
  }
}

/** Replaces a property and returns how to put the old one back. */
function replace<T extends object, Name extends keyof T>(target: T, name: Name, value: T[Name]): () => void {
  const own = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { value, configurable: true, writable: true })
  return () => {
    if (own === undefined) Reflect.deleteProperty(target, name)
    else Object.defineProperty(target, name, own)
  }
}

/** Gives a command bytes to read on standard input, which is no terminal. */
function replaceInput(bytes: Buffer): () => void {
  const { stdin } = process
  const bunStdin = Bun.stdin
  const chunks = Array.from({ length: Math.ceil(bytes.length / PIPE_BYTES) }, (_, at) =>
    bytes.subarray(at * PIPE_BYTES, (at + 1) * PIPE_BYTES),
  )
  const input = Readable.from(chunks)
  const assign = (ofNode: unknown, ofBun: unknown) => {
    Object.defineProperty(process, 'stdin', { value: ofNode, configurable: true, writable: true })
    Reflect.set(Bun, 'stdin', ofBun)
  }
  assign(input, new Blob([bytes]))
  return () => assign(stdin, bunStdin)
}

function replaceEnvironment(next: Readonly<Record<string, string>>): () => void {
  const before = { ...process.env }
  const assign = (variables: NodeJS.ProcessEnv) => {
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name]
    for (const [name, value] of Object.entries(variables)) if (process.env[name] !== value) process.env[name] = value
  }
  assign(next)
  return () => assign(before)
}

function replaceUmask(): () => void {
  const before = process.umask(0o077)
  return () => void process.umask(before)
}

/** Removes the listeners for signals that a command leaves to the end of its process. */
function keepSignalListeners(): () => void {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const before = signals.map((signal) => new Set(process.listeners(signal)))
  return () => {
    for (const [at, signal] of signals.entries()) {
      for (const listener of process.listeners(signal)) {
        if (!before[at]?.has(listener)) process.off(signal, listener)
      }
    }
  }
}
