import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isApplicationId } from '../../applications/application-id.ts'

/** Format of backups. It changes when older versions cannot read new backups. */
const FORMAT = 1
const FILE = 'manifest.json'

const copied = { bytes: Type.Integer({ minimum: 0 }), sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) }

const applicationSchema = Type.Object({
  id: Type.String(),
  /** The tree, `<id>.sqlite`; absent when the application has none. */
  tree: Type.Optional(
    Type.Object({
      ...copied,
      epoch: Type.String(),
      /** Number of the last commit. */
      seq: Type.Integer({ minimum: 0 }),
      rows: Type.Array(Type.Tuple([Type.String(), Type.Integer({ minimum: 0 })])),
    }),
  ),
  /** The registration, `<id>.json`; absent for the default application. */
  settings: Type.Optional(Type.Object(copied)),
})

const manifestSchema = Type.Object({
  format: Type.Literal(FORMAT),
  /** Version of the program that made the backup. */
  dhole: Type.String(),
  /** Start of the backup, ISO 8601. */
  madeAt: Type.String(),
  /** Whether `secrets` holds the keys of the applications. */
  withSecrets: Type.Boolean(),
  applications: Type.Array(applicationSchema),
})

/** Content of a backup. */
export type Manifest = Static<typeof manifestSchema>
export type BackedUpApplication = Static<typeof applicationSchema>

export const manifestFormat = FORMAT

export function manifestFile(backup: string): string {
  return join(backup, FILE)
}

/** @throws Error unless the folder is a backup in a known format */
export function readManifest(backup: string): Manifest {
  const file = manifestFile(backup)
  let manifest: unknown
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new Error(`${backup} is no backup: ${file} cannot be read`, { cause })
  }
  if (Value.Check(manifestSchema, manifest)) {
    const wrong = manifest.applications.find(({ id }) => !isApplicationId(id))
    if (wrong === undefined) return manifest
    throw new Error(`${file}: ${JSON.stringify(wrong.id)} is no name of an application`)
  }
  if (Value.Check(Type.Object({ format: Type.Integer({ minimum: FORMAT + 1 }) }), manifest)) {
    throw new Error(`${file}: a newer version made this backup`)
  }
  const [first] = Value.Errors(manifestSchema, manifest)
  throw new Error(`${file}: ${first?.path} ${first?.message}`)
}
