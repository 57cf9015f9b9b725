import { join } from 'node:path'

/** Where the tree of an application is kept. */
export function treeFile(dataDir: string, id: string): string {
  return join(dataDir, 'apps', `${id}.sqlite`)
}
