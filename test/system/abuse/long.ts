/**
 * An honest client's GET while nobody else is there, and among hostile clients: `bun run hostile --clients 10000`.
 * The server runs as a user starts it, with the settings of its environment; with `--bare` it is the listener alone,
 * with `--silent` the listener with nothing but the answer to the honest client behind it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { spawnServer } from '../../support/server-process.ts'

/** So long an honest client asks as fast as it is answered, as load generators do. */
const FAST_MS = 10_000
/** And so often and so long at a steady pace: who waits for answers asks least while they are slow. */
const EVERY_MS = 5
const STEADY_MS = 15_000
const LARGE_LENGTH = 4_000_000
const SWARM = Bun.fileURLToPath(new URL('./swarm-child.ts', import.meta.url))
const BARE = Bun.fileURLToPath(new URL('./bare-server.ts', import.meta.url))
const SILENT = Bun.fileURLToPath(new URL('./silent-server.ts', import.meta.url))
const SETTLE_MS = 45_000

/** Of a process, from the tables of the system. */
function memoryOf(pid: number): string {
  const kibibytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return `${Math.round(Number(kibibytes) / 1024)} MiB, ${readdirSync(`/proc/${pid}/fd`).length} descriptors`
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
}

/** 99th percentiles of the time of a GET, in milliseconds. */
interface Waits {
  readonly fast: number
  readonly steady: number
}

async function measure(url: string, ca: string, name: string): Promise<Waits> {
  const get = async (): Promise<number> => {
    const begun = performance.now()
    const reply = await fetch(`${url}/a.json`, { tls: { ca } })
    const text = await reply.text()
    if (text !== '"kept"') throw new Error(`an honest client was answered ${reply.status} ${text}`)
    return performance.now() - begun
  }
  const fast = await waits(FAST_MS, get)
  const steady = await waits(STEADY_MS, async () => {
    await Bun.sleep(EVERY_MS)
    return get()
  })
  const told = (times: readonly number[]) =>
    [0.5, 0.9, 0.99, 0.999].map((share) => percentile(times, share).toFixed(2)).join(' ')
  print(`${name}: GET, ms at 50, 90, 99 and 99.9 %: ${told(fast)} as fast as it can, ${told(steady)} at a steady pace`)
  return { fast: percentile(fast, 0.99), steady: percentile(steady, 0.99) }
}

/** @returns what `get` took, shortest first */
async function waits(milliseconds: number, get: () => Promise<number>): Promise<readonly number[]> {
  const times: number[] = []
  for (const begun = performance.now(); performance.now() - begun < milliseconds; ) times.push(await get())
  return times.sort((left, right) => left - right)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function run(clients: number, perSecond: number, main: string | undefined): Promise<void> {
  const settings = Object.entries(process.env).filter(([name]) => /^(MAX|RATE|IDLE|TRANSFER)_/.test(name))
  await using server = await spawnServer(Object.fromEntries(settings) as Record<string, string>, { main })
  const ca = await Bun.file(server.certificate).text()
  const put = (path: string, body: string) => fetch(server.url + path, { method: 'PUT', body, tls: { ca } })
  await (await put('/a.json', '"kept"')).text()
  await (await put('/large.json', JSON.stringify('\u4e2d'.repeat(LARGE_LENGTH)))).text()
  await measure(server.url, ca, 'warming up')
  const alone = [
    await measure(server.url, ca, 'alone'),
    await measure(server.url, ca, 'alone'),
    await measure(server.url, ca, 'alone'),
  ]
  const usual = (kind: keyof Waits) => alone.map((p99s) => p99s[kind]).sort((left, right) => left - right)[1]!
  print(`before: ${memoryOf(server.pid)}`)
  // Elsewhere in truth, so it must not take the processor from those it is to hold up.
  const lowest = ['nice', '-n', '19']
  const swarm = Bun.spawn(
    [...lowest, process.execPath, SWARM, new URL(server.url).port, String(clients), String(perSecond)],
    {
      stdout: 'pipe',
      stderr: 'inherit',
    },
  )
  const coming = await measure(server.url, ca, 'while they come')
  await swarm.stdout.getReader().read()
  print(`all there: ${memoryOf(server.pid)}`)
  const among = await measure(server.url, ca, `among ${clients}`)
  const longer = await measure(server.url, ca, `among ${clients}, later`)
  const longest = await measure(server.url, ca, `among ${clients}, still later`)
  print(`during: ${memoryOf(server.pid)}`)
  swarm.kill('SIGKILL')
  await swarm.exited
  await Bun.sleep(SETTLE_MS)
  const after = await measure(server.url, ca, 'afterwards')
  print(`after: ${memoryOf(server.pid)}`)
  const ratios = (kind: keyof Waits) =>
    [coming, among, longer, longest, after].map((p99s) => (p99s[kind] / usual(kind)).toFixed(2)).join(', ')
  print(`p99 against the middle one alone: ${ratios('fast')} as fast as it can, ${ratios('steady')} at a steady pace`)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      clients: { type: 'string', default: '10000' },
      'per-second': { type: 'string', default: '300' },
      bare: { type: 'boolean', default: false },
      silent: { type: 'boolean', default: false },
    },
  })
  const main = values.bare ? BARE : values.silent ? SILENT : undefined
  await run(Number(values.clients), Number(values['per-second']), main)
}
