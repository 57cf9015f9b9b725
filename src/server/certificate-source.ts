import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Certificate, isLasting, ownCertificate, readCertificate } from './certificate.ts'
import type { Config } from './config.ts'

/** Where the certificate comes from. */
export interface CertificateSource {
  /** What the log calls it. */
  readonly name: string
  /** @throws Error with a message for the operator */
  read(): Promise<Certificate>
  /** Whether it is likely to be another one since it was last read. Cheap. */
  readonly isNew: boolean
}

/** The files of the operator, or the certificate that this machine makes for itself. */
export function certificateSource({ TLS_CERT, TLS_KEY, DATA_DIR, HOST }: Config): CertificateSource {
  if (TLS_CERT !== undefined && TLS_KEY !== undefined) return new FileSource(TLS_CERT, TLS_KEY)
  return new OwnSource(join(DATA_DIR, 'tls'), HOST)
}

/** Two files that somebody else replaces, perhaps not at the same moment. */
class FileSource implements CertificateSource {
  readonly name: string
  readonly #certFile: string
  readonly #keyFile: string
  #read = ''

  constructor(certFile: string, keyFile: string) {
    this.name = certFile
    this.#certFile = certFile
    this.#keyFile = keyFile
  }

  async read(): Promise<Certificate> {
    // Looked at first: what is written while we read counts as new.
    const looks = this.#looks()
    const certificate = readCertificate(this.#certFile, this.#keyFile)
    this.#read = looks
    return certificate
  }

  get isNew(): boolean {
    return this.#looks() !== this.#read
  }

  /** Changes with the content, the permissions and the file itself. */
  #looks(): string {
    return [this.#certFile, this.#keyFile]
      .map((file) => {
        const found = statSync(file, { throwIfNoEntry: false })
        return found === undefined ? 'none' : `${found.ino} ${found.size} ${found.ctimeMs}`
      })
      .join(', ')
  }
}

/** Made anew when it ends soon. */
class OwnSource implements CertificateSource {
  readonly name: string
  readonly #directory: string
  readonly #host: string
  #made: Certificate | undefined

  constructor(directory: string, host: string) {
    this.name = join(directory, 'certificate.pem')
    this.#directory = directory
    this.#host = host
  }

  async read(): Promise<Certificate> {
    this.#made = await ownCertificate(this.#directory, this.#host)
    return this.#made
  }

  get isNew(): boolean {
    return this.#made === undefined || !isLasting(this.#made)
  }
}
