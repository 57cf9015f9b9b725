import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { certificateFor } from '../../support/certificates.ts'
import { inLanes, longTest } from '../../support/lane.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

const ROOT = Bun.fileURLToPath(new URL('../../..', import.meta.url))
/** What hosts have beside the package; versions that this machine has already. */
const BESIDE = [
  `elysia@${manifest.dependencies.elysia}`,
  `typescript@${manifest.devDependencies.typescript}`,
  `@types/bun@${manifest.devDependencies['@types/bun']}`,
]
/** Made when it is packed. */
const MADE = ['types', 'swagger-ui', 'console/built']
const SHIPPED = manifest.files.filter((name) => !MADE.includes(name))
/** What they are made from, beside the sources. */
const MADE_FROM = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'packaging', 'console']
/** The manifest of an installed package. */
const PACKAGE = /node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/

/** What of a package says what runs when it is installed. */
interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>
}

/** A place in a file that does not belong to a dependency of the package. */
const OWN = /^(?!node_modules\/)|^node_modules\/dhole\//

let dir: TempDir

interface Ran {
  readonly status: number
  readonly output: string
}

async function run(folder: string, ...command: readonly string[]): Promise<Ran> {
  const child = Bun.spawn([...command], {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, NO_COLOR: '1' },
  })
  const [output, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { status, output: output + errors }
}

async function succeed(folder: string, ...command: readonly string[]): Promise<string> {
  const { status, output } = await run(folder, ...command)
  if (status !== 0) throw new Error(`${command.join(' ')}: ${output}`)
  return output
}

/** Packs a copy of the checkout: what is made for that must not be met half made by other tests. */
async function pack(destination: string): Promise<void> {
  await using copy = await tempDir()
  for (const name of [...SHIPPED, ...MADE_FROM]) cpSync(join(ROOT, name), copy.file(name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), copy.file('node_modules'))
  await succeed(copy.path, 'bun', 'pm', 'pack', '--destination', destination, '--quiet')
}

/** A project made by `bun init`, with the packed package and a host in it. */
beforeAll(async () => {
  dir = await tempDir()
  await succeed(dir.path, 'bun', 'init', '--yes')
  await pack(dir.path)
  const tarball = readdirSync(dir.path).find((name) => name.endsWith('.tgz'))
  await succeed(dir.path, 'bun', 'add', `./${tarball}`, ...BESIDE)
  cpSync(join(import.meta.dir, 'host/host.ts'), dir.file('index.ts'))
  const { cert, key } = await certificateFor()
  writeFileSync(dir.file('certificate.pem'), cert)
  writeFileSync(dir.file('key.pem'), key)
})

afterAll(async () => {
  await dir[Symbol.asyncDispose]()
})

/** The lines of the compiler that are about the host or about files of the package. */
async function complaints(options: Readonly<Record<string, unknown>> | undefined): Promise<readonly string[]> {
  const config = options === undefined ? 'tsconfig.json' : 'tsconfig.other.json'
  if (options !== undefined) {
    writeFileSync(
      dir.file(config),
      JSON.stringify({ compilerOptions: { ...options, noEmit: true }, files: ['index.ts'] }),
    )
  }
  const { output } = await run(dir.path, join(dir.path, 'node_modules/.bin/tsc'), '--pretty', 'false', '-p', config)
  return output.split('\n').filter((line) => line.includes('error TS') && OWN.test(line))
}

/** Options of the compiler; `undefined` for those of the project. */
type Options = readonly [name: string, options: Readonly<Record<string, unknown>> | undefined]

