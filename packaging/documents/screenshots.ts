/**
 * Makes the pictures of the console in `docs/images`: `bun run screenshots`. It starts a server with some data, lets clients
 * read, write and listen for two minutes, and looks at its pages with Chromium.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { signatureOf } from '../../src/sms/model/signature.ts'
import { findChromium } from '../../test/docs/openapi/chromium.ts'
import { spawnServer } from '../../test/support/server-process.ts'

const FOLDER = Bun.fileURLToPath(new URL('../../docs/images', import.meta.url))
const OPERATOR = 'secret of the operator in pictures'
const SECRET = 'super secret of the app in pictures'
const SMS_KEY = 'text message key of the app in pictures'
const SIZE = { width: 1120, height: 760 }
/** For pages with parts below each other. */
const TALL = { width: 1120, height: 1160 }
/** How long clients work before the pictures are taken, in ms. */
const LOAD_MS = 120_000
const PAUSE_MS = 20
const STREAMS = 12

const RULES = `{
  "rules": {
    "rooms": {
      "$room": {
        // Members of a room read and write it.
        ".read": "root.child('members/' + $room + '/' + auth.uid).exists()",
        ".write": "root.child('members/' + $room + '/' + auth.uid).exists()",
        "$message": {
          ".validate": "newData.hasChildren(['from', 'text'])",
          "from": { ".validate": "newData.val() === auth.uid" },
          "text": { ".validate": "newData.isString() && newData.val().length <= 200" }
        }
      }
    },
    "readings": { ".read": true, ".indexOn": ["celsius"] }
  }
}
`

const executablePath = findChromium()
if (executablePath === undefined) throw new Error('there is no Chromium: name one in CHROMIUM')
// Also what fails ends the server and the browser.
await using resources = new AsyncDisposableStack()
// The pictures show the paths of files as those see them who start the server in a checkout.
const home = await mkdtemp(join(tmpdir(), 'dhole-pictures-'))
resources.defer(async () => {
  process.chdir(tmpdir())
  await rm(home, { recursive: true, force: true })
})
process.chdir(home)
await mkdir('data', { mode: 0o700 })
const settings = { APP_SECRET: SECRET, OPERATOR_SECRET: OPERATOR, SMS_KEY, LOG_LEVEL: 'error', DATA_DIR: 'data' }
const server = resources.use(await spawnServer(settings))
const unchecked = { tls: { rejectUnauthorized: false } } as const

await fill()
const streams = new AbortController()
for (let count = 0; count < STREAMS; count++) await listen(streams.signal)
// A checkout bundles the console for the first request.
await fetch(`${server.url}/console`, unchecked).then((reply) => reply.text())
const working = work(streams.signal)
resources.defer(async () => {
  streams.abort()
  await working
})
await Bun.sleep(LOAD_MS)
await mkdir(FOLDER, { recursive: true })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
resources.defer(() => browser.close())
const light = await session('light')
await picture(light, '', 'console-home', async (page) => {
  await page.setViewportSize(TALL)
  await page.getByRole('heading', { name: 'The last hour' }).waitFor()
  await page.locator('.graph canvas').last().waitFor()
  await page.getByText('more days').first().waitFor()
})
await picture(light, '/tree/app', 'console', async (page) => {
  for (const key of ['rooms', 'lobby', 'm1', 'm2', 'm3', 'kitchen', 'members']) {
    await page
      .getByRole('treeitem', { name: new RegExp(`^${key} .*child`) })
      .first()
      .dblclick()
  }
  await page.getByRole('treeitem', { name: 'text "Good morning, Ann"' }).click()
  await page.getByRole('treeitem', { name: /…$/ }).first().waitFor({ state: 'detached' })
})
await picture(await session('dark'), '/rules/app', 'console-rules', async (page) => {
  await page.setViewportSize(TALL)
  await page.getByRole('textbox', { name: 'Rules' }).waitFor()
  await page.getByLabel('Path').fill('/rooms/lobby')
  await page.getByRole('combobox', { name: 'As', exact: true }).selectOption('a user')
  await page.getByLabel('User (uid)').fill('eve')
  await page.getByRole('button', { name: 'Try', exact: true }).click()
  await page.getByText('Denied: read').waitFor()
})
await picture(light, '/messages/app', 'console-messages', async (page) => {
  await page.getByRole('link', { name: 'welcome-1' }).waitFor()
})

