import { existsSync } from 'node:fs'
import { isSingleExecutable, shippedFile } from '../../files/shipped-file.ts'

/** Folder of the bundle in a package or single executable. */
const BUILT = 'console/built'
/** Program that bundles the sources; only a checkout has it. */
const BUNDLER = 'console/bundle.ts'
/** Bundling takes well under a second. */
const BUNDLING_MS = 60_000

/** The console as browsers load it. */
export interface Bundle {
  /** File names of the script and the style sheet that its page names. */
  readonly script: string
  readonly style: string
  /** Text of every file by name. Names change with the text. */
  readonly texts: ReadonlyMap<string, string>
}

interface Manifest {
  readonly script: string
  readonly style: string
  readonly files: readonly string[]
}

/**
 * The bundle: of a package the one that was packed, of a checkout a new one of its sources, made by another process.
 * @throws Error when the sources cannot be bundled, with the words of the bundler
 */
export async function loadBundle(): Promise<Bundle> {
  return !isSingleExecutable && existsSync(shippedFile(BUNDLER)) ? bundled() : built()
}

async function built(): Promise<Bundle> {
  const read = (name: string) => Bun.file(shippedFile(`${BUILT}/${name}`)).text()
  const { script, style, files } = JSON.parse(await read('manifest.json')) as Manifest
  const texts = await Promise.all(files.map(async (name) => [name, await read(name)] as const))
  return { script, style, texts: new Map(texts) }
}

async function bundled(): Promise<Bundle> {
  const bundler = Bun.spawn([process.execPath, Bun.fileURLToPath(shippedFile(BUNDLER))], {
    cwd: Bun.fileURLToPath(shippedFile('')),
    env: {},
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: BUNDLING_MS,
  })
  const [text, complaints, status] = await Promise.all([bundler.stdout.text(), bundler.stderr.text(), bundler.exited])
  if (status !== 0) throw new Error(`the console cannot be bundled: ${complaints}`)
  const { manifest, texts } = JSON.parse(text) as { manifest: Manifest; texts: Readonly<Record<string, string>> }
  return { script: manifest.script, style: manifest.style, texts: new Map(Object.entries(texts)) }
}
