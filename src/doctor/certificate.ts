import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { messageOf } from '../files/system-error.ts'
import type { Config } from '../server/config/settings.ts'
import { tlsNames } from '../server/tls/own-names.ts'
import { type CheckResult, ok, problem, warning } from './check-result.ts'
import { checkPrivateFile } from './data-folder.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** A certificate that expires sooner is a warning. */
const SOON_DAYS = 30
/** Values of `HOST` that are no name for clients. */
const ANY_HOST = new Set(['0.0.0.0', '::'])

/** Checks the certificate of the settings, or else the generated one: key, dates and names. */
export function* checkCertificate(config: Config): Generator<CheckResult, void> {
  const own = join(config.DATA_DIR, 'tls')
  const isOwn = config.TLS_CERT === undefined
  const file = config.TLS_CERT ?? join(own, 'certificate.pem')
  const keyFile = config.TLS_KEY ?? join(own, 'certificate-key.pem')
  const check = `certificate ${file}`
  if (isOwn && !existsSync(file)) {
    yield ok(check, 'there is none yet: the first start makes one')
    return
  }
  try {
    const certificate = new X509Certificate(readFileSync(file, 'utf8'))
    yield* checkKey(certificate, keyFile)
    yield checkDates(check, certificate, isOwn)
    yield* checkNames(check, certificate, config)
  } catch (error) {
    yield problem(
      check,
      messageOf(error),
      isOwn ? 'delete it: the next start makes one' : 'name a PEM file in TLS_CERT',
    )
  }
}

function* checkKey(certificate: X509Certificate, keyFile: string): Generator<CheckResult, void> {
  const check = `key ${keyFile}`
  try {
    const belongs = certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile, 'utf8')))
    const open = checkPrivateFile(check, keyFile)
    if (!belongs) yield problem(check, 'it is the key of another certificate', 'replace both files together')
    if (open !== undefined) yield open
    if (belongs && open === undefined) yield ok(check, 'it belongs to the certificate, and only its owner can read it')
  } catch (error) {
    yield problem(check, messageOf(error), 'name the PEM file of the key of the certificate in TLS_KEY')
  }
}

function checkDates(check: string, certificate: X509Certificate, isOwn: boolean): CheckResult {
  const days = Math.floor((Date.parse(certificate.validTo) - Date.now()) / DAY_MS)
  const renew = isOwn ? 'start the server again: it makes a new one' : 'renew it'
  if (Date.parse(certificate.validFrom) > Date.now()) {
    return problem(check, `it is not valid before ${certificate.validFrom}`, 'check the clock, or wait')
  }
  if (days < 0) return problem(check, `it expired on ${certificate.validTo}`, renew)
  if (days < SOON_DAYS) return warning(check, `it is valid for ${days} more days`, renew)
  return ok(check, `it is valid for ${days} more days`)
}

function* checkNames(check: string, certificate: X509Certificate, config: Config): Generator<CheckResult, void> {
  const { HOST, BASE_DOMAIN, TLS_CERT } = config
  const applications = BASE_DOMAIN === undefined ? [] : [`app.${BASE_DOMAIN}`]
  const wanted = [...(ANY_HOST.has(HOST) ? [] : [HOST]), ...applications, ...tlsNames(config)]
  // A wildcard matches any label.
  const names = new Set(wanted.map((name) => name.replace('*', 'any')))
  const remedy =
    TLS_CERT === undefined
      ? 'start the server again: it makes one for this name'
      : 'get one for this name, if clients use it'
  for (const name of names) {
    const isNamed = (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined
    if (isNamed) yield ok(check, `it is valid for ${name}`)
    else yield warning(check, `it does not name ${name}`, remedy)
  }
}
