import { operatorSecretFile } from '../data-folder/secret-file.ts'
import type { Config } from './config/settings.ts'
import type { Logger } from './logging/log.ts'
import type { CertificateSource } from './tls/certificate-source.ts'
import { openUrls } from './tls/own-names.ts'

/** Guide to trusting the certificate, in the package. */
const HOW_TO = 'docs/how-to/trust.md'

/** Facts about a server that has just started. */
export interface WelcomeOptions {
  readonly config: Config
  /** Port of the HTTPS listener. */
  readonly port: number
  readonly source: CertificateSource
  readonly logger: Logger
  /** Prints text for a terminal; else writes log lines. */
  readonly isForPeople: boolean
}

/** Prints the addresses of the server, and how clients can trust a generated certificate. */
export function welcome({ config, port, source, logger, isForPeople }: WelcomeOptions): void {
  const addresses = openUrls(config, port)
  const [first = ''] = addresses
  const links = {
    documents: `${first}/swagger`,
    live: `${first}/docs/live`,
    health: `${first}/health`,
    ...consoleLink(config, first),
  }
  const trust = config.TLS_CERT === undefined ? trustOptions(source.name) : undefined
  if (!isForPeople) {
    logger.info({ addresses, ...links }, 'to open')
    if (trust === undefined) return
    if (source.isGenerated) logger.info(`made the certificate ${source.name}: no client trusts it yet`)
    logger.info({ certificate: source.name, ...trust }, 'to trust the certificate')
    return
  }
  const rows: (readonly [string, string])[] = [
    ...addresses.map((address, index) => [index === 0 ? 'open' : '', address] as const),
    ['documents', links.documents],
    ...consoleRows(config, links.console),
    ['live page', links.live],
    ['health', links.health],
  ]
  if (trust !== undefined) {
    rows.push(['certificate', source.isGenerated ? `${source.name}, made just now` : source.name])
    rows.push(['trust it', `curl: ${trust.curl}`], ['', `Node, Bun: ${trust.node}`], ['', `Python: ${trust.python}`])
    rows.push(['', `browsers: ${trust.browsers}`])
  }
  process.stdout.write(`\n${rows.map(([name, text]) => `  ${name.padEnd(12)}${text}\n`).join('')}\n`)
}

/** Address of the console, where there is one. */
function consoleLink({ CONSOLE }: Config, origin: string): { readonly console?: string } {
  return CONSOLE ? { console: `${origin}/console` } : {}
}

/** The secret is in its file: others may read the output. */
function consoleRows(config: Config, link: string | undefined): (readonly [string, string])[] {
  if (link === undefined) return []
  const where =
    config.OPERATOR_SECRET === undefined ? operatorSecretFile(config.DATA_DIR) : 'the setting OPERATOR_SECRET'
  return [
    ['console', link],
    ['', `the secret of its operator is in ${where}`],
  ]
}

function trustOptions(file: string) {
  const quoted = /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`
  return {
    curl: `--cacert ${quoted}`,
    node: `NODE_EXTRA_CA_CERTS=${quoted}`,
    python: `SSL_CERT_FILE=${quoted}`,
    browsers: HOW_TO,
  }
}
