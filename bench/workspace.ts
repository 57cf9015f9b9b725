/** Files of one run: a certificate and one tree of each size, below the checkout so that they are on a real disk. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generate } from 'selfsigned'
import { buildTree, databaseFile } from './fixtures.ts'
import { size } from './report.ts'
import type { Certificate } from './targets/target.ts'

const DATA_DIR = fileURLToPath(new URL('data', import.meta.url))

export class Workspace implements Disposable {
  readonly certificate: Certificate
  readonly #directory: string

  /** Use `openWorkspace`. */
  constructor(directory: string, certificate: Certificate) {
    this.#directory = directory
    this.certificate = certificate
  }

  /** The tree of that size, to be read only. */
  tree(leaves: number): string {
    return join(this.#directory, size(leaves))
  }

  /** Runs a measurement on a copy of the tree and an empty directory, and removes both. */
  async withCopy<T>(leaves: number, measure: (dataDir: string, scratchDir: string) => Promise<T>): Promise<T> {
    return this.withScratch(async (scratchDir) => {
      const dataDir = join(scratchDir, 'tree')
      mkdirSync(dirname(databaseFile(dataDir)), { recursive: true })
      cpSync(databaseFile(this.tree(leaves)), databaseFile(dataDir))
      return measure(dataDir, scratchDir)
    })
  }

  async withScratch<T>(measure: (scratchDir: string) => Promise<T>): Promise<T> {
    const scratchDir = mkdtempSync(join(this.#directory, 'scratch-'))
    try {
      return await measure(scratchDir)
    } finally {
      rmSync(scratchDir, { recursive: true })
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

export async function openWorkspace(sizes: readonly number[]): Promise<Workspace> {
  mkdirSync(DATA_DIR, { recursive: true })
  const names = [{ name: 'commonName', value: 'localhost' }]
  const { cert, private: key } = await generate(names, { keyType: 'ec' })
  const workspace = new Workspace(mkdtempSync(join(DATA_DIR, 'run-')), { cert, key })
  for (const leaves of sizes) {
    process.stderr.write(`loading a tree of ${size(leaves)} leaves\n`)
    await buildTree(workspace.tree(leaves), leaves)
  }
  return workspace
}
