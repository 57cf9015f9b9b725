import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConfig } from '../../server/config/config.ts'
import { reason } from '../terminal/input.ts'
import { connectServer, localClient } from './admin-client.ts'
import { checkAppFlag, defaultId } from './app-flag.ts'
import { HttpsTreeAdmin } from './https-tree-admin.ts'
import { OperatedTree, type TreeAdmin } from './tree-admin.ts'

/** The tree that a command works on. */
export interface TreeChoice {
  readonly app: string | undefined
  readonly dataDir: string
  /** Address of a server, in place of the data folder. */
  readonly url: string | undefined
  readonly token: string | undefined
  readonly secretFile: string | undefined
  readonly cacert: string | undefined
}

/** Name of a tree in the saved position of an import. */
export function nameOf({ app, dataDir, url }: TreeChoice): string {
  return url === undefined ? `${app ?? defaultId()} of ${resolve(dataDir)}` : `${app ?? 'the default'} of ${url}`
}

/**
 * Runs an action on a tree: over HTTPS, through the server of the data folder, or in its file.
 * @throws Error when the application does not exist, or the server does not reply
 */
export async function withTreeAdmin<T>(choice: TreeChoice, action: (tree: TreeAdmin) => Promise<T>): Promise<T> {
  const { dataDir, url, app = defaultId() } = choice
  checkAppFlag(app)
  if (url !== undefined) return action(overHttps(url, choice))
  if (choice.token ?? choice.secretFile ?? choice.cacert) {
    throw new Error('--token, --secret-file and --cacert belong to --url')
  }
  await using admin = (await connectServer(dataDir)) ?? (await localClient(dataDir))
  return await action(new OperatedTree(admin, app))
}

function overHttps(url: string, { app, token, secretFile, cacert }: TreeChoice): HttpsTreeAdmin {
  if (token !== undefined && secretFile !== undefined) {
    throw new Error('--token and --secret-file contradict each other: give one')
  }
  const { MAX_LEAF_BYTES, DHOLE_SECRET } = process.env
  const secret = secretFile === undefined ? DHOLE_SECRET : textOf('--secret-file', secretFile).trim()
  return new HttpsTreeAdmin({
    url,
    app,
    credential: token ?? (secret || undefined),
    ca: cacert === undefined ? undefined : textOf('--cacert', cacert),
    maxLeafBytes: readConfig({ MAX_LEAF_BYTES }).MAX_LEAF_BYTES,
  })
}

function textOf(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Error(`${flag}: ${file}: ${reason(cause)}`, { cause })
  }
}
