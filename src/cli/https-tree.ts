import type { PartToPut, TreeDesk, TreeFacts } from '../server/tree-desk.ts'
import { defaultLimits } from '../tree/limits.ts'
import { formatPath, type Path } from '../tree/path.ts'

/** Text of a page of children that is aimed at, in UTF-16 code units, and the most children asked for. */
const PAGE_LENGTH = 1024 * 1024
const FIRST_PAGE = 1
const LARGEST_PAGE = 10_000
/** How much less is asked for when a page was too big. */
const SHRINK = 8

/** What takes the server longer would be too much for its memory in one piece. */
const LONGEST_WHOLE_READ = '10ms'
const LONGEST_PAGE_READ = '100ms'

const READ_TOO_BIG = 20402
const PRIORITY_ON_NOTHING = 26301

/** Where a server is, and what it is shown. */
export interface ServerAddress {
  /** Such as `https://db.example.com:8443`; what stands behind the host is kept. */
  readonly url: string
  /** Application to name in each request. */
  readonly app: string | undefined
  /** Super secret or token; nobody without. */
  readonly credential: string | undefined
  /** PEM of a certificate to trust in place of those of the system. */
  readonly ca: string | undefined
  readonly maxLeafBytes: number | undefined
}

/** An answer that is no success. */
class Refusal extends Error {
  readonly errcode: number | undefined

  constructor(message: string, errcode: number | undefined) {
    super(message)
    this.errcode = errcode
  }
}

/** A tree behind the public interface of a server. */
export class HttpsTree implements TreeDesk {
  readonly #address: ServerAddress
  readonly #base: string

  /** @throws Error unless the address is one of HTTPS */
  constructor(address: ServerAddress) {
    this.#address = address
    if (!URL.canParse(address.url) || !address.url.startsWith('https://')) {
      throw new Error(`--url: expected an address such as https://localhost:8443, found ${JSON.stringify(address.url)}`)
    }
    const { origin, pathname } = new URL(address.url)
    this.#base = origin + pathname.replace(/\/+$/, '')
  }

  async facts(): Promise<TreeFacts> {
    return { epoch: undefined, maxLeafBytes: this.#address.maxLeafBytes ?? defaultLimits.maxLeafBytes }
  }

  async put(path: Path, json: unknown): Promise<void> {
    await this.#write('PUT', path, JSON.stringify(json))
  }

  async putPart(path: Path, part: PartToPut): Promise<void> {
    await this.#write('PATCH', path, part.text())
  }

  async putPriority(path: Path, priority: string | number | null): Promise<void> {
    try {
      await this.#write('PUT', [...path, '.priority'], JSON.stringify(priority))
    } catch (error) {
      if (!(error instanceof Refusal && error.errcode === PRIORITY_ON_NOTHING)) throw error
    }
  }

  /** In one piece and of one moment where that is soon read; otherwise a page of children after the other. */
  async *export(path: Path): AsyncGenerator<string | Uint8Array, void> {
    const reply = await this.#whole(path, { timeout: LONGEST_WHOLE_READ })
    if (reply !== undefined) yield* bodyOf(reply)
    else if ((await this.#nextKey(path, undefined)) !== undefined) yield* this.#pages(path)
    else {
      // A long leaf takes the time it takes.
      const leaf = await this.#whole(path)
      if (leaf === undefined) throw new Error(`${formatPath(path)} is longer than the server lets anybody read`)
      yield* bodyOf(leaf)
    }
  }

  /** @returns `undefined` when it is too big */
  async #whole(path: Path, query: Readonly<Record<string, string>> = {}): Promise<Response | undefined> {
    try {
      return await this.#request('GET', path, { format: 'export', ...query })
    } catch (error) {
      if (isTooBig(error)) return undefined
      throw error
    }
  }

  async rules(): Promise<string> {
    return (await this.#request('GET', ['.settings', 'rules'])).text()
  }

  async setRules(source: string): Promise<void> {
    await this.#finish(await this.#request('PUT', ['.settings', 'rules'], {}, source))
  }

  async *#pages(path: Path): AsyncGenerator<string | Uint8Array, void> {
    const priority = await this.#text([...path, '.priority'])
    yield priority === 'null' ? '{' : `{".priority":${priority}`
    let before = priority === 'null' ? '' : ','
    let after: string | undefined
    let limit = FIRST_PAGE
    for (;;) {
      const page = await this.#page(path, after, limit)
      if (page === 'too big' && limit > 1) {
        limit = Math.max(1, Math.floor(limit / SHRINK))
        continue
      }
      const key = page === 'too big' ? await this.#nextKey(path, after) : page.lastKey
      if (key === undefined) break
      if (page === 'too big') {
        yield `${before}${JSON.stringify(key)}:`
        yield* this.export([...path, key])
      } else yield before + page.members
      const length = page === 'too big' ? PAGE_LENGTH : page.members.length
      limit = Math.min(Math.max(1, Math.floor((limit * PAGE_LENGTH) / length)), limit * SHRINK, LARGEST_PAGE)
      before = ','
      after = key
    }
    yield '}'
  }

  /** Children behind a key, the members of one JSON object without its braces. */
  async #page(
    path: Path,
    after: string | undefined,
    limit: number,
  ): Promise<{ readonly members: string; readonly lastKey: string | undefined } | 'too big'> {
    const range = after === undefined ? {} : { startAfter: JSON.stringify(after) }
    try {
      const query = {
        format: 'export',
        timeout: LONGEST_PAGE_READ,
        orderBy: '"$key"',
        limitToFirst: String(limit),
        ...range,
      }
      const text = await this.#text(path, query)
      return { members: text.slice(1, -1), lastKey: text.startsWith('{') ? lastKeyOf(text) : undefined }
    } catch (error) {
      if (isTooBig(error)) return 'too big'
      throw error
    }
  }

  /** `undefined` where there is none, and for a leaf. */
  async #nextKey(path: Path, after: string | undefined): Promise<string | undefined> {
    const range = after === undefined ? {} : { startAfter: JSON.stringify(after) }
    try {
      const keys: unknown = JSON.parse(await this.#text(path, { shallow: 'true', limitToFirst: '1', ...range }))
      return typeof keys === 'object' && keys !== null ? Object.keys(keys)[0] : undefined
    } catch (error) {
      // One key is never too much.
      if (isTooBig(error)) return undefined
      throw error
    }
  }

  async #text(path: Path, query: Readonly<Record<string, string>> = {}): Promise<string> {
    return (await this.#request('GET', path, query)).text()
  }

  async #write(method: 'PUT' | 'PATCH', path: Path, body: string): Promise<void> {
    const query = { print: 'silent', writeSizeLimit: 'unlimited' }
    await this.#finish(await this.#request(method, path, query, body))
  }

