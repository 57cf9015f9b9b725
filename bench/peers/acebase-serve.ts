/** The process of acebase-server. */
import { AceBaseServer } from 'acebase-server'
import { CHILD_LIFETIME_MS, requestOf } from '../harness/child.ts'

export interface AcebaseServeRequest {
  /** Of the database: part of every address. */
  readonly name: string
  readonly dataDir: string
  readonly port: number
}

function serve({ name, dataDir, port }: AcebaseServeRequest): void {
  setTimeout(() => process.exit(1), CHILD_LIFETIME_MS)
  const authentication = { enabled: false }
  new AceBaseServer(name, { logLevel: 'error', host: '127.0.0.1', port, path: dataDir, authentication })
}

if (import.meta.main) serve(requestOf<AcebaseServeRequest>())
