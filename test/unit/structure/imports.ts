import { dirname, posix, relative } from 'node:path'

const ROOT = Bun.fileURLToPath(new URL('../../..', import.meta.url))
/** `from './x.ts'`, `import './x.ts'` and `import('./x.ts')`. */
const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g

/** A source file and the source files that it imports, types included; paths from the root of the repository. */
export interface SourceFile {
  readonly path: string
  readonly text: string
  readonly imports: readonly string[]
}

/** All TypeScript files of `src/`. */
export async function sourceFiles(): Promise<readonly SourceFile[]> {
  const paths = [...new Bun.Glob('src/**/*.ts').scanSync({ cwd: ROOT })].toSorted()
  return await Promise.all(
    paths.map(async (path) => {
      const text = await Bun.file(`${ROOT}/${path}`).text()
      const targets = [...text.matchAll(IMPORT)].map(([, target = '']) => posix.join(dirname(path), target))
      const imports = targets.filter((target) => target.startsWith('src/'))
      return { path, text, imports }
    }),
  )
}

/** The room of a file: its folder directly below `src/`, or the file itself. */
export function roomOf(path: string): string {
  return relative('src', path).split('/')[0] ?? ''
}

/** Groups of files that import each other in a circle. */
export function cyclesOf(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const imports = new Map(files.map((file) => [file.path, file.imports]))
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const cycles: string[][] = []
  const visit = (path: string): number => {
    const at = order.size
    let low = at
    order.set(path, at)
    open.push(path)
    for (const target of imports.get(path) ?? []) {
      if (!imports.has(target)) continue
      const seen = order.get(target)
      if (seen === undefined) low = Math.min(low, visit(target))
      else if (open.includes(target)) low = Math.min(low, seen)
    }
    lowest.set(path, low)
    if (low === at) {
      const cycle = open.splice(open.indexOf(path))
      if (cycle.length > 1) cycles.push(cycle)
    }
    return low
  }
  for (const { path } of files) if (!order.has(path)) visit(path)
  return cycles
}