  /** A body that nobody reads would keep its connection. */
  async #finish(reply: Response): Promise<void> {
    await reply.arrayBuffer()
  }

  /** @throws Refusal unless it succeeds, Error when the server cannot be reached */
  async #request(
    method: string,
    path: Path,
    query: Readonly<Record<string, string>> = {},
    body?: string,
  ): Promise<Response> {
    const { app, credential, ca } = this.#address
    const parameters = new URLSearchParams(app === undefined ? query : { ...query, ns: app })
    const place = path.map((key) => encodeURIComponent(key)).join('/')
    const reply = await fetch(`${this.#base}/${place}.json?${parameters}`, {
      method,
      // Whoever the server sends us to must not be shown the secret.
      redirect: 'manual',
      // In a header, where it stands in no log.
      headers: credential === undefined ? {} : { Authorization: `Bearer ${credential}` },
      ...(body === undefined ? {} : { body }),
      ...(ca === undefined ? {} : { tls: { ca } }),
    }).catch((cause: unknown) => {
      throw new Error(`${this.#base}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    })
    if (reply.ok) return reply
    throw await refusalOf(reply)
  }
}

function bodyOf({ body }: Response): AsyncIterable<Uint8Array> {
  return (body ?? new Blob().stream()) as unknown as AsyncIterable<Uint8Array>
}

function isTooBig(error: unknown): boolean {
  return error instanceof Refusal && error.errcode === READ_TOO_BIG
}

async function refusalOf(reply: Response): Promise<Refusal> {
  const text = await reply.text()
  try {
    const { errcode, error } = JSON.parse(text) as { errcode?: number; error?: string }
    return new Refusal(`the server answers ${reply.status}: ${error}`, errcode)
  } catch {
    return new Refusal(`the server answers ${reply.status}, and not as one of ours does`, undefined)
  }
}

/** Last key of a JSON object, in the order of its text. */
function lastKeyOf(text: string): string | undefined {
  let depth = 0
  let key: string | undefined
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"': {
        const from = at
        for (at++; text[at] !== '"'; at++) if (text[at] === '\\') at++
        if (depth === 1 && text[at + 1] === ':') key = text.slice(from, at + 1)
        break
      }
      case '{':
      case '[':
        depth++
        break
      case '}':
      case ']':
        depth--
        break
      default:
    }
  }
  return key === undefined ? undefined : (JSON.parse(key) as string)
}
