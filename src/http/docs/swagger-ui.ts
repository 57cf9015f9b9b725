import { existsSync, readFileSync } from 'node:fs'
import { isSingleExecutable, shippedFile } from '../../files/shipped-file.ts'

/** Folder of the copies in a package or single executable; a checkout reads the npm package. */
const COPIES = 'swagger-ui'

const hasCopies = isSingleExecutable || existsSync(shippedFile(COPIES))

/** A file of Swagger UI. @param name file name in the package `swagger-ui-dist` */
export function swaggerUiFile(name: string): URL {
  return hasCopies ? shippedFile(`${COPIES}/${name}`) : new URL(import.meta.resolve(`swagger-ui-dist/${name}`))
}

/** Version of Swagger UI. */
export function swaggerUiVersion(): string {
  const { version } = JSON.parse(readFileSync(swaggerUiFile('package.json'), 'utf8')) as { readonly version: string }
  return version
}
