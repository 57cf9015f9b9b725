/**
 * Bundles the console: `bun console/bundle.ts FOLDER` writes the files and `manifest.json` to a folder, which is made
 * anew. A checkout needs no such folder: the server runs this without one and reads the bundle as one line of JSON.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** What the server needs to know of a bundle. */
export interface BundleManifest {
  /** File names of the entries. */
  readonly script: string
  readonly style: string
  /** Every file. */
  readonly files: readonly string[]
}

interface Bundle {
  readonly manifest: BundleManifest
  readonly texts: Readonly<Record<string, string>>
}

/** Splits at every `import()`, so that editors and graphs are loaded by the pages that have them. */
async function bundle(): Promise<Bundle> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, 'src/main.tsx'), join(import.meta.dir, 'src/main.css')],
    target: 'browser',
    format: 'esm',
    minify: true,
    splitting: true,
    // What several pages share would else have the name of the entry.
    naming: { entry: '[name]-[hash].[ext]', chunk: 'part-[name]-[hash].[ext]' },
    // The build replaces this condition of libraries, which otherwise bring their checks for developers.
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const texts: Record<string, string> = {}
  for (const output of built.outputs) texts[output.path.replace(/^\.?\//, '')] = await output.text()
  const files = Object.keys(texts).toSorted()
  const entry = (pattern: RegExp) => {
    const found = files.find((name) => pattern.test(name))
    if (found === undefined) throw new Error(`the bundle has no file ${pattern}`)
    return found
  }
  return { manifest: { script: entry(/^main-.*\.js$/), style: entry(/^main-.*\.css$/), files }, texts }
}

const [folder] = process.argv.slice(2)
const { manifest, texts } = await bundle()
if (folder === undefined) {
  await Bun.write(Bun.stdout, `${JSON.stringify({ manifest, texts })}\n`)
} else {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(texts)) await Bun.write(join(folder, name), text)
  await Bun.write(join(folder, 'manifest.json'), `${JSON.stringify(manifest)}\n`)
}
