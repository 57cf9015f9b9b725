/**
 * Runs scenarios with one version of an SDK, in a process of its own: in the runtime that starts it, with a certificate that its
 * environment trusts. Reads tasks from its input, one a line, and answers each on its output.
 */
import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { ACCESS, EMULATOR_RULES } from './access.ts'
import { admin } from './admin.ts'
import type { Adapter, Client, ClientOptions } from './client.ts'
import { DATA } from './data.ts'
import { KILLS } from './kills.ts'
import { legacy } from './legacy.ts'
import { LIVE } from './live.ts'
import { modular } from './modular.ts'
import { namespaced } from './namespaced.ts'
import { CHOICES } from './queries.ts'
import type { Scenarios, Stage } from './scenario.ts'
import { MANY_LISTENS, TOGETHER } from './together.ts'

/** A scenario to run. */
export interface Task {
  readonly name: string
  /** Unlike that of any other task of the server. */
  readonly id: string
  readonly argument: string
}

/** A line of the output. */
export type Line =
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'failure'; readonly error: string }

const SCENARIOS: Scenarios = {
  ...DATA,
  ...LIVE,
  ...CHOICES,
  ...TOGETHER,
  ...MANY_LISTENS,
  ...ACCESS,
  ...EMULATOR_RULES,
  ...KILLS,
}
const ADAPTERS: Readonly<Record<string, Adapter>> = { modular, namespaced, legacy, admin }

/** Set where clients connect as to an emulator. */
const { EMULATOR_PORT } = process.env
const emulatorPort = EMULATOR_PORT === undefined ? undefined : Number(EMULATOR_PORT)
const [folder = '', adapter = '', urls = '', origin = '', secret = ''] = process.argv.slice(2)
const databaseUrls = urls.split(' ')
const sdk = ADAPTERS[adapter]?.(createRequire(`${folder}/package.json`))
if (sdk === undefined) throw new Error(`there is no adapter ${adapter}`)

function say(line: Line): void {
  process.stdout.write(`\n${JSON.stringify(line)}\n`)
}

/** A custom token. */
function tokenOf(uid: string, lifetime = 3600): string {
  const iat = Math.floor(Date.now() / 1000)
  const parts = [
    { alg: 'HS256', typ: 'JWT' },
    { v: 0, d: { uid }, iat, exp: iat + lifetime },
  ]
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

/** Without a token of its own, a client of the admin SDK acts as no user. */
function asUser(options: ClientOptions): ClientOptions {
  return options.token === undefined ? { override: null, token: async () => secret, ...options } : options
}

async function run({ name, id, argument }: Task): Promise<unknown> {
  const clients: Client[] = []
  const stage: Stage = {
    sdk: sdk!,
    at: `open/${id}`,
    argument,
    client: (options = {}) => {
      const url = databaseUrls[clients.length % databaseUrls.length] ?? ''
      const made = sdk!.connect(url, adapter === 'admin' ? asUser(options) : { emulatorPort, ...options })
      clients.push(made)
      return made
    },
    rest: async (method, target, body) => {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
      const reply = await fetch(`${origin}${target}?auth=${secret}`, init)
      return reply.json()
    },
    token: tokenOf,
    secret,
    tell: (text) => say({ kind: 'notice', text }),
  }
  try {
    return await SCENARIOS[name]?.run(stage)
  } finally {
    await Promise.all(clients.map((one) => one.stop()))
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    say({ kind: 'result', result: await run(JSON.parse(line) as Task) })
  } catch (error) {
    say({ kind: 'failure', error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}
process.exit(0)
