/** A server of text messages, on a copy of its own. */
import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import type { Workspace } from '../harness/workspace.ts'
import { withServer } from '../load/https.ts'
import { SMS_KEY } from '../load/sms-calls.ts'
import { databaseFile } from '../stock/blogs.ts'
import { dholeServer } from '../targets/dhole.ts'
import type { Running } from '../targets/target.ts'

/** What a load has to be told of its server. */
export type Served = Pick<Running, 'url' | 'pid'>

/** Starts a server with a meter on a copy of a data directory, measures, and removes both. */
export function withMessages<T>(
  workspace: Workspace,
  original: string,
  measure: (served: Served, scratchDir: string) => Promise<T>,
): Promise<T> {
  const { certificate } = workspace
  return workspace.withCopy(original, (dataDir, scratchDir) => {
    settle(databaseFile(dataDir))
    return withServer(dholeServer({ certificate, dataDir, smsKey: SMS_KEY, meter: true }), ({ url, pid }) =>
      measure({ url, pid }, scratchDir),
    )
  })
}

/** What has just been copied must not be on its way to the disk while others wait for it. */
function settle(file: string): void {
  const descriptor = openSync(file, 'r')
  fdatasyncSync(descriptor)
  closeSync(descriptor)
}
