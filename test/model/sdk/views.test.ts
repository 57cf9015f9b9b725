import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type HttpsServer, startInProcess } from '../../support/https-server.ts'
import { runsInLanes } from '../../support/lane.ts'
import { SdkClient } from '../../support/sdk-client.ts'

const CLIENTS = 3

let server: HttpsServer

beforeAll(async () => {
  server = await startInProcess()
})

afterAll(() => server?.stop())

const key = fc.constantFrom('a', 'b', 'c', '1', '10')
const path = fc.array(key, { maxLength: 3 })
const leaf = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom('x', 'y'), fc.boolean(), fc.constant(null))
const value = fc.oneof(
  leaf,
  fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf, { maxKeys: 2 })), { maxKeys: 4 }),
)
const query = fc.constantFrom(
  undefined,
  { i: '.key', l: 2, vf: 'l' },
  { i: '.value', l: 2, vf: 'r' },
  { i: 'a', sp: 1, sin: true, ep: 4, ein: true },
  { l: 1, vf: 'l' },
)

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('listen' as const), client: fc.nat(CLIENTS - 1), path, query }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unlisten' as const), client: fc.nat(CLIENTS - 1) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('set' as const), client: fc.nat(CLIENTS - 1), path, value }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('merge' as const),
      client: fc.nat(CLIENTS - 1),
      path,
      members: fc.dictionary(key, value, { minKeys: 1, maxKeys: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('put' as const), path, value }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** One listen. */
interface View {
  readonly path: readonly string[]
  readonly query: unknown
  readonly tag: number | undefined
}

/** What a client has been told: messages without a tag are for all default listens at, above and below their path. */
class Told {
  readonly #untagged = new Shown([])
  readonly #tagged = new Map<number, Shown>()

  begin({ tag, path }: View): void {
    if (tag !== undefined) this.#tagged.set(tag, new Shown(path))
  }

  of({ path, tag }: View): unknown {
    if (tag !== undefined) return this.#tagged.get(tag)?.value
    return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), this.#untagged.value)
  }

  /** Applies what came since the last time. */
  catchUp(client: SdkClient): void {
    for (const message of client.take()) {
      const [, action, at = '', tag, data = ''] = /^([dm]) (\S+)(?: #(\d+))? (.*)$/s.exec(message) ?? []
      const shown = tag === undefined ? this.#untagged : this.#tagged.get(Number(tag))
      if (action === undefined || shown === undefined) continue
      const told = JSON.parse(data)
      if (action === 'd') shown.set(keysOf(at), told)
      else for (const [name, part] of Object.entries(told)) shown.set([...keysOf(at), ...keysOf(name)], part)
    }
  }
}

/** The value at a path, as messages have changed it. */
class Shown {
  readonly #path: readonly string[]
  value: unknown = undefined

  constructor(path: readonly string[]) {
    this.#path = path
  }

  set(path: readonly string[], data: unknown): void {
    this.value = withPart(this.value, path.slice(this.#path.length), data)
  }
}

function withPart(whole: unknown, [key, ...rest]: readonly string[], part: unknown): unknown {
  if (key === undefined) return part
  // A leaf has no children to remove: another listen has told first that it is one.
  if (part === null && !isObject(whole)) return whole
  const members = isObject(whole) ? { ...whole } : {}
  const child = withPart(members[key], rest, part)
  if (child === null || child === undefined) delete members[key]
  else members[key] = child
  return Object.keys(members).length === 0 ? null : members
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function keysOf(text: string): readonly string[] {
  return text.split('/').filter((part) => part !== '')
}

async function play(steps: readonly Step[]): Promise<void> {
  await server.call('DELETE', '/.json')
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => SdkClient.connect(server)))
  const views: View[][] = clients.map(() => [])
  const told = clients.map(() => new Told())
  let tag = 0
  const asked: Promise<unknown>[] = []
  for (const each of steps) {
    if (each.kind === 'put') {
      asked.push(server.call('PUT', `/${each.path.join('/')}.json`, { body: JSON.stringify(each.value) }))
      continue
    }
    const client = clients[each.client] as SdkClient
    const own = views[each.client] as View[]
    const p = `/${'path' in each ? each.path.join('/') : ''}`
    if (each.kind === 'set') asked.push(client.request('p', { p, d: each.value }))
    else if (each.kind === 'merge') asked.push(client.request('m', { p, d: each.members }))
    else if (each.kind === 'unlisten') {
      const view = own.shift()
      if (view === undefined) continue
      await client.request('n', { p: `/${view.path.join('/')}`, t: view.tag })
    } else if (
      each.query !== undefined ||
      !own.some((view) => view.tag === undefined && Bun.deepEquals(view.path, each.path))
    ) {
      const { path, query } = each
      const view = { path, query, tag: query === undefined ? undefined : ++tag }
      own.push(view)
      told[each.client]?.begin(view)
      asked.push(client.request('q', { p, h: '', q: query, t: view.tag }))
    }
  }
  await Promise.all(asked)
  for (const [index, client] of clients.entries()) {
    // It writes nothing, but all listens tell what was committed before its answer.
    expect((await client.request('m', { p: '/', d: { nothing: null } })).status).toBe('ok')
    told[index]?.catchUp(client)
    for (const view of views[index] as View[]) {
      const { path, query } = view
      const { data } = await client.request('g', { p: `/${path.join('/')}`, q: query ?? {} })
      expect<unknown>({ path, query, value: told[index]?.of(view) ?? null }).toEqual({ path, query, value: data })
    }
    client.close()
    await client.closed.promise
  }
}

test('every listen shows what a read returns, once all is answered', async () => {
  const steps = fc.array(step, { minLength: 5, maxLength: 40 })
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: runsInLanes(25, 300) })
})
