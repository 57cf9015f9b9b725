/** One measurement in a fresh process: the request is its standard input, the answer the last line it prints. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** No child outlives this, whatever becomes of its parent. */
export const CHILD_LIFETIME_MS = 180_000
const STANDARD_INPUT = 0

/**
 * Runs a script, named from the folder of the benchmarks on, and returns what it answers.
 * @param env beside that of this process
 */
export async function askChild<T>(
  script: string,
  request: object,
  env: Readonly<Record<string, string>> = {},
): Promise<T> {
  const file = fileURLToPath(new URL(`../${script}`, import.meta.url))
  const child = Bun.spawn([process.execPath, file], {
    env: { ...process.env, ...env },
    stdin: inputOf(request),
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: CHILD_LIFETIME_MS,
  })
  const output = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`${script} failed for ${JSON.stringify(request)}`)
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as T
}

/** What the child reads: thousands of streams are longer than an argument may be. */
export function inputOf(request: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(request))
}

/** What the parent asks, in the child. */
export function requestOf<T>(): T {
  return JSON.parse(readFileSync(STANDARD_INPUT, 'utf8')) as T
}

/** Answers the parent and ends the child. */
export function answer(figures: object): never {
  console.log(JSON.stringify(figures))
  process.exit(0)
}
