/**
 * Makes a single executable of the server: `bun packaging/binary.ts [FILE]`, `dist/dhole` by default. It needs neither
 * Bun nor this folder to run; everything that is not code is copied into it under the path that `shippedFile` asks for.
 */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { copySwaggerUi } from './swagger-ui.ts'

const ROOT = join(import.meta.dir, '..')
/** Folders and files of the checkout. */
const FILES = ['drizzle/sqlite', 'drizzle/postgres', 'src/http/docs/live']

const outfile = resolve(process.argv[2] ?? join(ROOT, 'dist/dhole'))
const staging = await mkdtemp(join(tmpdir(), 'dhole-binary-'))
try {
  const shipped = join(staging, 'shipped')
  for (const path of FILES) await cp(join(ROOT, path), join(shipped, path), { recursive: true })
  await copySwaggerUi(join(shipped, 'swagger-ui'))
  await bundleConsole(join(shipped, 'console/built'))
  await mkdir(dirname(outfile), { recursive: true })
  await Bun.build({
    entrypoints: ['src/cli/main.ts', ...workers()].map((path) => join(ROOT, path)),
    root: ROOT,
    target: 'bun',
    // A file of the folder it is started in must not decide what runs.
    compile: { outfile, assets: [shipped], autoloadBunfig: false },
  })
  process.stdout.write(`${outfile}\n`)
} finally {
  await rm(staging, { recursive: true })
}

/** In a process of its own, as a checkout does it. */
async function bundleConsole(folder: string): Promise<void> {
  const bundler = Bun.spawn([process.execPath, join(ROOT, 'console/bundle.ts'), folder], {
    cwd: ROOT,
    stderr: 'inherit',
  })
  if ((await bundler.exited) !== 0) throw new Error('the console cannot be bundled')
}

/** Each is a program of its own, found by its path when it is started. */
function workers(): readonly string[] {
  return [...new Bun.Glob('src/**/*-worker.ts').scanSync({ cwd: ROOT })].toSorted()
}
