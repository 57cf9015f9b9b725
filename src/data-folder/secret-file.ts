import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivately } from '../files/private-file.ts'

const SECRET_BYTES = 30
/** Shorter ones can be guessed. */
export const LEAST_SECRET_LENGTH = 16

/** Secrets that somebody has chosen should have at least so many characters, as right ones are let in however many are tried. */
export const SAFE_SECRET_LENGTH = 32

/** A secret kept in a file that only its owner can read. */
export interface KeptSecret {
  readonly secret: string
  /** Whether it was made just now. */
  readonly fresh: boolean
}

/** Where the super secret of an application is kept. */
export function secretFile(dataDir: string, id: string): string {
  return join(dataDir, 'secrets', `${id}.secret`)
}

/** Where the key is kept that signs an application's requests for the states of its text messages. */
export function smsKeyFile(dataDir: string, id: string): string {
  return join(dataDir, 'secrets', `${id}.sms`)
}

/** Reads the secret of a file, or makes one and keeps it there. @throws Error when the file holds none */
export function keepSecret(file: string): KeptSecret {
  if (existsSync(file)) return { secret: readSecret(file), fresh: false }
  const secret = newSecret()
  writeSecret(file, secret)
  return { secret, fresh: true }
}

/** @throws Error when there is no such file, or too little in it: an empty secret would let everybody in */
export function readSecret(file: string): string {
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < LEAST_SECRET_LENGTH) {
    throw new Error(`${file} holds no secret of at least ${LEAST_SECRET_LENGTH} characters`)
  }
  return secret
}

/** Puts a secret in the place of the one in a file. Durable when it returns. */
export function writeSecret(file: string, secret: string): void {
  writePrivately(file, `${secret}\n`)
}

/** 240 random bits as text that needs no escapes in a URL, and that no command takes for one of its options. */
export function newSecret(): string {
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64url')
  return secret.startsWith('-') ? newSecret() : secret
}
