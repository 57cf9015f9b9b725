import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { socketPath } from '../../admin/control/command.ts'
import { connect } from '../../admin/control/control-client.ts'
import { Registry } from '../../admin/registry.ts'
import { OpenTree, type TreeDesk } from '../../admin/tree-admin.ts'
import { isApplicationId } from '../../applications/application-id.ts'
import { treeFile } from '../../data-folder/tree-file.ts'
import { isOwnMachine, readConfig, readRules } from '../../server/config/config.ts'
import { reason } from '../terminal/input.ts'
import { defaultId } from './default-id.ts'
import { HttpsTree } from './https-tree.ts'

/** Which tree a command is about. */
export interface TreeChoice {
  readonly app: string | undefined
  readonly dataDir: string
  /** A server anywhere, in place of the one of the folder. */
  readonly url: string | undefined
  readonly token: string | undefined
  readonly secretFile: string | undefined
  readonly cacert: string | undefined
}

/** What a tree is called where it must be known again. */
export function nameOf({ app, dataDir, url }: TreeChoice): string {
  return url === undefined ? `${app ?? defaultId()} of ${resolve(dataDir)}` : `${app ?? 'the default'} of ${url}`
}

/**
 * Does something to a tree: over HTTPS, through the server that runs on the folder, or in its file.
 * @throws Error when there is no such application, or a server is there and does not answer
 */
export async function atTree<T>(choice: TreeChoice, action: (desk: TreeDesk) => Promise<T>): Promise<T> {
  const { dataDir, url, app = defaultId() } = choice
  if (!isApplicationId(app)) throw new Error(`--app: ${JSON.stringify(app)} is no name of an application`)
  if (url !== undefined) return action(overHttps(url, choice))
  if (choice.token ?? choice.secretFile ?? choice.cacert) {
    throw new Error('--token, --secret-file and --cacert belong to --url')
  }
  const path = socketPath(dataDir)
  const server = path === undefined ? undefined : await connect(path)
  if (server !== undefined) return action(server.tree(app))
  const registered = new Registry(dataDir).settings(app)
  // The first start of a server makes the default one; to open any other would make it.
  if (registered === undefined && !(app === defaultId() && existsSync(treeFile(dataDir, app)))) {
    throw new Error(`there is no application "${app}" in ${dataDir}`)
  }
  // What a server is made of is read only when there is none.
  const { openClosedTree } = await import('../../dhole.ts')
  await using database = openClosedTree(dataDir, app, settingsOf(registered))
  return await action(new OpenTree(database))
}

/** As the settings in the environment say, which are those of a server started from here. */
function settingsOf(registered: ReturnType<Registry['settings']>): NonNullable<ReturnType<Registry['settings']>> {
  const { MAX_LEAF_BYTES, RULES, HOST } = process.env
  const config = readConfig({ MAX_LEAF_BYTES, RULES, HOST })
  const limits = { maxLeafBytes: config.MAX_LEAF_BYTES, ...registered?.limits }
  if (registered !== undefined) return { ...registered, limits }
  const rules = readRules(config)
  return { limits, ...(rules === undefined ? { open: isOwnMachine(config.HOST) } : { rules }) }
}

function overHttps(url: string, { app, token, secretFile, cacert }: TreeChoice): HttpsTree {
  if (token !== undefined && secretFile !== undefined) {
    throw new Error('--token and --secret-file contradict each other: give one')
  }
  const { MAX_LEAF_BYTES, DHOLE_SECRET } = process.env
  const secret = secretFile === undefined ? DHOLE_SECRET : textOf('--secret-file', secretFile).trim()
  return new HttpsTree({
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
