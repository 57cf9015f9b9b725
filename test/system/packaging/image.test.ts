import { describe, expect, test } from 'bun:test'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { keptKeys } from '../../support/dhole-command.ts'
import { asPlainUser } from '../../support/plain-user.ts'
import { spawnServer } from '../../support/server-process.ts'
import { sharedCertificate } from '../../support/shared-certificate.ts'
import { tempDir } from '../../support/temp-dir.ts'

const ROOT = Bun.fileURLToPath(new URL('../../..', import.meta.url))

/** A line of a Dockerfile. */
interface Instruction {
  readonly name: string
  readonly rest: string
}

const instructions: readonly Instruction[] = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [name = '', ...rest] = line.split(' ')
    return { name, rest: rest.join(' ') }
  })

function all(name: string): readonly string[] {
  return instructions.filter((instruction) => instruction.name === name).map(({ rest }) => rest)
}

/** What is copied from the folder it is built in. */
const copied = all('COPY')
  .filter((rest) => !rest.startsWith('--from'))
  .flatMap((rest) => rest.split(' ').slice(0, -1))

describe('the image', () => {
  test('is made of what is named by its content, and of the runtime that everything is tried with', async () => {
    const version = /BUN_VERSION=(\S+)/.exec(readFileSync(join(ROOT, '.ci/run'), 'utf8'))?.[1] ?? ''
    const { optionalDependencies: runtimes } = await Bun.file(join(ROOT, 'packaging/image/package.json')).json()
    expect(runtimes).toEqual({ '@oven/bun-linux-aarch64': version, '@oven/bun-linux-x64-baseline': version })
    const lock = readFileSync(join(ROOT, 'packaging/image/bun.lock'), 'utf8')
    for (const name of Object.keys(runtimes)) {
      expect(lock).toMatch(new RegExp(`"${name}": \\["${name}@${version}".*"sha512-[A-Za-z0-9+/]{86}=="\\]`))
    }
    expect(Bun.semver.satisfies(version, manifest.engines.bun)).toBe(true)

    const images = all('ARG').map((rest) => rest.split('=')[0])
    for (const rest of all('ARG')) expect(rest).toMatch(/^[A-Z]+=\S+:\S+@sha256:[0-9a-f]{64}$/)
    const stages = all('FROM').map((rest) => rest.split(' AS '))
    const known = [...images.map((name) => `\${${name}}`), ...stages.map(([, name]) => name)]
    for (const [from] of stages) expect(known).toContain(from)
    for (const rest of all('COPY').filter((copy) => copy.startsWith('--from'))) {
      expect(known).toContain(/^--from=(\S+)/.exec(rest)?.[1])
    }
  })

  test('has what it copies, and nothing else is sent to be built', () => {
    for (const path of copied) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true])
    const [first, ...allowed] = readFileSync(join(ROOT, '.dockerignore'), 'utf8').trim().split('\n')
    expect(first).toBe('*')
    expect(allowed.map((line) => line.slice(1)).sort()).toEqual([...new Set(copied)].sort())
  })

  test('runs as a plain user, who owns the volume', () => {
    expect(all('USER')).toEqual(['bun'])
    expect(all('VOLUME')).toEqual(['/data'])
    expect(all('RUN').some((rest) => rest.includes('chown bun:bun /data'))).toBe(true)
    const [environment = ''] = all('ENV')
    expect(environment.split(' ')).toEqual(
      expect.arrayContaining(['HOST=0.0.0.0', 'PORT=8443', 'DATA_DIR=/data', 'LOG_FORMAT=json']),
    )
    expect(all('EXPOSE')).toEqual(['8443'])
  })

  test('starts and looks after itself when its steps are done by hand, from a folder that cannot be written', async () => {
    await using dir = await tempDir()
    const app = dir.file('app')
    for (const path of copied) {
      mkdirSync(dirname(join(app, path)), { recursive: true })
      cpSync(join(ROOT, path), join(app, path), { recursive: true })
    }
    const install =
      all('RUN')
        .find((rest) => rest.includes('--production'))
        ?.split(' ')
        .slice(1) ?? []
    const installed = Bun.spawnSync([process.execPath, ...install], { cwd: app, stdout: 'ignore', stderr: 'pipe' })
    expect([installed.exitCode, installed.exitCode === 0 ? '' : String(installed.stderr)]).toEqual([0, ''])
    expect(existsSync(join(app, 'node_modules/@biomejs'))).toBe(false)
    for (const folder of [app, join(app, 'src')]) chmodSync(folder, 0o555)
    const [, main = ''] = JSON.parse(all('ENTRYPOINT')[0] ?? '[]') as string[]
    const data = dir.file('data')
    mkdirSync(data)
    for (const folder of [dir.path, data]) chmodSync(folder, 0o777)
    const settings = { HOST: '0.0.0.0', NODE_ENV: 'production', DATA_DIR: data }
    const server = await spawnServer(settings, { main: main.replace('/app', app), through: asPlainUser() ?? [] })
    const health = JSON.parse(/CMD (\[.*\])$/.exec(all('HEALTHCHECK')[0] ?? '')?.[1] ?? '[]') as string[]
    const look = (port: string) =>
      Bun.spawnSync([process.execPath, String(health[1]).replace('/app', app)], {
        env: { HOST: '0.0.0.0', PORT: port },
        stderr: 'pipe',
      })
    const { port } = new URL(server.url)
    expect([look(port).exitCode, String(look(port).stderr)]).toEqual([0, ''])
    for (const page of ['swagger', 'swagger/swagger-ui-bundle.js', 'swagger/json', 'docs/live', 'console']) {
      const reply = await fetch(`https://127.0.0.1:${port}/${page}`, { tls: { rejectUnauthorized: false } })
      expect([page, reply.status]).toEqual([page, 200])
    }
    expect(server.output()).toContain('locked: only the super secret may read and write')
    for (const key of Object.values(await keptKeys(data))) expect(server.output()).not.toContain(key)
    await server.stop()
    expect(look(port).exitCode).toBe(1)
    expect(String(look(port).stderr)).toStartWith('not healthy: ')
    for (const folder of [app, join(app, 'src')]) chmodSync(folder, 0o755)
  })
})

test.each([
  [200, 0],
  [204, 1],
  [404, 1],
  [503, 1],
])('the look at /health ends, when the answer is %i, with status %i', async (status, exitCode) => {
  const tls = await sharedCertificate()
  const asked: string[] = []
  await using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls,
    fetch: ({ url }) => {
      asked.push(new URL(url).pathname)
      return new Response(null, { status })
    },
  })
  const look = Bun.spawn([process.execPath, join(ROOT, 'packaging/health.mjs')], {
    env: { PORT: String(server.port) },
    stderr: 'ignore',
  })
  expect([await look.exited, asked]).toEqual([exitCode, ['/health']])
})
