/** The compose file of PostgreSQL and two servers. Docker itself is not needed. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { YAML } from 'bun'
import { readConfig } from '../../../src/server/config/config.ts'
import { databaseServer } from '../../../src/server/config/database-server.ts'
import { configSchema } from '../../../src/server/config/settings.ts'
import { tempDir } from '../../support/temp-dir.ts'

interface Service {
  readonly image: string
  readonly build?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: {
    readonly default: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } }
  }
  readonly volumes: Readonly<Record<string, null>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

const FOLDER = Bun.fileURLToPath(new URL('../../../packaging/postgres/', import.meta.url))
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64')
const MOUNTED = '/run/secrets/'
const { services, networks, volumes, secrets } = YAML.parse(
  readFileSync(join(FOLDER, 'compose.yaml'), 'utf8'),
) as Compose
const balancer = readFileSync(join(FOLDER, 'haproxy.cfg'), 'utf8')
const servers = Object.entries(services).filter(([, { build }]) => build !== undefined)
const [first] = servers.map(([, { environment = {} }]) => environment)

test('there are two servers, which differ in their folders alone', () => {
  expect(servers.map(([name]) => name)).toEqual(['one', 'other'])
  const same = servers.map(([, { volumes: _, ...rest }]) => rest)
  expect(same[1]).toEqual(same[0] as Service)
  const folders = servers.map(([, service]) => service.volumes?.[0])
  expect(folders).toEqual(['one:/data', 'other:/data'])
  expect(Object.keys(volumes)).toEqual(['postgres', 'one', 'other'])
})

test('every setting exists, and the server accepts them', async () => {
  await using dir = await tempDir()
  const known = Object.keys(configSchema.properties)
  expect(Object.keys(first ?? {}).filter((name) => !known.includes(name))).toEqual([])
  const settings: Record<string, string> = {}
  for (const [name, value] of Object.entries(first ?? {})) {
    settings[name] = value.startsWith(MOUNTED) ? dir.file(value.slice(MOUNTED.length)) : value
    const text = name === 'SECRETS_KEY_FILE' ? SECRETS_KEY : value
    if (value.startsWith(MOUNTED)) await Bun.write(settings[name], `${text}\n`)
  }
  const config = readConfig(settings)
  expect(config.SECRETS_KEY).toBe(SECRETS_KEY)
  const password = encodeURIComponent('/run/secrets/database_password')
  expect(databaseServer(config)?.url).toBe(`postgres://dhole:${password}@postgres:5432/dhole?sslmode=disable`)
})

test('every secret is a file, and each service gets those that it reads', () => {
  for (const [name, { environment = {}, secrets: given = [] }] of Object.entries(services)) {
    const read = Object.values(environment).filter((value) => value.startsWith(MOUNTED))
    const all = name === 'balancer' ? [...balancer.matchAll(/crt (\S+)/g)].map(([, file = '']) => file) : read
    expect([name, all.map((file) => file.slice(MOUNTED.length)).toSorted()]).toEqual([name, given.toSorted()])
  }
  for (const { file } of Object.values(secrets)) expect(file).toStartWith('./secrets/')
  expect(readFileSync(join(FOLDER, '.gitignore'), 'utf8')).toBe('secrets/\n')
  expect(JSON.stringify(services)).not.toMatch(/"[A-Z_]*(?:PASSWORD|SECRET|KEY)"/)
})

test('the balancer knows both servers, and they know it', () => {
  const found = [...balancer.matchAll(/^ {2}server (\S+) (\S+):(\d+)$/gm)].map(([, name, host, port]) => ({
    name,
    host,
    port,
  }))
  expect(found).toEqual(servers.map(([name]) => ({ name, host: name, port: first?.['HTTP_PORT'] })))
  expect(first?.['TRUST_PROXY']).toBe(networks.default.ipam.config[0]?.subnet ?? '')
  expect(balancer).toContain('http-request set-header X-Forwarded-Proto https')
  expect(balancer).toContain('option httpchk GET /ready')
})

test('images of others have exact versions, and start in order', () => {
  for (const { image, build } of Object.values(services))
    if (build === undefined) expect(image).toMatch(/^\w+:\d+\.\d+[.\d]*-\w+$/)
  for (const [, { depends_on: needed }] of servers)
    expect(needed).toEqual({ postgres: { condition: 'service_healthy' } })
  expect(Object.keys(services['balancer']?.depends_on ?? {})).toEqual(['one', 'other'])
})
