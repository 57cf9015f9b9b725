import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivately } from '../files/private-file.ts'

const SECRET_BYTES = 30
/** Minimum length: shorter secrets can be guessed. */
export const LEAST_SECRET_LENGTH = 16

/** Recommended length of chosen secrets: the right secret is accepted however many wrong ones were tried. */
export const SAFE_SECRET_LENGTH = 32

/** A secret from a file that only its owner can read. */
export interface KeptSecret {
  readonly secret: string
  /** Whether this call generated the secret. */
  readonly fresh: boolean
}

/** File of the super secret of an application. */
export function secretFile(dataDir: string, id: string): string {
  return join(dataDir, 'secrets', `${id}.secret`)
}

/** File of the key that signs the SMS calls of an application. */
export function smsKeyFile(dataDir: string, id: string): string {
  return join(dataDir, 'secrets', `${id}.sms`)
}

/** File of the secret of the operator. */
export function operatorSecretFile(dataDir: string): string {
  return join(dataDir, 'operator.secret')
}

/** Reads the secret of a file, or generates it. @throws Error when the file holds no secret */
export function keepSecret(file: string): KeptSecret {
  if (existsSync(file)) return { secret: readSecret(file), fresh: false }
  const secret = newSecret()
  writeSecret(file, secret)
  return { secret, fresh: true }
}

/** @throws Error when the file is missing or too short: an empty secret would accept every client */
export function readSecret(file: string): string {
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < LEAST_SECRET_LENGTH) {
    throw new Error(`${file} holds no secret of at least ${LEAST_SECRET_LENGTH} characters`)
  }
  return secret
}

/** Replaces the secret of a file. Durable when it returns. */
export function writeSecret(file: string, secret: string): void {
  writePrivately(file, `${secret}\n`)
}

/** Generates 240 random bits as text that needs no escapes in a URL and that no command mistakes for an option. */
export function newSecret(): string {
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64url')
  return secret.startsWith('-') ? newSecret() : secret
}
