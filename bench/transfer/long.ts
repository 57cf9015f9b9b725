/**
 * `bun run import:long [--megabytes 1000] [--seed 1]`: a long export of posts is imported into a closed file, through
 * the socket of a server and over HTTPS, exported again each time and compared byte for byte.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { spawnServer } from '../../test/support/server-process.ts'
import { cpuMsSince, readCpu } from '../harness/proc.ts'
import { peakMemoryMb, writePosts } from './posts.ts'

const MAIN = Bun.fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const { values } = parseArgs({
  options: { megabytes: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
})
const [megabytes, seed] = [Number(values.megabytes), Number(values.seed)]
const folder = mkdtempSync(join(tmpdir(), 'dhole-transfer-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

const file = join(folder, 'posts.json')
await writePosts(createWriteStream(file), megabytes * 1_000_000, seed)
const bytes = Bun.file(file).size
const wanted = await hashOf(file)
console.log(`${new Date().toISOString()}, seed ${seed}, ${(bytes / 1_000_000).toFixed(1)} MB`)
console.log('| way | MB/s of processor time | MB/s of the clock | peak of the command, MB | peak of the server, MB |')
console.log('|---|---|---|---|---|')

const closed = join(folder, 'closed')
const first = await spawnServer({ DATA_DIR: closed })
first.kill('SIGTERM')
await first.exited
await both('closed file', ['--data-dir', closed])
const server = await spawnServer({ DATA_DIR: join(folder, 'served'), APP_SECRET: 'secret-of-a-long-run' })
await both('socket', ['--data-dir', server.dataDir], server.pid)
await both('HTTPS', ['--url', server.url, '--cacert', server.certificate], server.pid)
await server.stop()
process.exit()

async function both(way: string, where: readonly string[], server?: number): Promise<void> {
  const out = join(folder, 'out.json')
  await measured(`import, ${way}`, ['import', file, ...where], server)
  await measured(`export, ${way}`, ['export', out, ...where], server)
  if ((await hashOf(out)) !== wanted) throw new Error(`${way}: what is exported is not what was imported`)
}

async function measured(what: string, args: readonly string[], server: number | undefined): Promise<void> {
  const before = server === undefined ? undefined : readCpu(server)
  const begin = performance.now()
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    env: { PATH: process.env['PATH'] ?? '', DHOLE_SECRET: 'secret-of-a-long-run' },
    stdout: 'ignore',
  })
  if ((await child.exited) !== 0) throw new Error(`${what} failed`)
  const seconds = (performance.now() - begin) / 1000
  const used = child.resourceUsage()
  const own = Number(used?.cpuTime.total ?? 0) / 1_000_000
  const theirs = server === undefined || before === undefined ? 0 : cpuMsSince(server, before) / 1000
  const peak = Number(used?.maxRSS ?? 0) / 1_000_000
  const rates = [bytes / (own + theirs), bytes / seconds].map((rate) => (rate / 1_000_000).toFixed(1))
  const serverPeak = server === undefined ? '' : peakMemoryMb(server).toFixed(0)
  console.log(`| ${what} | ${rates.join(' | ')} | ${peak.toFixed(0)} | ${serverPeak} |`)
}

/** Of the text, without the newline that ends an export. */
async function hashOf(name: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(name) as AsyncIterable<Uint8Array>) {
    hash.update(piece.at(-1) === 0x0a ? piece.subarray(0, -1) : piece)
  }
  return hash.digest('hex')
}
