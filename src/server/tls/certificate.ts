import { createPrivateKey, X509Certificate } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'

/** A certificate and its key, PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** A certificate that this machine has made. */
interface OwnCertificate extends Certificate {
  /** Whether it was made just now, so that no client trusts it yet. */
  readonly isNew: boolean
}

const LIFETIME_DAYS = 825
/** A made certificate is replaced when it has less than this left. */
const RENEW_BEFORE_MS = 30 * 24 * 60 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000
const DNS_NAME = 2
const IP_ADDRESS = 7
/** The object identifier 1.2.840.10045.4.3.2 in DER, which says how a certificate is signed. */
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex')

/**
 * Reads the operator's certificate.
 * @throws Error that names the file that cannot be read, is none, is encrypted, or is the key of another certificate
 */
export function readCertificate(certFile: string, keyFile: string): Certificate {
  const certificate = { cert: readPem('TLS_CERT', certFile), key: readPem('TLS_KEY', keyFile) }
  if (!isCertificate(certificate.cert)) throw new Error(`TLS_CERT: ${certFile} holds no certificate in PEM form`)
  if (/ENCRYPTED/.test(certificate.key)) {
    throw new Error(`TLS_KEY: ${keyFile} is encrypted: write it down without a passphrase, with openssl pkey`)
  }
  if (!isKey(certificate.key)) throw new Error(`TLS_KEY: ${keyFile} holds no private key in PEM form`)
  if (!belongTogether(certificate)) throw new Error(`TLS_KEY: ${keyFile} is not the key of ${certFile}`)
  return certificate
}

function readPem(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Error(`${setting}: cannot read ${file}: ${messageOf(cause)}`, { cause })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== null
  } catch {
    return false
  }
}

function isKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).type === 'private'
  } catch {
    return false
  }
}

function belongTogether({ cert, key }: Certificate): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

/** When clients accept a certificate. */
export interface Validity {
  readonly from: Date
  readonly to: Date
}

export function validityOf({ cert }: Certificate): Validity {
  const { validFrom, validTo } = new X509Certificate(cert)
  return { from: new Date(validFrom), to: new Date(validTo) }
}

/**
 * The certificate this machine made for itself, in `directory`, key for its owner only. It is made anew when it ends
 * soon, lacks a wanted name or address, has a name that is not wanted, or is signed with an old algorithm. An address
 * more is no reason: those of a machine come and go.
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

/** Whether a certificate we have made need not be made anew. */
export function isLasting(certificate: Certificate): boolean {
  return validityOf(certificate).to.getTime() - Date.now() > RENEW_BEFORE_MS
}

/** Whether a certificate we have made is for these names and signed as we sign today. */
function isFor(names: readonly string[], { cert }: Certificate): boolean {
  const certificate = new X509Certificate(cert)
  if (!certificate.raw.includes(ECDSA_WITH_SHA256)) return false
  const isWhole = names.every((name) => isIP(name) === 0 || certificate.checkIP(name) !== undefined)
  const hosts = names.filter((name) => isIP(name) === 0)
  const has = (certificate.subjectAltName ?? '').matchAll(/DNS:([^,]+)/g)
  return isWhole && new Set(hosts).symmetricDifference(new Set([...has].map(([, name = '']) => name))).size === 0
}

/** An EC certificate for these names; clients must be told to trust it. */
async function makeCertificate(names: readonly string[]): Promise<Certificate> {
  // Read only here: it takes longer than all the rest of a start, and most starts make no certificate.
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
