import { SuperSecret } from './super-secret.ts'

/** The secret of the operator of a server, which opens all its applications in the console. It can be replaced. */
export class OperatorSecret {
  #secret: SuperSecret

  /** @param text not empty */
  constructor(text: string) {
    this.#secret = new SuperSecret(text)
  }

  /** Takes the same time for all texts of one length. */
  matches(text: string): boolean {
    return this.#secret.matches(text)
  }

  /** A key for one purpose; another one once the secret is replaced. */
  keyFor(label: string): Uint8Array {
    return this.#secret.keyFor(label)
  }

  /** @param text not empty */
  replace(text: string): void {
    this.#secret = new SuperSecret(text)
  }
}
