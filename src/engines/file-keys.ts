import { keepSecret, secretFile, smsKeyFile } from '../data-folder/secret-file.ts'
import type { ApplicationKeys, FixedKeys, OpenKeys } from './application-keys.ts'

/** The keys of an application in files of a data folder, which only this process uses. */
export class FileKeys implements OpenKeys {
  readonly #dataDir: string
  readonly #application: string

  constructor(dataDir: string, application: string) {
    this.#dataDir = dataDir
    this.#application = application
  }

  read({ secret, smsKey }: FixedKeys): ApplicationKeys {
    return {
      secret: secret ?? keepSecret(secretFile(this.#dataDir, this.#application)).secret,
      smsKey: () => smsKey ?? keepSecret(smsKeyFile(this.#dataDir, this.#application)).secret,
    }
  }

  /** What `dhole apps` changes reaches the open application through the control socket. */
  follow(): void {}
}
