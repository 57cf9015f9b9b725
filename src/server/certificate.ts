import { createPrivateKey, X509Certificate } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A certificate and its key, PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

const LIFETIME_DAYS = 825
/** A made certificate is replaced at start when it has less than this left. */
const RENEW_BEFORE_MS = 30 * 24 * 60 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000
const DNS_NAME = 2
const IP_ADDRESS = 7

/** Reads the operator's certificate. @throws when a file cannot be read or the key is of another certificate */
export function readCertificate(certFile: string, keyFile: string): Certificate {
  const certificate = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
  if (!belongTogether(certificate)) throw new Error(`${keyFile} is not the key of ${certFile}`)
  return certificate
}

function belongTogether({ cert, key }: Certificate): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

/** The certificate this machine made for itself, made or renewed when needed. Kept in `directory`, key for its owner only. */
export async function ownCertificate(directory: string, host: string): Promise<Certificate> {
  const certFile = join(directory, 'certificate.pem')
  const keyFile = join(directory, 'certificate-key.pem')
  if (existsSync(certFile) && existsSync(keyFile)) {
    const kept = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
    if (belongTogether(kept) && isLasting(kept.cert)) return kept
  }
  const made = await makeCertificate(host)
  mkdirSync(directory, { recursive: true })
  writeFileSync(keyFile, made.key, { mode: 0o600 })
  chmodSync(keyFile, 0o600)
  writeFileSync(certFile, made.cert)
  return made
}

function isLasting(pem: string): boolean {
  return Date.parse(new X509Certificate(pem).validTo) - Date.now() > RENEW_BEFORE_MS
}

/** An EC certificate for this machine's names; clients must be told to trust it. */
async function makeCertificate(host: string): Promise<Certificate> {
  const names = [
    { type: DNS_NAME, value: 'localhost' },
    { type: DNS_NAME, value: '*.localhost' },
    { type: IP_ADDRESS, ip: '127.0.0.1' },
    { type: IP_ADDRESS, ip: '::1' },
  ] as const
  const isAddress = /^[\d.]+$|:/.test(host)
  const own = isAddress ? ({ type: IP_ADDRESS, ip: host } as const) : ({ type: DNS_NAME, value: host } as const)
  const known = ['localhost', '127.0.0.1', '::1', '0.0.0.0', '::'].includes(host)
  // Read only here: it takes longer than all the rest of a start, and most starts make no certificate.
  const { generate } = await import('selfsigned')
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    notBeforeDate: new Date(Date.now() - DAY_MS),
    notAfterDate: new Date(Date.now() + LIFETIME_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: known ? [...names] : [...names, own] },
    ],
  })
  return { cert, key }
}