async function session(colorScheme: 'light' | 'dark'): Promise<BrowserContext> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: SIZE, colorScheme })
  const page = await context.newPage()
  await page.goto(`${server.url}/console`)
  await page.getByLabel('Secret').fill(OPERATOR)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('button', { name: 'Log out', exact: true }).waitFor()
  await page.close()
  return context
}

/** @param prepare brings the page into the state to show */
async function picture(
  context: BrowserContext,
  path: string,
  name: string,
  prepare: (page: Page) => Promise<void>,
): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${server.url}/console${path}`)
  await prepare(page)
  await page.screenshot({ path: `${FOLDER}/${name}.png`, animations: 'disabled', caret: 'hide' })
  await page.close()
}

async function send(method: string, path: string, body?: unknown): Promise<void> {
  const url = `${server.url}${path}${path.includes('?') ? '&' : '?'}auth=${SECRET}`
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const reply = await fetch(url, { ...unchecked, method, ...(body === undefined ? {} : { body: text }) })
  const answer = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${answer}`)
}

async function fill(): Promise<void> {
  const day = Array.from({ length: 5000 }, (_, minute) => {
    return [`m${String(minute).padStart(4, '0')}`, { celsius: Math.round(180 + 60 * Math.sin(minute / 200)) / 10 }]
  })
  await send('PUT', '/.json?print=silent', {
    members: { lobby: { ann: true, bob: true }, kitchen: { ann: true } },
    rooms: {
      kitchen: { m1: { from: 'ann', text: 'Soup at noon' } },
      lobby: { m1: { from: 'ann', text: 'Hello' }, m2: { from: 'bob', text: 'Good morning, Ann' } },
    },
    readings: Object.fromEntries(day),
  })
  await send('PUT', '/.settings/rules.json', RULES)
  const mobiles = JSON.stringify(['13800138000', '13900139000', '13700137000'])
  await signed('/api/v1/app/batch/record', { mobiles, rrid: 'welcome-1' })
  const report = (mobile: string, status: string, deliveryStatus: string) => {
    return { mobile, status, deliveryStatus, rrid: 'welcome-1', receiveTime: '2026-11-21 18:00:05' }
  }
  const data = [report('13800138000', 'Success', 'DELIVRD'), report('13900139000', 'Failure', 'MY:1108')]
  await signed('/api/v1/app/report', {}, JSON.stringify({ type: 1, data }))
}

async function signed(path: string, parameters: Readonly<Record<string, string>>, body?: string): Promise<void> {
  const given = { ...parameters, timestamp: String(Date.now()) }
  const signature = signatureOf(Object.entries(body === undefined ? given : { ...given, body }), SMS_KEY)
  const query = new URLSearchParams({ ...given, signature })
  const target = body === undefined ? path : `${path}?${query}`
  const reply = await fetch(`${server.url}${target}`, { ...unchecked, method: 'POST', body: body ?? query })
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
}

/** Listens to a room until the signal ends it. */
async function listen(signal: AbortSignal): Promise<void> {
  const headers = { Accept: 'text/event-stream' }
  const reply = await fetch(`${server.url}/rooms/lobby.json?auth=${SECRET}`, { ...unchecked, headers, signal })
  reply.text().catch(() => undefined)
}

/** Lets clients write, read, and be refused, now more and now less, until the signal ends it. */
async function work(signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; turn++) {
    const many = Math.round(4 + 3 * Math.sin(turn / 250))
    const requests = Array.from({ length: many }, async (_, index) => {
      if (index === 0) return send('PUT', '/rooms/lobby/m3.json?print=silent', { from: 'ann', text: `Turn ${turn}` })
      return send('GET', `/readings.json?orderBy="celsius"&limitToLast=${(turn % 20) + 1}`)
    })
    await Promise.all(requests)
    if (turn % 40 === 0) await fetch(`${server.url}/rooms/kitchen.json`, unchecked).then((reply) => reply.text())
    await Bun.sleep(PAUSE_MS)
  }
}
