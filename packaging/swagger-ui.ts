/** Copies the files of Swagger UI that the package ships to `swagger-ui/`: `bun packaging/swagger-ui.ts`. */
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** What the page loads, what says which version it is, and what its licence asks for. */
const FILES = [
  ...['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'],
  ...['package.json', 'LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'],
]

/** @param folder is made anew */
export async function copySwaggerUi(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const name of FILES) {
    await cp(Bun.fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), join(folder, name))
  }
}

if (import.meta.main) await copySwaggerUi(join(import.meta.dir, '..', 'swagger-ui'))
