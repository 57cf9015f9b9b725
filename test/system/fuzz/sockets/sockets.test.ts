import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { connect, socketPath } from '../../../../src/admin/control/control-client.ts'
import type { HttpsClient } from '../../../support/https-server.ts'
import { runsInLanes } from '../../../support/lane.ts'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../../support/server-process.ts'
import { customToken } from '../../../support/token.ts'
import { type Actor, EnginePollActor, PollActor, SocketActor } from './actors.ts'
import { HonestClient, RULES } from './honest.ts'
import { MAX_WRITE_BYTES, SECRET } from './messages.ts'
import { anyEnginePollStep, anyEngineStep, anyPollStep, anySocketStep } from './steps.ts'

const RUNS = runsInLanes(5, 150)
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2_000_000_000)
/** Of an earlier run, with its seed: the plan that failed. */
const PATH = process.env['FUZZ_PATH']
const MOST_STEPS = 12
/** A run takes a few hundredths of a second. */
const HANG_MS = 15_000
const MEBIBYTE = 1024 * 1024
/** Memory that a server may take after any number of runs. */
const MOST_MEMORY = 400 * MEBIBYTE

/** A server with a well-behaved client. */
interface Scene {
  readonly server: ServerProcess
  readonly client: HttpsClient
  readonly honest: HonestClient
}

let scene: Scene

async function begin(): Promise<Scene> {
  const server = await spawnServer({
    APP_SECRET: SECRET,
    MAX_WRITE_BYTES: String(MAX_WRITE_BYTES),
    MAX_LISTENS: '5',
    FAILED_CREDENTIALS: '0',
    METRICS_PORT: '0',
  })
  const client = await clientOfProcess(server)
  const { status } = await client.call('PUT', `/.settings/rules.json?auth=${encodeURIComponent(SECRET)}`, {
    body: JSON.stringify(RULES),
  })
  expect(status).toBe(200)
  return { server, client, honest: await HonestClient.connect(client, customToken(SECRET, { uid: 'honest' })) }
}

beforeAll(async () => {
  scene = await begin()
})

afterAll(() => scene?.server.stop())

const steps = <T>(step: fc.Arbitrary<T>) => fc.array(step, { minLength: 1, maxLength: MOST_STEPS })

const anyActor = fc.oneof(
  fc.record({ kind: fc.constant('socket' as const), steps: steps(anySocketStep) }),
  fc.record({ kind: fc.constant('engine' as const), steps: steps(anyEngineStep) }),
  fc.record({ kind: fc.constant('poll' as const), steps: steps(anyPollStep) }),
  fc.record({ kind: fc.constant('engine poll' as const), steps: steps(anyEnginePollStep) }),
)
type Role = typeof anyActor extends fc.Arbitrary<infer T> ? T : never

function actorOf(role: Role): Actor {
  const { client } = scene
  if (role.kind === 'poll') return new PollActor(client, role.steps)
  if (role.kind === 'engine poll') return new EnginePollActor(client, role.steps)
  return new SocketActor(client, role.kind, role.steps)
}

/** Sum of the values of a metric. */
async function metric(name: string): Promise<number> {
  const url = /metrics on (http:[^"\s]+)/.exec(scene.server.output())?.[1] ?? ''
  const lines = (await (await fetch(url)).text()).split('\n').filter((line) => /^\w+/.exec(line)?.[0] === name)
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** Waits until a metric has a value. */
async function metricIs(name: string, value: number): Promise<void> {
  while ((await metric(name)) !== value);
}

/** Memory that is reserved for clients, in bytes. */
async function memoryTaken(): Promise<number> {
  await using control = await connect(socketPath(scene.server.dataDir) ?? '')
  if (control === undefined) throw new Error('the server has no socket')
  return (await control.call('clients', {})).memoryBytes.taken
}

/** Errors that the server has logged. */
function errors(): readonly string[] {
  return scene.server
    .output()
    .split('\n')
    .filter((line) => /"level":[56]0|^error|Error:/.test(line))
}

async function play(roles: readonly Role[], at: (where: string) => void): Promise<void> {
  const { client, honest } = scene
  const actors = roles.map(actorOf)
  at('while hostile clients send')
  await Promise.all([...actors.map((actor) => actor.play()), honest.round()])
  at('while they leave')
  const problems = (await Promise.all(actors.map((actor) => actor.end()))).flat()
  at('in the round of the honest client')
  await honest.round()
  at('until their connections are gone')
  await metricIs('dhole_connections_open', 1)
  at('until their listens are gone')
  await metricIs('dhole_listens_open', 1)
  at('in a read')
  // What they have left behind is written.
  const { text } = await client.call('GET', '/open.json?format=export')
  expect<unknown>(await honest.open()).toEqual(JSON.parse(text))
  expect([...problems, ...errors()]).toEqual([])
  await client.call('DELETE', '/open.json')
}

/** Plays, and begins anew with another server when something was wrong: a smaller plan must not find what this one has left. */
async function playOnce(roles: readonly Role[]): Promise<void> {
  let where = ''
  const hung = Promise.withResolvers<never>()
  const timer = setTimeout(() => hung.reject(new Error(`it hangs ${where}`)), HANG_MS)
  try {
    await Promise.race([play(roles, (found) => (where = found)), hung.promise])
  } catch (error) {
    scene.server.kill('SIGKILL')
    await scene.server.stop()
    scene = await begin()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

test(`whatever clients send, the server answers by the protocol and others go on (FUZZ_SEED=${SEED})`, async () => {
  const property = fc.asyncProperty(fc.array(anyActor, { minLength: 1, maxLength: 4 }), playOnce)
  await fc.assert(property, { numRuns: RUNS, seed: SEED, ...(PATH === undefined ? {} : { path: PATH }) })
  await scene.honest.leave()
  await metricIs('dhole_connections_open', 0)
  await metricIs('dhole_listens_open', 0)
  while ((await memoryTaken()) > 0);
  expect(await metric('process_resident_memory_bytes')).toBeLessThan(MOST_MEMORY)
}, 900_000)
