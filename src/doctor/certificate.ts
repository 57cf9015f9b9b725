import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Config } from '../server/config/config.ts'
import { tlsNames } from '../server/tls/own-names.ts'
import { type Finding, ok, problem, reasonOf, warning } from './check-result.ts'
import { lookAtPrivateFile } from './data-folder.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Time in which somebody can be told to renew it. */
const SOON_DAYS = 30
/** Hosts that are no name anybody connects to. */
const ANY_HOST = new Set(['0.0.0.0', '::'])

/** Whether the certificate of the settings, or the one that was made, can be served today and soon. */
export function* lookAtCertificate(config: Config): Generator<Finding, void> {
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
    yield* lookAtKey(certificate, keyFile)
    yield lookAtDates(check, certificate, isOwn)
    yield* lookAtNames(check, certificate, config)
  } catch (error) {
    yield problem(check, reasonOf(error), isOwn ? 'delete it: the next start makes one' : 'name a PEM file in TLS_CERT')
  }
}

function* lookAtKey(certificate: X509Certificate, keyFile: string): Generator<Finding, void> {
  const check = `key ${keyFile}`
  try {
    const belongs = certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile, 'utf8')))
    const open = lookAtPrivateFile(check, keyFile)
    if (!belongs) yield problem(check, 'it is the key of another certificate', 'put both files there together')
    if (open !== undefined) yield open
    if (belongs && open === undefined) yield ok(check, 'it belongs to the certificate, and only its owner can read it')
  } catch (error) {
    yield problem(check, reasonOf(error), 'name the PEM file of the key of the certificate in TLS_KEY')
  }
}

function lookAtDates(check: string, certificate: X509Certificate, isOwn: boolean): Finding {
  const days = Math.floor((Date.parse(certificate.validTo) - Date.now()) / DAY_MS)
  const renew = isOwn ? 'start the server again: it makes a new one' : 'renew it'
  if (Date.parse(certificate.validFrom) > Date.now()) {
    return problem(check, `it is good from ${certificate.validFrom} on`, 'look at the clock, or wait')
  }
  if (days < 0) return problem(check, `it was good until ${certificate.validTo}`, renew)
  if (days < SOON_DAYS) return warning(check, `it is good for ${days} more days`, renew)
  return ok(check, `it is good for ${days} more days`)
}

function* lookAtNames(check: string, certificate: X509Certificate, config: Config): Generator<Finding, void> {
  const { HOST, BASE_DOMAIN, TLS_CERT } = config
  const applications = BASE_DOMAIN === undefined ? [] : [`app.${BASE_DOMAIN}`]
  const wanted = [...(ANY_HOST.has(HOST) ? [] : [HOST]), ...applications, ...tlsNames(config)]
  // A wildcard stands for any label.
  const names = new Set(wanted.map((name) => name.replace('*', 'any')))
  const remedy =
    TLS_CERT === undefined
      ? 'start the server again: it makes one that does'
      : 'get one that does, if clients connect by that name'
  for (const name of names) {
    const isNamed = (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined
    if (isNamed) yield ok(check, `it is good for ${name}`)
    else yield warning(check, `it does not name ${name}`, remedy)
  }
}
