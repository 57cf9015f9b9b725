import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type HttpsServer, startInProcess } from '../../support/https-server.ts'
import { inLanes } from '../../support/lane.ts'
import { SdkClient } from '../../support/sdk-client.ts'

const SHORT_RUNS = 30
const LONG_RUNS = 1000
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

/** What a client has been told of one listen. */
class View {
  readonly path: readonly string[]
  readonly query: unknown
  readonly tag: number | undefined
  value: unknown = undefined

  constructor(path: readonly string[], query: unknown, tag: number | undefined) {
    this.path = path
    this.query = query
    this.tag = tag
  }

  /** @param below keys below the listened node */
  set(below: readonly string[], data: unknown): void {
    this.value = withPart(this.value, below, data)
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

/** Applies what came since the last time. */
function catchUp(client: SdkClient, views: readonly View[]): void {
  for (const message of client.take()) {
    const [, action, at = '', tag, data = ''] = /^([dm]) (\S+)(?: #(\d+))? (.*)$/s.exec(message) ?? []
    if (action === undefined) continue
    const keys = keysOf(at)
    const told = JSON.parse(data)
    for (const view of views.filter((each) => String(each.tag ?? '') === (tag ?? '') && covers(each.path, keys))) {
      const below = keys.slice(view.path.length)
      if (action === 'd') view.set(below, told)
      else for (const [name, part] of Object.entries(told)) view.set([...below, ...keysOf(name)], part)
    }
  }
}

function keysOf(text: string): readonly string[] {
  return text.split('/').filter((part) => part !== '')
}

function covers(above: readonly string[], path: readonly string[]): boolean {
  return above.every((key, index) => path[index] === key)
}

async function play(steps: readonly Step[]): Promise<void> {
  await server.call('DELETE', '/.json')
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => SdkClient.connect(server)))
  const views: View[][] = clients.map(() => [])
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
      // What came before is not for a later listen of the same path.
      catchUp(client, [...own, view])
    } else if (
      each.query !== undefined ||
      !own.some((view) => view.tag === undefined && covers(view.path, each.path))
    ) {
      const view = new View(each.path, each.query, each.query === undefined ? undefined : ++tag)
      own.push(view)
      asked.push(client.request('q', { p, h: '', q: each.query, t: view.tag }))
    }
  }
  await Promise.all(asked)
  for (const [index, client] of clients.entries()) {
    // It writes nothing, but all listens tell what was committed before its answer.
    expect((await client.request('m', { p: '/', d: { nothing: null } })).status).toBe('ok')
    const own = views[index] as View[]
    catchUp(client, own)
    for (const { path, query, value } of own) {
      const { data } = await client.request('g', { p: `/${path.join('/')}`, q: query ?? {} })
      expect<unknown>({ path, query, value: value ?? null }).toEqual({ path, query, value: data })
    }
    client.close()
    await client.closed.promise
  }
}

test('every listen shows what a read returns, once all is answered', async () => {
  const steps = fc.array(step, { minLength: 5, maxLength: 40 })
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: inLanes(SHORT_RUNS, LONG_RUNS) })
})
