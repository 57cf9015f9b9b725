import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chromium } from 'playwright-core'
import { blocks } from '../pages/blocks.ts'
import { type Checkout, startCheckout } from '../pages/checkout.ts'
import { findChromium } from './chromium.ts'

const PAGE = await Bun.file(new URL('../../../docs/how-to/trust.md', import.meta.url)).text()
const ALIVE = '{"status":"ok"}'

/** The shell blocks below a heading. */
function commands(heading: string): readonly string[] {
  const [section = ''] = PAGE.split(/^## /m).filter((part) => part.startsWith(`${heading}\n`))
  return blocks(section, 'sh').map(({ text }) => text)
}

/** Runs the blocks below a heading in a folder that has the data of a server, with a shell of its own. */
async function run(heading: string): Promise<readonly string[]> {
  const { CURL_CA_BUNDLE: _, ...variables } = process.env
  const folder = checkout.server.dataDir.replace(/\/data$/, '')
  const { port } = new URL(checkout.server.url)
  const printed: string[] = []
  for (const text of commands(heading)) {
    const script = text.replaceAll('localhost:8443', `localhost:${port}`)
    const shell = Bun.spawn(['bash', '-euc', script], { cwd: folder, env: variables, stdout: 'pipe', stderr: 'pipe' })
    const [out, err, status] = await Promise.all([shell.stdout.text(), shell.stderr.text(), shell.exited])
    expect([status, status === 0 ? '' : err]).toEqual([0, ''])
    printed.push(...out.split('\n').filter((line) => line !== ''))
  }
  return printed
}

let checkout: Checkout

beforeAll(async () => {
  checkout = await startCheckout({ TLS_NAMES: 'tree.example' })
})

afterAll(() => checkout[Symbol.asyncDispose]())

test('says what the certificate is for', async () => {
  const [subject, ...rest] = await run('The names it is for')
  expect(subject).toMatch(/^subject=CN ?= ?localhost$/)
  expect(rest.join('\n')).toContain('DNS:localhost, DNS:*.localhost')
  expect(rest.join('\n')).toContain('DNS:tree.example')
})

describe.each([
  ['curl', 'curl', 2],
  ['Node.js', 'node', 1],
  ['Bun', 'bun', 2],
  ['Python', 'python3', 2],
] as const)('%s', (heading, tool, times) => {
  const isMissing = Bun.which(tool) === null
  const skipped = isMissing ? ` (skipped: no ${tool} on this machine)` : ''
  test.skipIf(isMissing)(`trusts the certificate as the page says${skipped}`, async () => {
    expect(await run(heading)).toEqual(Array.from({ length: times }, () => ALIVE))
  })
})

const executablePath = findChromium()
const skipped = executablePath === undefined ? ' (skipped: no Chromium on this machine)' : ''

test.skipIf(executablePath === undefined)(`Chromium trusts the key as the page says${skipped}`, async () => {
  const [hash = ''] = await run('Browsers')
  const browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ['--no-sandbox', '--disable-dev-shm-usage', `--ignore-certificate-errors-spki-list=${hash}`],
  })
  try {
    const page = await browser.newPage()
    const { port } = new URL(checkout.server.url)
    expect((await page.goto(`https://localhost:${port}/`))?.status()).toBe(200)
    await page.getByRole('link', { name: 'Console' }).click()
    await page.waitForURL(`https://localhost:${port}/console`)
  } finally {
    await browser.close()
  }
})
