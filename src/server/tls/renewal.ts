import type { SecureListener } from '../listeners/secure-listener.ts'
import type { Logger } from '../logging/log.ts'
import { type Certificate, validityOf } from './certificate.ts'
import type { CertificateSource } from './certificate-source.ts'

/** Gives the listener a new certificate when there is one, without a restart. @see docs/how-to/certificates.md */
export class CertificateRenewal {
  readonly #source: CertificateSource
  readonly #listener: SecureListener
  readonly #logger: Logger
  readonly #timer: Timer
  #looking = false
  /** What was wrong when it was last tried: said once. */
  #problem: string | undefined

  /** @param everyMs between two looks */
  constructor(source: CertificateSource, listener: SecureListener, logger: Logger, everyMs: number) {
    this.#source = source
    this.#listener = listener
    this.#logger = logger
    this.#timer = setInterval(() => void this.#look(), everyMs)
  }

  /**
   * Reads the certificate now.
   * @returns what came of it, for people
   * @throws Error when it cannot be used; the old one stays
   */
  async reload(): Promise<string> {
    try {
      const certificate = await this.#source.read()
      const isOther = await this.#listener.renew(certificate)
      this.#problem = undefined
      if (!isOther) return `the certificate ${this.#source.name} is in use already`
      noteValidity(certificate, this.#source.name, this.#logger)
      const said = `new connections get the certificate ${this.#source.name}`
      this.#logger.info({ until: validityOf(certificate).to }, said)
      return said
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (problem !== this.#problem)
        this.#logger.error({ problem }, 'the old certificate stays: the new one is of no use')
      this.#problem = problem
      throw error
    }
  }

  /** As `reload`, for whoever waits for no answer: the log has it. */
  async reloadQuietly(): Promise<void> {
    await this.reload().catch(() => {})
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Two files are seldom replaced in one moment: what does not fit together is tried again. */
  async #look(): Promise<void> {
    if (this.#looking || !this.#source.isNew) return
    this.#looking = true
    await this.reloadQuietly()
    this.#looking = false
  }
}

/** Says in the log that clients will refuse a certificate. */
export function noteValidity(certificate: Certificate, name: string, logger: Logger): void {
  const { from, to } = validityOf(certificate)
  const now = new Date()
  if (to < now)
    logger.warn({ until: to }, `the certificate ${name} has expired: clients refuse it until it is replaced`)
  if (from > now) logger.warn({ from }, `the certificate ${name} is not valid yet: is the clock right?`)
}
