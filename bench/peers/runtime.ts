/** What runs servers that are made for Node. */
import { execFileSync } from 'node:child_process'

interface Runtime {
  /** `Node v22.1.0`, or why it is another one. */
  readonly name: string
  readonly file: string
}

let found: Runtime | undefined

/** Node; the runtime of the benchmarks where it is not installed. Looked for once, when a peer is first spoken of. */
export function nodeRuntime(): Runtime {
  found ??= findRuntime()
  return found
}

function findRuntime(): Runtime {
  const file = Bun.which('node')
  if (file === null) return { name: 'Bun, because Node is not installed', file: process.execPath }
  return { name: `Node ${execFileSync(file, ['--version'], { encoding: 'utf8' }).trim()}`, file }
}
