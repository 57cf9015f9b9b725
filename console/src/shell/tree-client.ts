import { call } from './call.ts'
import { errorOf } from './call-error.ts'
import { send } from './connection.ts'
import { serverUrl } from './server-paths.ts'

/** A token is renewed when it lasts no longer than this, in ms. */
const RENEW_MS = 60_000

interface Token {
  readonly token: string
  /** In ms since 1970. */
  readonly expires: number
}

/** A request to the tree. */
export interface TreeRequest {
  readonly method?: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: BodyInit
  readonly signal?: AbortSignal
}

/** Keys of a path such as `/a/b`. */
export function keysOf(path: string): readonly string[] {
  return path.split('/').filter((key) => key !== '')
}

/** Requests to the REST interface of one application, with an admin's token of short life. */
export class TreeClient {
  readonly application: string
  /** JSON of the `auth` that rules see in place of an admin; '' for the admin. */
  readonly seenAs: string
  #token: Promise<Token> | undefined

  constructor(application: string, seenAs: string) {
    this.application = application
    this.seenAs = seenAs
  }

  /** Address of a node, without a credential. */
  url(path: readonly string[], parameters: Readonly<Record<string, string>> = {}): URL {
    const url = serverUrl(`/${path.map(encodeURIComponent).join('/')}.json`)
    url.searchParams.set('app', this.application)
    if (this.seenAs !== '') url.searchParams.set('auth_variable_override', this.seenAs)
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url
  }

  /** @returns the reply, whatever its status @throws CallError where the server or a token cannot be reached */
  async fetch(path: readonly string[], request: TreeRequest = {}): Promise<Response> {
    const { method = 'GET', parameters, headers, body, signal } = request
    const credential = await this.credential()
    return send(this.url(path, parameters), {
      method,
      headers: { ...headers, Authorization: credential },
      body: body ?? null,
      signal: signal ?? null,
      cache: 'no-store',
    })
  }

  /** As `fetch`. @throws CallError also for a reply that is no success */
  async ask(path: readonly string[], request: TreeRequest = {}): Promise<Response> {
    const reply = await this.fetch(path, request)
    if (!reply.ok) throw await errorOf(reply)
    return reply
  }

  /** Makes the next request take a new token: the old one is not valid any more. */
  forgetToken(): void {
    this.#token = undefined
  }

  /** Value of the header `Authorization`. @throws CallError when there is no token to be had */
  async credential(): Promise<string> {
    const asked = this.#token
    const known = await asked?.catch(() => undefined)
    if (known !== undefined && known.expires - Date.now() > RENEW_MS) return `Bearer ${known.token}`
    // Requests that come meanwhile wait for the same token.
    if (this.#token === asked) this.#token = call('console-token', { id: this.application })
    return `Bearer ${(await this.#token)?.token ?? ''}`
  }
}
