import { join } from 'node:path'

/** File of the tree of an application. */
export function treeFile(dataDir: string, id: string): string {
  return join(dataDir, 'apps', `${id}.sqlite`)
}
