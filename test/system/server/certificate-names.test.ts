import { afterEach, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { runDhole } from '../../support/dhole-command.ts'
import { longTest, someInLanes } from '../../support/lane.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

const SHA256 = '06082a8648ce3d040302'

const folders: TempDir[] = []

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => folder[Symbol.asyncDispose]()))
})

async function dataDir(): Promise<string> {
  const dir = await tempDir()
  folders.push(dir)
  return dir.path
}

/** Starts a server in a folder, looks at the certificate it serves with, and ends it. */
async function certificateOf(settings: Readonly<Record<string, string>>): Promise<Served> {
  const server = await spawnServer(settings, { makesCertificate: true })
  const certificate = new X509Certificate(await Bun.file(server.certificate).text())
  server.kill('SIGTERM')
  await server.exited
  return { certificate, output: server.output(), server }
}

interface Served {
  readonly certificate: X509Certificate
  readonly output: string
  readonly server: ServerProcess
}

function expectNames(certificate: X509Certificate, hosts: readonly string[], addresses: readonly string[]): void {
  const names = [...(certificate.subjectAltName ?? '').matchAll(/DNS:([^,]+)/g)].map(([, name]) => name)
  expect(names.toSorted()).toEqual(hosts.toSorted())
  for (const address of addresses) expect([address, certificate.checkIP(address)]).toEqual([address, address])
}

const LOOPBACK_HOSTS = ['localhost', '*.localhost']
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1']

test('is for loopback alone unless told otherwise, and signed with SHA-256', async () => {
  const { certificate } = await certificateOf({ DATA_DIR: await dataDir() })
  expectNames(certificate, LOOPBACK_HOSTS, LOOPBACK_ADDRESSES)
  expect(certificate.raw.toString('hex')).toContain(SHA256)
})

test('is for the names and addresses of TLS_NAMES and BASE_DOMAIN', async () => {
  const { certificate, output } = await certificateOf({
    DATA_DIR: await dataDir(),
    TLS_NAMES: 'Tree.Example, *.dev.example ,192.0.2.77,fd00::77',
    BASE_DOMAIN: 'db.example',
  })
  const hosts = ['tree.example', '*.dev.example', 'db.example', '*.db.example']
  expectNames(certificate, [...LOOPBACK_HOSTS, ...hosts], [...LOOPBACK_ADDRESSES, '192.0.2.77', 'fd00::77'])
  expect(output).toMatch(/"https:\/\/tree\.example:\d+","https:\/\/192\.0\.2\.77:\d+","https:\/\/\[fd00::77\]:\d+"/)
})

test.each(['0.0.0.0', '::'])('on HOST=%s is for the names and addresses of the machine', async (HOST) => {
  const { certificate, output, server } = await certificateOf({ DATA_DIR: await dataDir(), HOST })
  const addresses = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(
      ({ internal, family, address }) =>
        !internal && !address.startsWith('fe80:') && (HOST === '::' || family === 'IPv4'),
    )
    .map(({ address }) => address)
  expectNames(certificate, [...LOOPBACK_HOSTS, hostname().toLowerCase()], [...LOOPBACK_ADDRESSES, ...addresses])
  expect(new URL(server.url).hostname).toBe(HOST === '::' ? '[::1]' : '127.0.0.1')
  for (const address of addresses) expect(output).toContain(address)
})

longTest('is made anew when names change, and kept when they do not', async () => {
  const DATA_DIR = await dataDir()
  const first = await certificateOf({ DATA_DIR })
  expect(first.output).toContain('no client trusts it yet')
  const same = await certificateOf({ DATA_DIR })
  expect(same.certificate.fingerprint256).toBe(first.certificate.fingerprint256)
  expect(same.output).not.toContain('no client trusts it yet')
  const more = await certificateOf({ DATA_DIR, TLS_NAMES: 'tree.example,192.0.2.77' })
  expect(more.output).toContain('no client trusts it yet')
  expectNames(more.certificate, [...LOOPBACK_HOSTS, 'tree.example'], [...LOOPBACK_ADDRESSES, '192.0.2.77'])
  const fewer = await certificateOf({ DATA_DIR })
  expectNames(fewer.certificate, LOOPBACK_HOSTS, LOOPBACK_ADDRESSES)
})

longTest('is made anew when another version has signed it with SHA-1', async () => {
  const DATA_DIR = await dataDir()
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    notAfterDate: new Date(Date.now() + 800 * 86_400_000),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 2, value: '*.localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  })
  await mkdir(join(DATA_DIR, 'tls'))
  await Bun.write(join(DATA_DIR, 'tls/certificate.pem'), cert)
  await Bun.write(join(DATA_DIR, 'tls/certificate-key.pem'), key)
  const { certificate } = await certificateOf({ DATA_DIR })
  expect(certificate.fingerprint256).not.toBe(new X509Certificate(cert).fingerprint256)
  expect(certificate.raw.toString('hex')).toContain(SHA256)
})

test.each(someInLanes(['a b', 'tree.example:8443', 'https://tree.example', '1.2.3', '-x.example', 'a..b'], 3))(
  'TLS_NAMES=%s is refused',
  async (TLS_NAMES) => {
    const { status, stderr } = await runDhole(['serve'], { PORT: '0', DATA_DIR: await dataDir(), TLS_NAMES })
    expect([status, stderr]).toEqual([2, expect.stringContaining('TLS_NAMES: ')])
  },
)

longTest('a tree that is open to this machine is served under the names of TLS_NAMES', async () => {
  await using server = await spawnServer({ TLS_NAMES: 'dev.example,*.test.example' })
  const ca = await Bun.file(server.certificate).text()
  const status = async (host: string) =>
    (await fetch(`${server.url}/a.json`, { headers: { Host: host }, tls: { ca } })).status
  expect(await status('dev.example:8443')).toBe(200)
  expect(await status('a.test.example')).toBe(200)
  expect(await status('b.a.test.example')).toBe(403)
  expect(await status('other.example')).toBe(403)
})
