import '../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { dhole } from '../../src/index.ts'
import { clientOf } from '../support/https-server.ts'
import { sharedCertificate } from '../support/shared-certificate.ts'
import { tempDir } from '../support/temp-dir.ts'
import { executablePath, launchBrowser, logIn, MISSING, PATIENCE_MS } from './chromium.ts'
import { OPERATOR } from './console-browser.ts'

/** What the host puts before the paths of the plugin. */
const PREFIX = '/data/tree'
const title = `the console of the plugin${executablePath === undefined ? ` (${MISSING})` : ''}`

describe.skipIf(executablePath === undefined)(title, () => {
  test('says what its host decides, and offers nothing that would be refused', async () => {
    await using dir = await tempDir()
    const options = { prefix: PREFIX, dataDir: dir.path, console: { secret: OPERATOR }, docs: true }
    const tls = await sharedCertificate()
    const host = new Elysia()
      .use(dhole({ ...options, applications: { app: { open: true } } }))
      .listen({ hostname: '127.0.0.1', port: 0, tls })
    const server = clientOf(host.server?.port ?? 0, tls.cert)
    const browser = await launchBrowser()
    try {
      const context = await browser.newContext({ ignoreHTTPSErrors: true })
      const page = await context.newPage()
      page.setDefaultTimeout(PATIENCE_MS)
      const address = `https://localhost:${server.port}${PREFIX}/console`
      await page.goto(address)
      await logIn(page, OPERATOR)
      for (const [path, shown] of [
        ['', 'All is well: reads and writes go through.'],
        ['', 'the storage of the program that runs Dhole'],
        ['/applications', 'The program that runs Dhole names the applications'],
        ['/applications/app', 'The settings are those of the program that runs Dhole'],
        ['/backups', 'Dhole runs inside another program'],
      ] as const) {
        await page.goto(address + path)
        await page.getByText(shown).first().waitFor()
        await page.getByText('Loading').first().waitFor({ state: 'detached' })
        expect([path, await page.getByRole('alert').allTextContents()]).toEqual([path, []])
        expect(
          await page.getByRole('button', { name: /Add application|Replace the|Remove the|Make a backup/ }).count(),
        ).toBe(0)
      }
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      await page.goto(`${address}/tree/app`)
      await page.getByText('live', { exact: true }).waitFor()
      await server.call('PUT', `${PREFIX}/rooms.json`, { body: '{"lobby": 1}' })
      await page.getByRole('treeitem', { name: 'rooms 1 child' }).dblclick()
      await page.getByRole('treeitem', { name: 'lobby 1' }).waitFor()
      await page.getByRole('link', { name: 'Rules' }).click()
      await page.waitForURL(`${address}/rules/app`)
      await page.getByRole('textbox', { name: 'Rules' }).waitFor()
      expect(asked.filter((path) => !path.startsWith(`${PREFIX}/`))).toEqual([])
    } finally {
      await browser.close()
      await host.stop(true)
    }
  })
})
