import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/settings.ts'
import { type Certificate, isLasting, ownCertificate, readCertificate } from './certificate.ts'
import { certificateNames } from './own-names.ts'

/** Source of the certificate. */
export interface CertificateSource {
  /** Name in the log. */
  readonly name: string
  /** @throws Error with a message for the operator */
  read(): Promise<Certificate>
  /** Whether the last `read` generated the certificate, so that no client trusts it yet; absent for the operator's files. */
  readonly isGenerated?: boolean
  /** Whether the certificate has probably changed since the last `read`. Cheap. */
  readonly isNew: boolean
}

/** The files of the operator, or a generated certificate. */
export function certificateSource(config: Config): CertificateSource {
  const { TLS_CERT, TLS_KEY, DATA_DIR } = config
  if (TLS_CERT !== undefined && TLS_KEY !== undefined) return new FileSource(TLS_CERT, TLS_KEY)
  return new OwnSource(join(DATA_DIR, 'tls'), () => certificateNames(config))
}

/** Two files of the operator, who may replace them at different moments. */
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
    // Before reading: a change during the read counts as new.
    const version = this.#version()
    const certificate = readCertificate(this.#certFile, this.#keyFile)
    this.#read = version
    return certificate
  }

  get isNew(): boolean {
    return this.#version() !== this.#read
  }

  /** Changes when the content, the permissions or the file change. */
  #version(): string {
    return [this.#certFile, this.#keyFile]
      .map((file) => {
        const found = statSync(file, { throwIfNoEntry: false })
        return found === undefined ? 'none' : `${found.ino} ${found.size} ${found.ctimeMs}`
      })
      .join(', ')
  }
}

/** A generated certificate. `read` replaces it when it expires soon or lacks a name of this machine. */
class OwnSource implements CertificateSource {
  readonly name: string
  readonly #directory: string
  isGenerated = false
  readonly #names: () => readonly string[]
  #last: Certificate | undefined

  /** @param names current names of this machine */
  constructor(directory: string, names: () => readonly string[]) {
    this.name = join(directory, 'certificate.pem')
    this.#directory = directory
    this.#names = names
  }

  async read(): Promise<Certificate> {
    const generated = await ownCertificate(this.#directory, this.#names())
    this.#last = generated
    this.isGenerated = generated.isNew
    return generated
  }

  get isNew(): boolean {
    return this.#last === undefined || !isLasting(this.#last)
  }
}
