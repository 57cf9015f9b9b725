import '../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import { sharedCertificate } from '../support/shared-certificate.ts'
import { executablePath, logIn, MISSING } from './chromium.ts'
import { OPERATOR, withConsole } from './console-browser.ts'

/** What the proxy puts before the paths of the server. */
const BEFORE = '/behind/it'
const title = `the console behind a proxy${executablePath === undefined ? ` (${MISSING})` : ''}`

describe.skipIf(executablePath === undefined)(title, () => {
  const console = withConsole()

  /** Passes on what is below `BEFORE`, without it. @param port 0 for any */
  async function startProxy(port: number) {
    const tls = await sharedCertificate()
    return Bun.serve({
      hostname: '127.0.0.1',
      port,
      tls,
      idleTimeout: 0,
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url)
        if (!pathname.startsWith(BEFORE)) return new Response(null, { status: 404 })
        const { method, headers, body, signal } = request
        const passed = new Headers(headers)
        passed.delete('host')
        const target = `${console.url}${pathname.slice(BEFORE.length)}${search}`
        const options = {
          method,
          headers: passed,
          body,
          signal,
          redirect: 'manual',
          tls: { rejectUnauthorized: false },
        } as const
        const reply = await fetch(target, { ...options, decompress: false })
        return new Response(reply.body, { status: reply.status, headers: reply.headers })
      },
    })
  }

  test('works below another path, and goes on when the connection was away', async () => {
    await console.send('PUT', '/rooms.json', { lobby: 1 })
    const proxy = await startProxy(0)
    const { port } = proxy
    const page = await console.visit('')
    await page.goto(`https://localhost:${port}${BEFORE}/console/tree/app/rooms`)
    await logIn(page, OPERATOR)
    await page.getByRole('treeitem', { name: 'lobby 1' }).waitFor()
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Rules' }).click()
    await page.waitForURL(`https://localhost:${port}${BEFORE}/console/rules/app`)
    await page.goBack()
    await page.getByText('live', { exact: true }).waitFor()

    await proxy.stop(true)
    await page.getByText('The server cannot be reached. Trying again…').waitFor()
    await console.send('PUT', '/rooms.json', { lobby: 2, garden: 1 })
    const again = await startProxy(port ?? 0)
    await page.getByRole('treeitem', { name: 'lobby 2' }).waitFor()
    await page.getByRole('treeitem', { name: 'garden 1' }).waitFor()
    await page.getByText('The server cannot be reached.').waitFor({ state: 'detached' })
    expect(console.complaints).toEqual([])
    await page.context().close()
    await again.stop(true)
  })
})
