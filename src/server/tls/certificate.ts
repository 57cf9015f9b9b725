import { createPrivateKey, X509Certificate } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { messageOf } from '../../files/system-error.ts'

/** A certificate and its key, PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** A certificate that this machine has generated. */
interface OwnCertificate extends Certificate {
  /** Whether this call generated it, so that no client trusts it yet. */
  readonly isNew: boolean
}

const LIFETIME_DAYS = 825
/** Remaining validity below which a generated certificate is replaced. */
const RENEW_BEFORE_MS = 30 * 24 * 60 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000
const DNS_NAME = 2
const IP_ADDRESS = 7
/** Object identifier 1.2.840.10045.4.3.2 of the signature algorithm, in DER. */
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex')

/**
 * Reads the certificate of the operator.
 * @throws Error that names the file that cannot be read, has another format, is encrypted, or does not match
 */
export function readCertificate(certFile: string, keyFile: string): Certificate {
  const cert = readPem('TLS_CERT', certFile)
  const key = readPem('TLS_KEY', keyFile)
  if (!holds(() => new X509Certificate(cert).subject !== null))
    throw new Error(`TLS_CERT: ${certFile} holds no certificate in PEM form`)
  if (/ENCRYPTED/.test(key)) {
    throw new Error(`TLS_KEY: ${keyFile} is encrypted: write it down without a passphrase, with openssl pkey`)
  }
  if (!holds(() => createPrivateKey(key).type === 'private'))
    throw new Error(`TLS_KEY: ${keyFile} holds no private key in PEM form`)
  if (!belongTogether({ cert, key })) throw new Error(`TLS_KEY: ${keyFile} is not the key of ${certFile}`)
  return { cert, key }
}

function readPem(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Error(`${setting}: cannot read ${file}: ${messageOf(cause)}`, { cause })
  }
}

function belongTogether({ cert, key }: Certificate): boolean {
  return holds(() => new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
}

/** Whether a check of PEM text succeeds; text in another format makes it throw. */
function holds(check: () => boolean): boolean {
  try {
    return check()
  } catch {
    return false
  }
}

/** Period in which clients accept a certificate. */
export interface Validity {
  readonly from: Date
  readonly to: Date
}

export function validityOf({ cert }: Certificate): Validity {
  const { validFrom, validTo } = new X509Certificate(cert)
  return { from: new Date(validFrom), to: new Date(validTo) }
}

/**
 * The generated certificate in `directory`; only its owner can read the key. A new one is generated when it expires
 * soon, lacks a name or address, has a surplus name, or has an old signature algorithm. Surplus addresses are kept:
 * addresses of a machine come and go.
 * @param names host names and IP addresses
 */
export async function ownCertificate(directory: string, names: readonly string[]): Promise<OwnCertificate> {
  const certFile = join(directory, 'certificate.pem')
  const keyFile = join(directory, 'certificate-key.pem')
  if (existsSync(certFile) && existsSync(keyFile)) {
    const kept = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
    if (belongTogether(kept) && isLasting(kept) && isFor(names, kept)) return { ...kept, isNew: false }
  }
  const made = await makeCertificate(names)
  mkdirSync(directory, { recursive: true })
  writeFileSync(keyFile, made.key, { mode: 0o600 })
  chmodSync(keyFile, 0o600)
  writeFileSync(certFile, made.cert)
  return { ...made, isNew: true }
}

/** Whether a generated certificate is valid long enough. */
export function isLasting(certificate: Certificate): boolean {
  return validityOf(certificate).to.getTime() - Date.now() > RENEW_BEFORE_MS
}

/** Whether a generated certificate is for these names and has the current signature algorithm. */
function isFor(names: readonly string[], { cert }: Certificate): boolean {
  const certificate = new X509Certificate(cert)
  if (!certificate.raw.includes(ECDSA_WITH_SHA256)) return false
  const isWhole = names.every((name) => isIP(name) === 0 || certificate.checkIP(name) !== undefined)
  const hosts = names.filter((name) => isIP(name) === 0)
  const has = (certificate.subjectAltName ?? '').matchAll(/DNS:([^,]+)/g)
  return isWhole && new Set(hosts).symmetricDifference(new Set([...has].map(([, name = '']) => name))).size === 0
}

/** Generates an EC certificate for these names. Clients do not trust it by default. */
async function makeCertificate(names: readonly string[]): Promise<Certificate> {
  // Loaded on demand: it takes longer than the rest of a start, and most starts generate no certificate.
  const { generate } = await import('selfsigned')
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - DAY_MS),
    notAfterDate: new Date(Date.now() + LIFETIME_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: names.map(altName) },
    ],
  })
  return { cert, key }
}

function altName(name: string) {
  return isIP(name) === 0 ? ({ type: DNS_NAME, value: name } as const) : ({ type: IP_ADDRESS, ip: name } as const)
}
