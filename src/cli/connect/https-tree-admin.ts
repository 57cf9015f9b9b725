import type { TreeFacts } from '../../admin/operations/tree-operations.ts'
import { codeOf, messageOf } from '../../files/system-error.ts'
import { defaultLimits } from '../../tree/limits.ts'
import { formatPath, type Path } from '../../tree/path.ts'
import type { TreeAdmin } from './tree-admin.ts'

/** Error code: the credential gives no admin rights. */
const PERMISSION_DENIED = 20401
const READ_TOO_BIG = 20402
const PRIORITY_ON_NOTHING = 26301

/** Address of a server, and the credential for it. */
export interface ServerAddress {
  /** Such as `https://db.example.com:8443`; a path is kept. */
  readonly url: string
  /** Application of the requests. */
  readonly app: string | undefined
  /** Super secret or token; `undefined` for anonymous requests. */
  readonly credential: string | undefined
  /** PEM of a trusted certificate, in place of those of the system. */
  readonly ca: string | undefined
  readonly maxLeafBytes: number | undefined
}

/** An error response. */
class Refusal extends Error {
  readonly errcode: number | undefined

  constructor(message: string, errcode: number | undefined) {
    super(message)
    this.errcode = errcode
  }
}

/** A tree of a server, used through its public interface. */
export class HttpsTreeAdmin implements TreeAdmin {
  readonly #address: ServerAddress
  readonly #base: string

  /** @throws Error unless the URL is an HTTPS one */
  constructor(address: ServerAddress) {
    this.#address = address
    if (!URL.canParse(address.url) || !address.url.startsWith('https://')) {
      throw new Error(`--url: expected an address such as https://localhost:8443, found ${JSON.stringify(address.url)}`)
    }
    const { origin, pathname } = new URL(address.url)
    this.#base = origin + pathname.replace(/\/+$/, '')
  }

  async facts(): Promise<TreeFacts> {
    return { maxLeafBytes: this.#address.maxLeafBytes ?? defaultLimits.maxLeafBytes }
  }

  async put(path: Path, json: unknown): Promise<void> {
    await this.#write('PUT', path, JSON.stringify(json))
  }

  async putMembers(path: Path, members: string | Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#write('PATCH', path, members)
  }

  async putPriority(path: Path, priority: string | number | null): Promise<void> {
    try {
      await this.#write('PUT', [...path, '.priority'], JSON.stringify(priority))
    } catch (error) {
      if (!(error instanceof Refusal && error.errcode === PRIORITY_ON_NOTHING)) throw error
    }
  }

  /** @throws Error when the response breaks off */
  async *export(path: Path): AsyncGenerator<Uint8Array, void> {
    const { body } = await this.#exported(path)
    if (body === null) return
    try {
      for await (const piece of body as unknown as AsyncIterable<Uint8Array>) yield piece
    } catch (cause) {
      throw new Error(`${this.#base}: the answer broke off: ${messageOf(cause)}`, { cause })
    }
  }

  async rules(): Promise<string> {
    return (await this.#request('GET', ['.settings', 'rules'])).text()
  }

  async setRules(source: string): Promise<void> {
    await this.#finish(await this.#request('PUT', ['.settings', 'rules'], {}, source))
  }

  /** Exports a node of any size for an admin, and up to the read limit for others. */
  async #exported(path: Path): Promise<Response> {
    const query = { format: 'export' }
    try {
      return await this.#request('GET', path, { ...query, readSizeLimit: 'unlimited' })
    } catch (error) {
      if (!(error instanceof Refusal && error.errcode === PERMISSION_DENIED)) throw error
    }
    try {
      return await this.#request('GET', path, query)
    } catch (cause) {
      if (!(cause instanceof Refusal && cause.errcode === READ_TOO_BIG)) throw cause
      throw new Error(`${formatPath(path)} is larger than the read limit; only an admin can export it`, { cause })
    }
  }

  async #write(method: 'PUT' | 'PATCH', path: Path, body: string | Uint8Array<ArrayBuffer>): Promise<void> {
    const query = { print: 'silent', writeSizeLimit: 'unlimited' }
    await this.#finish(await this.#request(method, path, query, body))
  }

  /** Reads the body: an unread body blocks its connection. */
  async #finish(reply: Response): Promise<void> {
    await reply.arrayBuffer()
  }

  /** @throws Refusal for an error response, Error when the server cannot be reached */
  async #request(
    method: string,
    path: Path,
    query: Readonly<Record<string, string>> = {},
    body?: string | Uint8Array<ArrayBuffer>,
  ): Promise<Response> {
    const { app, credential, ca } = this.#address
    const parameters = new URLSearchParams(app === undefined ? query : { ...query, app })
    const place = path.map((key) => encodeURIComponent(key)).join('/')
    const reply = await fetch(`${this.#base}/${place}.json?${parameters}`, {
      method,
      // The target of a redirect must not get the secret.
      redirect: 'manual',
      // In a header: URLs appear in logs.
      headers: credential === undefined ? {} : { Authorization: `Bearer ${credential}` },
      ...(body === undefined ? {} : { body }),
      ...(ca === undefined ? {} : { tls: { ca } }),
    }).catch((cause: unknown) => {
      throw new Error(`${this.#base}: ${reasonOf(cause, ca !== undefined)}`, { cause })
    })
    if (reply.ok) return reply
    throw await refusalOf(reply)
  }
}

/** Error codes of a certificate without a trusted issuer. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])

/** Reason why a server cannot be reached, and the remedy. @param hasCa whether `--cacert` was given */
function reasonOf(cause: unknown, hasCa: boolean): string {
  const code = codeOf(cause)
  if (UNTRUSTED.has(code)) {
    if (hasCa) return 'its certificate is not the one of --cacert, nor signed by it'
    return 'its certificate is not trusted: give --cacert, with tls/certificate.pem of its DATA_DIR if it made its own'
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is not for this name: use one that it is for'
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired'
  if (code === 'ConnectionRefused' || code === 'ECONNREFUSED') return 'no server answers there'
  return messageOf(cause)
}

async function refusalOf(reply: Response): Promise<Refusal> {
  const text = await reply.text()
  try {
    const { errcode, error } = JSON.parse(text) as { errcode?: number; error?: string }
    return new Refusal(`the server answers ${reply.status}: ${error}`, errcode)
  } catch {
    return new Refusal(`the server answers ${reply.status}, and not like a Dhole server`, undefined)
  }
}