describe('a host that installs the package', () => {
  const everyFile = { strict: true, skipLibCheck: false, target: 'ESNext', lib: ['ESNext'], types: ['bun'] }
  const others: readonly Options[] = [
    ['resolution as bundlers do', { ...everyFile, skipLibCheck: true, module: 'ESNext', moduleResolution: 'bundler' }],
    ['resolution as Node.js does', { ...everyFile, module: 'NodeNext', moduleResolution: 'NodeNext' }],
    ['lax options', { ...everyFile, skipLibCheck: true, strict: false, module: 'Preserve' }],
  ]
  const usual: readonly Options[] = [
    ['the defaults of bun init', undefined],
    [
      'the strictest options',
      {
        ...everyFile,
        skipLibCheck: true,
        module: 'Preserve',
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noPropertyAccessFromIndexSignature: true,
        noUnusedLocals: true,
        noUnusedParameters: true,
        isolatedModules: true,
        verbatimModuleSyntax: true,
      },
    ],
  ]

  for (const [name, options] of inLanes(usual.slice(0, 1), [...usual, ...others])) {
    test(`type-checks with ${name}`, async () => expect(await complaints(options)).toEqual([]))
  }

  longTest('learns of wrong calls by its compiler', async () => {
    writeFileSync(
      dir.file('wrong.ts'),
      `import { dhole } from 'dhole'\nimport { openDatabase } from 'dhole/embedded'\n` +
        `dhole({ dataDri: '' })\nopenDatabase({ file: 7 })\nopenDatabase({ file: '' }).writePlan()\n`,
    )
    const { output } = await run(dir.path, join(dir.path, 'node_modules/.bin/tsc'), '--pretty', 'false')
    const found = [...output.matchAll(/^wrong\.ts\((\d+),\d+\): error (TS\d+)/gm)].map(([, line, code]) => [line, code])
    expect(found).toEqual([
      ['3', 'TS2561'],
      ['4', 'TS2769'],
      ['5', 'TS2339'],
    ])
  })

  test('runs', async () => {
    expect(await succeed(dir.path, process.execPath, 'index.ts')).toBe('{"topic":"Ahoy"} [["ann",2]] true 2\n')
  })
})

describe('Swagger UI', () => {
  longTest('is served from copies in the package', async () => {
    cpSync(join(import.meta.dir, 'host/documents.ts'), dir.file('documents.ts'))
    const printed = await succeed(dir.path, process.execPath, 'documents.ts')
    const served = printed
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
    expect(served.map(([path, status]) => [path?.replace(/\?.*/, ''), status])).toEqual(
      ['favicon-32x32.png', 'swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'].map((name) => [
        `/swagger/${name}`,
        '200',
      ]),
    )
    const folder = join(ROOT, 'node_modules/swagger-ui-dist')
    const { version } = (await Bun.file(join(folder, 'package.json')).json()) as { readonly version: string }
    for (const [path = '', , digest] of served.slice(0, 3)) {
      const [, name = '', shown] = /^\/swagger\/(.*)\?v=(.*)$/.exec(path) ?? []
      const file = await Bun.file(join(folder, name)).arrayBuffer()
      expect([name, shown, digest]).toEqual([name, version, new Bun.CryptoHasher('sha256').update(file).digest('hex')])
    }
  })

  longTest('brings no package that npm would run something of', async () => {
    const files = [...new Bun.Glob('node_modules/**/package.json').scanSync({ cwd: dir.path })]
    const manifests = files.filter((file) => PACKAGE.test(file))
    expect(manifests.length).toBeGreaterThan(40)
    const scripted = manifests.filter((file) => {
      const { scripts = {} } = JSON.parse(readFileSync(dir.file(file), 'utf8')) as Manifest
      return ['preinstall', 'install', 'postinstall'].some((name) => name in scripts)
    })
    expect(scripted).toEqual([])
    expect(manifests.filter((file) => /scarf|swagger-ui-dist/.test(file))).toEqual([])
  })
})

longTest('the console is served from its bundle in the package', async () => {
  cpSync(join(import.meta.dir, 'host/console.ts'), dir.file('console.ts'))
  const printed = await succeed(dir.path, process.execPath, 'console.ts')
  const served = printed.trim().split('\n')
  expect(served.map((line) => line.replace(/-[a-z0-9]+\./, '-HASH.'))).toEqual([
    'main-HASH.css 200 text/css; charset=utf-8',
    'main-HASH.js 200 text/javascript; charset=utf-8',
  ])
})

test('the declarations reach nothing of the inside that hosts do not need', () => {
  const rooms = readdirSync(join(dir.path, 'node_modules/dhole/types'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  for (const room of ['http', 'server', 'cli', 'sms', 'hub', 'rules']) expect(rooms).not.toContain(room)
})
