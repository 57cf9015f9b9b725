import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const SECRET_BYTES = 30
const OWNER_ONLY = 0o600

/** A secret kept in a file that only its owner can read. */
export interface KeptSecret {
  readonly secret: string
  /** Whether it was made just now. */
  readonly fresh: boolean
}

/** Reads the secret of a file, or makes one and keeps it there. */
export function keepSecret(file: string): KeptSecret {
  if (existsSync(file)) return { secret: readFileSync(file, 'utf8').trim(), fresh: false }
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64url')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${secret}\n`, { mode: OWNER_ONLY, flag: 'wx' })
  return { secret, fresh: true }
}
