import { afterEach, beforeEach, expect, test } from 'bun:test'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { certificateFor, putCertificate } from '../../support/certificates.ts'
import { openSource } from '../../support/event-source.ts'
import { type Answer, clientOf, SECRET } from '../../support/https-server.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

const SOURCES = Bun.fileURLToPath(new URL('../../../src', import.meta.url))
const OWNER = { Authorization: `Bearer ${SECRET}` }
const RELOADS = 3

let dir: TempDir

beforeEach(async () => {
  dir = await tempDir()
})

afterEach(async () => {
  await dir[Symbol.asyncDispose]()
})

/** A host under `bun --hot`, whose file can be replaced while it runs. */
class HotHost implements AsyncDisposable {
  readonly #child
  #printed = ''
  #wake: (() => void) | undefined
  readonly #read: Promise<void>

  constructor() {
    this.#child = Bun.spawn([process.execPath, '--hot', dir.file('host.ts')], {
      cwd: dir.path,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    this.#read = Promise.all([this.#collect(this.#child.stdout), this.#collect(this.#child.stderr)]).then(() => {})
  }

  /** Everything printed so far. */
  get printed(): string {
    return this.#printed
  }

  /** Waits for a line that matches. @throws Error with what was printed when the host ends before */
  async line(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#printed)
      if (found !== null) return found
      if (this.#child.exitCode !== null || /error: /.test(this.#printed)) throw new Error(this.#printed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#read
  }

  async #collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      this.#printed += decoder.decode(chunk, { stream: true })
      this.#wake?.()
    }
    this.#wake?.()
  }
}

function embeddedHost(version: number): string {
  return `
import { openDatabase } from ${JSON.stringify(join(SOURCES, 'embedded.ts'))}

const db = openDatabase({ file: './tree.sqlite' })
process.on('unhandledRejection', (error) => console.log('error: unhandled', error))
if (globalThis.read !== undefined) console.log('before ${version} there is', await globalThis.read(), 'end')
db.onValue('/count', { onError: (error) => console.log('error: listener', error) }, (count) => {
  console.log('listener ${version} heard', count, 'end')
})
;(async () => {
  for await (const change of db.watch('/count')) void change
  console.log('watch ${version} ended')
})()
const { value } = await db.transaction('/count', (count) => (count ?? 0) + 1)
globalThis.read = () => db.get('/count').then((count) => count, (error) => error.code)
console.log('version ${version} counts', value, 'end')
`
}

/** Puts the file of the host in place at once: a host that watches it must not find half of it, nor reload twice. */
function replaceHost(text: string): void {
  writeFileSync(dir.file('host.next'), text)
  renameSync(dir.file('host.next'), dir.file('host.ts'))
}

function pluginHost(version: number): string {
  return `
import { Elysia } from ${JSON.stringify(Bun.resolveSync('elysia', SOURCES))}
import { dhole } from ${JSON.stringify(join(SOURCES, 'index.ts'))}

const app = new Elysia()
  .get('/version', () => '${version}')
  .use(dhole({ prefix: '/tree', dataDir: './data', applications: { app: { secret: '${SECRET}' } } }))
  .listen({ hostname: '127.0.0.1', port: 0, tls: { cert: Bun.file('cert.pem'), key: Bun.file('key.pem') } })
process.on('unhandledRejection', (error) => console.log('error: unhandled', error))
console.log('version ${version} on', app.server?.port, 'end')
`
}

test('a host of the plugin takes its tree along when it is reloaded', async () => {
  const certificate = await certificateFor()
  putCertificate(certificate, dir.file('cert.pem'), dir.file('key.pem'))
  replaceHost(pluginHost(0))
  await using host = new HotHost()
  let port = Number((await host.line(/version 0 on (\d+) end/))[1])
  const call = (method: string, path: string, body?: string): Promise<Answer> =>
    clientOf(port, certificate.cert).call(method, path, { headers: OWNER, ...(body === undefined ? {} : { body }) })

  const acknowledged: number[] = []
  let isWriting = true
  const writing = (async () => {
    for (let number = 0; isWriting; number++) {
      const answer = await call('PUT', `/tree/list/n${number}.json`, String(number)).catch(() => undefined)
      if (answer?.status === 200) acknowledged.push(number)
    }
  })()
  for (let version = 1; version <= RELOADS; version++) {
    const listening = { port, ca: certificate.cert }
    await using source = await openSource(listening, '/tree/watched.json', { headers: OWNER })
    await source.next()
    replaceHost(pluginHost(version))
    port = Number((await host.line(new RegExp(`version ${version} on (\\d+) end`)))[1])
    await source.ended
    expect((await call('GET', '/version')).text).toBe(String(version))
    await using again = await openSource({ port, ca: certificate.cert }, '/tree/watched.json', { headers: OWNER })
    expect(await again.next()).toMatchObject({ path: '/', data: version === 1 ? null : version - 1 })
    expect((await call('PUT', '/tree/watched.json', String(version))).status).toBe(200)
    expect(await again.next()).toMatchObject({ path: '/', data: version })
  }
  isWriting = false
  await writing
  const list = JSON.parse((await call('GET', '/tree/list.json')).text) as Record<string, number>
  expect(acknowledged.filter((number) => list[`n${number}`] !== number)).toEqual([])
  expect(acknowledged.length).toBeGreaterThan(RELOADS)
  expect(host.printed).not.toContain('error: ')
})

test('a host of the embedded database takes its file along, and listeners of before end', async () => {
  replaceHost(embeddedHost(0))
  await using host = new HotHost()
  await host.line(/version 0 counts 1 end/)
  await host.line(/listener 0 heard 1 end/)
  for (let version = 1; version <= RELOADS; version++) {
    replaceHost(embeddedHost(version))
    await host.line(new RegExp(`watch ${version - 1} ended`))
    await host.line(new RegExp(`before ${version} there is unavailable end`))
    await host.line(new RegExp(`version ${version} counts ${version + 1} end`))
    await host.line(new RegExp(`listener ${version} heard ${version + 1} end`))
  }
  for (let version = 0; version < RELOADS; version++) {
    expect(host.printed).not.toContain(`listener ${version} heard ${version + 2}`)
  }
  expect(host.printed).not.toContain('error: ')
})
