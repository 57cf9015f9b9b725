import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Statements } from '../../store/postgres/connection/lane.ts'
import type { Lanes } from '../../store/postgres/connection/lanes.ts'

const ALGORITHM = 'aes-256-gcm'
const SECRETS_KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
/** How a text begins that is stored as it is, and one that is encrypted. */
const PLAIN = 'plain:'
const SEALED = 'aes:'
/** A known text shows whether a key is the right one. */
const CHECK = { application: '', name: 'check', text: 'dhole' } as const

/** A name of what is encrypted: a text cannot be moved to another application, or take the place of its other key. */
interface Place {
  readonly application: string
  readonly name: 'secret' | 'sms' | 'check'
}

/** Encrypts the keys of applications as they are stored in the database, when `SECRETS_KEY` is set. */
export class SecretBox {
  readonly #key: Uint8Array | undefined

  private constructor(key: Uint8Array | undefined) {
    this.#key = key
  }

  /**
   * Checks that the key is the one of the installation. The first key that is given encrypts what is stored already.
   * @param key 32 bytes in base64; `undefined` stores keys as they are
   * @throws Error with one line for the operator; what the database throws
   */
  static async open(lanes: Lanes, key: string | undefined): Promise<SecretBox> {
    const box = new SecretBox(key === undefined ? undefined : secretsKey(key))
    if (await box.#isChecked(lanes, false)) return box
    await lanes.transaction(async (statements) => {
      if (await box.#isChecked(statements, true)) return
      await statements.query('UPDATE installation SET secrets_check = $1::text', [box.seal(CHECK, CHECK.text)])
      await box.#sealAll(statements)
    })
    return box
  }

  seal({ application, name }: Place, text: string): string {
    if (this.#key === undefined) return PLAIN + text
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(ALGORITHM, this.#key, iv, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(`${application}\0${name}`))
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return SEALED + sealed.toString('base64')
  }

  /** @throws Error when it was encrypted with another key, for another place, or changed */
  open({ application, name }: Place, stored: string): string {
    if (stored.startsWith(PLAIN)) return stored.slice(PLAIN.length)
    if (this.#key === undefined) throw missing()
    const sealed = Buffer.from(stored.slice(SEALED.length), 'base64')
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#key, sealed.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(Buffer.from(`${application}\0${name}`))
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      const text = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8')
      return text + decipher.final('utf8')
    } catch (cause) {
      throw new Error(`the keys of application "${application}" in the database cannot be decrypted`, { cause })
    }
  }

  /** @returns whether nothing has to be encrypted first */
  async #isChecked(statements: Statements, isLocking: boolean): Promise<boolean> {
    const lock = isLocking ? ' FOR UPDATE' : ''
    const text = `SELECT secrets_check AS "check" FROM installation${lock}`
    const [row] = await statements.query<{ check: string | null }>(text)
    const stored = row?.check ?? null
    if (stored === null) return this.#key === undefined
    if (this.#key === undefined) throw missing()
    let isRight = false
    try {
      isRight = this.open(CHECK, stored) === CHECK.text
    } catch {
      // The error below says what to do.
    }
    if (!isRight) throw new Error('SECRETS_KEY: it is not the one that the keys in the database are encrypted with')
    return true
  }

  async #sealAll(statements: Statements): Promise<void> {
    const rows = await statements.query<{ id: string; secret: string; smsKey: string }>(
      'SELECT id, secret, sms_key AS "smsKey" FROM application WHERE secret IS NOT NULL FOR UPDATE',
    )
    for (const { id, secret, smsKey } of rows) {
      const sealed = (name: 'secret' | 'sms', stored: string) => {
        const place = { application: id, name }
        return this.seal(place, this.open(place, stored))
      }
      await statements.query('UPDATE application SET secret = $2::text, sms_key = $3::text WHERE id = $1::text', [
        id,
        sealed('secret', secret),
        sealed('sms', smsKey),
      ])
    }
  }
}

/** The bytes of a key in base64. @throws Error unless it has 32 bytes */
function secretsKey(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== SECRETS_KEY_BYTES) {
    throw new Error(`SECRETS_KEY: expected ${SECRETS_KEY_BYTES} bytes in base64, as \`openssl rand -base64 32\` prints`)
  }
  return bytes
}

function missing(): Error {
  return new Error('SECRETS_KEY: the keys in the database are encrypted: set the one of the other processes')
}
