/** The process of json-server: its own command, without a log of requests. */
import { CHILD_LIFETIME_MS, requestOf } from '../harness/child.ts'

export interface JsonServeRequest {
  /** JSON of the lists. */
  readonly file: string
  readonly port: number
}

async function serve({ file, port }: JsonServeRequest): Promise<void> {
  setTimeout(() => process.exit(1), CHILD_LIFETIME_MS)
  process.argv.splice(2, 1, '--quiet', '--host', '127.0.0.1', '--port', String(port), file)
  await import(import.meta.resolve('json-server/lib/cli/bin.js'))
}

if (import.meta.main) await serve(requestOf<JsonServeRequest>())
