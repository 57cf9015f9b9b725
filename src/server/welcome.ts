import type { Config } from './config/config.ts'
import type { Logger } from './logging/log.ts'
import type { CertificateSource } from './tls/certificate-source.ts'
import { openUrls } from './tls/own-names.ts'

/** Where the how-to on trusting the certificate stands, for people and in the package. */
const HOW_TO = 'docs/how-to/trust.md'

/** What a server that has just begun to listen says about itself. */
export interface WelcomeOptions {
  readonly config: Config
  /** Of the HTTPS listener. */
  readonly port: number
  readonly source: CertificateSource
  readonly logger: Logger
  /** Whether a person reads it at a terminal; else it becomes lines of the log. */
  readonly isForPeople: boolean
}

/** Says where to open the server, and how clients are told to trust a certificate that it has made. */
export function welcome({ config, port, source, logger, isForPeople }: WelcomeOptions): void {
  const addresses = openUrls(config, port)
  const [first = ''] = addresses
  const links = { documents: `${first}/swagger`, live: `${first}/docs/live`, health: `${first}/health` }
  const trust = config.TLS_CERT === undefined ? waysToTrust(source.name) : undefined
  if (!isForPeople) {
    logger.info({ addresses, ...links }, 'to open')
    if (trust === undefined) return
    if (source.isMadeNow) logger.info(`made the certificate ${source.name}: no client trusts it yet`)
    logger.info({ certificate: source.name, ...trust }, 'to trust the certificate')
    return
  }
  const rows: (readonly [string, string])[] = [
    ...addresses.map((address, index) => [index === 0 ? 'open' : '', address] as const),
    ['documents', links.documents],
    ['live page', links.live],
    ['health', links.health],
  ]
  if (trust !== undefined) {
    rows.push(['certificate', source.isMadeNow ? `${source.name}, made just now` : source.name])
    rows.push(['trust it', `curl: ${trust.curl}`], ['', `Node, Bun: ${trust.node}`], ['', `Python: ${trust.python}`])
    rows.push(['', `browsers: ${trust.browsers}`])
  }
  process.stdout.write(`\n${rows.map(([name, text]) => `  ${name.padEnd(12)}${text}\n`).join('')}\n`)
}

function waysToTrust(file: string) {
  const quoted = /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`
  return {
    curl: `--cacert ${quoted}`,
    node: `NODE_EXTRA_CA_CERTS=${quoted}`,
    python: `SSL_CERT_FILE=${quoted}`,
    browsers: HOW_TO,
  }
}
