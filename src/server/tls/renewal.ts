import { messageOf } from '../../files/system-error.ts'
import type { SecureListener } from '../listeners/secure-listener.ts'
import type { Logger } from '../logging/log.ts'
import { type Certificate, validityOf } from './certificate.ts'
import type { CertificateSource } from './certificate-source.ts'

/** Gives the listener a new certificate without a restart. @see docs/how-to/certificates.md */
export class CertificateRenewal {
  readonly #source: CertificateSource
  readonly #listener: SecureListener
  readonly #logger: Logger
  readonly #timer: Timer
  #checking = false
  /** Error text of the last attempt. The same error is logged once. */
  #problem: string | undefined

  /** @param everyMs time between two checks */
  constructor(source: CertificateSource, listener: SecureListener, logger: Logger, everyMs: number) {
    this.#source = source
    this.#listener = listener
    this.#logger = logger
    this.#timer = setInterval(() => void this.#check(), everyMs)
  }

  /**
   * Reads the certificate now.
   * @returns the outcome, as text for the operator
   * @throws Error when the certificate cannot be used; the old one stays
   */
  async reload(): Promise<string> {
    try {
      const certificate = await this.#source.read()
      const isNew = await this.#listener.renew(certificate)
      this.#problem = undefined
      if (!isNew) return `the certificate ${this.#source.name} is in use already`
      warnAboutValidity(certificate, this.#source.name, this.#logger)
      const outcome = `new connections get the certificate ${this.#source.name}`
      this.#logger.info({ until: validityOf(certificate).to }, outcome)
      return outcome
    } catch (error) {
      const problem = messageOf(error)
      if (problem !== this.#problem)
        this.#logger.error({ problem }, 'the old certificate stays: the new one is of no use')
      this.#problem = problem
      throw error
    }
  }

  /** As `reload`; an error is only logged. */
  async reloadQuietly(): Promise<void> {
    await this.reload().catch(() => {})
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Retries files that do not match: the operator seldom replaces both at the same moment. */
  async #check(): Promise<void> {
    if (this.#checking || !this.#source.isNew) return
    this.#checking = true
    await this.reloadQuietly()
    this.#checking = false
  }
}

/** Logs a warning when clients refuse the certificate because of its dates. */
export function warnAboutValidity(certificate: Certificate, name: string, logger: Logger): void {
  const { from, to } = validityOf(certificate)
  const now = new Date()
  if (to < now)
    logger.warn({ until: to }, `the certificate ${name} has expired: clients refuse it until it is replaced`)
  if (from > now) logger.warn({ from }, `the certificate ${name} is not valid yet: is the clock right?`)
}
