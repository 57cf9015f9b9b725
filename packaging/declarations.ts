/**
 * Writes the type declarations of the public entries to `types/`: `bun packaging/declarations.ts`. Only files that the
 * entries reach are kept, so that hosts see neither the inside nor its dependencies.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const TARGET = join(ROOT, 'types')
const ENTRIES = ['index.d.ts', 'embedded.d.ts']
/** `from './x.ts'`, `import './x.ts'` and `import('./x.ts')`. */
const RELATIVE_IMPORT = /\b(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)\.ts['"]/g
const DIAGNOSTIC = /^src\/(.+)\.ts\(\d+,\d+\): error/

const all = await mkdtemp(join(tmpdir(), 'dhole-types-'))
try {
  const diagnostics = await compile(all)
  const reached = await reachable(all)
  const relevant = diagnostics.filter((line) => {
    const file = DIAGNOSTIC.exec(line)?.[1]
    return file === undefined || reached.has(`${file}.d.ts`)
  })
  if (relevant.length > 0) throw new Error(relevant.join('\n'))
  await rm(TARGET, { recursive: true, force: true })
  for (const file of reached) await cp(join(all, file), join(TARGET, file))
} finally {
  await rm(all, { recursive: true })
}

/** @returns the errors, a line each: files of the inside may have types that cannot be declared */
async function compile(folder: string): Promise<readonly string[]> {
  const compiler = Bun.spawn([join(ROOT, 'node_modules/.bin/tsc'), '-p', 'tsconfig.build.json', '--outDir', folder], {
    cwd: ROOT,
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const text = await compiler.stdout.text()
  return text.split('\n').filter((line) => line !== '')
}

/** The declarations that the entries import, directly or through others; paths relative to the folder. */
async function reachable(folder: string): Promise<ReadonlySet<string>> {
  const reached = new Set(ENTRIES)
  for (const file of reached) {
    const text = await Bun.file(join(folder, file)).text()
    for (const [, specifier] of text.matchAll(RELATIVE_IMPORT)) {
      reached.add(relative(folder, join(folder, dirname(file), `${specifier}.d.ts`)))
    }
  }
  return reached
}
