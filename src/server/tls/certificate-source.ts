import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { type Certificate, isLasting, ownCertificate, readCertificate } from './certificate.ts'
import { certificateNames } from './own-names.ts'

/** Where the certificate comes from. */
export interface CertificateSource {
  /** What the log calls it. */
  readonly name: string
  /** @throws Error with a message for the operator */
  read(): Promise<Certificate>
  /** Whether the one that was read last was made by that, so that no client trusts it yet; absent for the operator's. */
  readonly isMadeNow?: boolean
  /** Whether it is likely to be another one since it was last read. Cheap. */
  readonly isNew: boolean
}

/** The files of the operator, or the certificate that this machine makes for itself. */
export function certificateSource(config: Config): CertificateSource {
  const { TLS_CERT, TLS_KEY, DATA_DIR } = config
  if (TLS_CERT !== undefined && TLS_KEY !== undefined) return new FileSource(TLS_CERT, TLS_KEY)
  return new OwnSource(join(DATA_DIR, 'tls'), () => certificateNames(config))
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

/** Made anew when it ends soon; when it is read, also when it does not fit the names of this machine any more. */
class OwnSource implements CertificateSource {
  readonly name: string
  readonly #directory: string
  isMadeNow = false
  readonly #names: () => readonly string[]
  #made: Certificate | undefined

  /** @param names those that it is to be for, as they are now */
  constructor(directory: string, names: () => readonly string[]) {
    this.name = join(directory, 'certificate.pem')
    this.#directory = directory
    this.#names = names
  }

  async read(): Promise<Certificate> {
    const made = await ownCertificate(this.#directory, this.#names())
    this.#made = made
    this.isMadeNow = made.isNew
    return made
  }

  get isNew(): boolean {
    return this.#made === undefined || !isLasting(this.#made)
  }
}
