import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import fc from 'fast-check'
import { type Browser, chromium, type Page } from 'playwright-core'
import { dhole } from '../../../src/index.ts'
import { type HttpsServer, SECRET, startInProcess } from '../../support/https-server.ts'
import { longTest } from '../../support/lane.ts'
import { sharedCertificate } from '../../support/shared-certificate.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { customToken, nowInSeconds } from '../../support/token.ts'
import { findChromium, PATIENCE_MS } from './chromium.ts'

const executablePath = findChromium()
const MISSING = 'skipped: no Chromium on this machine; name one in CHROMIUM, or `bunx playwright-core install chromium`'
const title = `the live page${executablePath === undefined ? ` (${MISSING})` : ''}`

const WRITES = 1000
/** Writes between two looks at the page. */
const BETWEEN = 50
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

describe.skipIf(executablePath === undefined)(title, () => {
  let browser: Browser
  let server: HttpsServer
  /** What the pages did wrong, in the words of the browser. */
  const complaints: string[] = []
  const asked = new Set<string>()

  beforeAll(async () => {
    server = await startInProcess({ docs: true })
    // Its sandbox needs what a container does not give; the pages are ours.
    const args = ['--no-sandbox', '--disable-dev-shm-usage']
    browser = await chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args })
  })

  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function open(at: string = server.url): Promise<Page> {
    const page = await browser.newPage({ ignoreHTTPSErrors: true })
    page.setDefaultTimeout(PATIENCE_MS)
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => asked.add(new URL(request.url()).origin))
    await page.goto(`${at}/docs/live`)
    return page
  }

  async function listen(page: Page, path: string, query = ''): Promise<void> {
    await page.fill('#listen [name=path]', path)
    await page.fill('#listen [name=query]', query)
    await page.click('#listen [type=submit]')
  }

  function write(method: string, path: string, body?: unknown) {
    const options = body === undefined ? {} : { body: JSON.stringify(body) }
    return server.call(method, `${path}.json`, options)
  }

  /** Waits until the page shows what a read answers. */
  async function expectConverged(page: Page, target: string): Promise<void> {
    const { text } = await server.call('GET', target)
    const expected = canonical(JSON.parse(text))
    try {
      await page.waitForFunction(
        ([id, wanted]) => {
          const sorted = (json: unknown): unknown => {
            if (typeof json !== 'object' || json === null) return json
            return Object.entries(json)
              .toSorted(([left], [right]) => (left < right ? -1 : 1))
              .map(([key, member]) => [key, sorted(member)])
          }
          const shown = (globalThis as unknown as ShowingPage).document.getElementById(id ?? '')?.textContent ?? ''
          return JSON.stringify(sorted(JSON.parse(shown))) === wanted
        },
        ['cache', JSON.stringify(expected)] as const,
        { timeout: PATIENCE_MS, polling: 20 },
      )
    } catch {
      expect(canonical(JSON.parse((await page.textContent('#cache')) ?? ''))).toEqual(expected)
    }
  }

  longTest('is linked from the documents', async () => {
    const page = await browser.newPage({ ignoreHTTPSErrors: true })
    await page.goto(`${server.url}/swagger`)
    await page.click('text=Any node as it changes')
    await page.waitForURL(`${server.url}/docs/live`)
    expect(await page.textContent('#state')).toBe('not listening')
    await page.click('text=All endpoints')
    await page.waitForURL(`${server.url}/swagger`)
    await page.close()
  })

  test('shows what is there, what happens, and puts a value', async () => {
    const page = await open()
    await write('PUT', '/rooms', { lobby: { topic: 'Ahoy' } })
    await listen(page, '/rooms')
    await page.waitForSelector('text=put / {"lobby":{"topic":"Ahoy"}}')
    await page.fill('#put [name=path]', '/rooms/a room')
    await page.fill('#put [name=json]', '{"topic": ["<b>", "&"]}')
    await page.click('#put [type=submit]')
    await page.waitForSelector('text=put /a room {"topic":["<b>","&"]}')
    expect(await page.textContent('#answer')).toBe('200 {"topic":["<b>","&"]}')
    expect(await page.textContent('#state')).toBe('listening')
    await expectConverged(page, '/rooms.json')
    await page.fill('#put [name=json]', '{')
    await page.click('#put [type=submit]')
    await page.waitForSelector("text=couldn't parse JSON object")
    complaints.splice(0)
    await page.close()
  })

  longTest('lives below a prefix', async () => {
    await using dir = await tempDir()
    const tls = await sharedCertificate()
    const host = new Elysia()
      .use(dhole({ docs: true, prefix: '/tree', dataDir: dir.path, applications: { app: { open: true } } }))
      .listen({ hostname: '127.0.0.1', port: 0, tls })
    const page = await open(`https://localhost:${host.server?.port}/tree`)
    await listen(page, '/')
    await page.waitForSelector('text=put / null')
    await page.fill('#put [name=path]', '/a')
    await page.fill('#put [name=json]', '1')
    await page.click('#put [type=submit]')
    await page.waitForSelector('text=put /a 1')
    await page.close()
    await host.stop(true)
  })

  longTest('stops when it is told to', async () => {
    const page = await open()
    await listen(page, '/stopped')
    await page.waitForSelector('text=put / null')
    await page.click('#stop')
    expect(await page.textContent('#state')).toBe('not listening')
    await write('PUT', '/stopped', 1)
    await listen(page, '/stopped')
    await page.waitForSelector('text=put / 1')
    expect(await page.locator('#events li').count()).toBe(1)
    await page.close()
  })

  longTest('tells why a stream was refused', async () => {
    const page = await open()
    await listen(page, '/rooms', 'orderBy=topic')
    await page.waitForSelector('text=400 orderBy must be a valid JSON encoded path')
    await listen(page, '/rooms', 'limitToFirst=1')
    await page.waitForSelector('text=400 orderBy must be defined')
    complaints.splice(0)
    await page.close()
  })

  test('shows a credential to a closed application', async () => {
    await using locked = await startInProcess({ docs: true, applications: { app: { secret: SECRET } } })
    const page = await open(locked.url)
    await listen(page, '/', '')
    await page.waitForSelector('text=403 Permission denied')
    await listen(page, '/', `auth=${SECRET}`)
    await page.waitForSelector('text=put / null')
    await page.fill('#put [name=path]', '/a')
    await page.fill('#put [name=json]', '1')
    await page.click('#put [type=submit]')
    await page.waitForSelector('text=put /a 1')
    complaints.splice(0)
    await page.close()
  })

  longTest('names an application, without the answers of a Firebase client', async () => {
    await using several = await startInProcess({
      docs: true,
      applications: { a: { secret: SECRET }, b: { open: true } },
    })
    const page = await open(several.url)
    await listen(page, '/', 'app=a')
    await page.waitForSelector('text=403 Permission denied')
    await listen(page, '/', 'app=b')
    await page.waitForSelector('text=put / null')
    await page.fill('#put [name=path]', '/a')
    await page.fill('#put [name=json]', '1')
    await page.click('#put [type=submit]')
    await page.waitForSelector('text=put /a 1')
    expect((await several.call('GET', '/a.json?app=b')).text).toBe('1')
    complaints.splice(0)
    await page.close()
  })

  longTest('shows a token as it shows the secret, and keeps neither', async () => {
    const rules = { rules: { mine: { $uid: { '.read': 'auth.uid === $uid', '.write': 'auth.uid === $uid' } } } }
    const application = { secret: SECRET, rules: JSON.stringify(rules) }
    await using ruled = await startInProcess({ docs: true, applications: { app: application } })
    const token = customToken(SECRET, { uid: 'alice' })
    const page = await open(ruled.url)
    await page.fill('#listen [name=credential]', token)
    await listen(page, '/mine/alice')
    await page.waitForSelector('text=put / null')
    await page.fill('#put [name=path]', '/mine/alice')
    await page.fill('#put [name=json]', '1')
    await page.click('#put [type=submit]')
    await page.waitForSelector('text=put / 1')
    await listen(page, '/mine/bob')
    await page.waitForSelector('text=403 Permission denied')
    expect(await page.getAttribute('#listen [name=credential]', 'type')).toBe('password')
    expect(await page.content()).not.toContain(token)
    expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0)
    expect(page.url()).toBe(`${ruled.url}/docs/live`)
    complaints.splice(0)
    await page.close()
  })

  longTest('says in plain words why a stream has ended', async () => {
    const rules = { rules: { '.read': "auth.uid === 'alice' && data.child('closed').val() !== true", '.write': true } }
    const application = { secret: SECRET, rules: JSON.stringify(rules) }
    await using ruled = await startInProcess({ docs: true, applications: { app: application } })
    const page = await open(ruled.url)
    await page.fill('#listen [name=credential]', customToken(SECRET, { uid: 'alice' }))
    await listen(page, '/')
    await page.waitForSelector('text=put / null')
    await ruled.call('PUT', '/closed.json', { body: 'true' })
    await page.waitForSelector('text=ended: the rules do not let you read this any more')
    expect(await page.textContent('#events li')).toBe('cancel Permission denied')
    await ruled.call('PUT', '/closed.json', { body: 'false' })
    await page.fill('#listen [name=credential]', customToken(SECRET, { uid: 'alice', exp: nowInSeconds() + 5 }))
    await listen(page, '/')
    await page.waitForSelector('text=put / {"closed":false}')
    await page.waitForSelector('text=ended: the credential is not good any more; listen again with a new one')
    await listen(page, '/')
    await page.waitForSelector('text=401 Auth token is expired')
    complaints.splice(0)
    await page.close()
  })

  longTest('takes the members of a patch together', async () => {
    const page = await open()
    await write('PUT', '/kept', { '.priority': 2, 0: 'goes' })
    await listen(page, '/kept', 'format=export')
    await page.waitForSelector('text=put /')
    // Parsers put the key that is an integer first.
    await write('PATCH', '/kept', { 0: null, 'a/b': 'comes', 'a/.priority': 3 })
    await page.waitForSelector('text=patch /')
    await expectConverged(page, '/kept.json?format=export')
    expect(await page.textContent('#cache')).toContain('".priority": 2')
    await page.close()
  })

  longTest(`stays converged through ${WRITES} random writes`, async () => {
    const whole = await open()
    const exported = await open()
    const best = await open()
    const query = 'orderBy="a"&limitToLast=3'
    await write('PUT', '/play', { x: 1 })
    await listen(whole, '/play')
    await listen(exported, '/play', 'format=export')
    await listen(best, '/play', query)
    const plan = fc.sample(anyWrite, { numRuns: WRITES, seed: SEED })
    try {
      for (let from = 0; from < WRITES; from += BETWEEN) {
        // Some one after the other, some side by side.
        const some = plan.slice(from, from + BETWEEN)
        const send = ({ method, path, body }: RandomWrite) => write(method, path, body)
        if (from % (2 * BETWEEN) === 0) for (const one of some) await send(one)
        else await Promise.all(some.map(send))
        await expectConverged(whole, '/play.json')
        await expectConverged(exported, '/play.json?format=export')
        await expectConverged(best, `/play.json?${query}`)
      }
    } catch (error) {
      throw new Error(`with SEED=${SEED}`, { cause: error })
    }
    for (const page of [whole, exported, best]) expect(await page.textContent('#state')).toBe('listening')
    expect(complaints).toEqual([])
    expect([...asked].filter((origin) => !origin.startsWith('https://localhost:'))).toEqual([])
    for (const page of [whole, exported, best]) await page.close()
  })
})

interface RandomWrite {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** What of a page's globals is used inside it. */
interface ShowingPage {
  readonly document: { getElementById(id: string): { readonly textContent: string | null } | null }
}

const anyKey = fc.constantFrom('a', 'b', 'c', '0', '1', '2', '__proto__')
const anyPath = fc.array(anyKey, { maxLength: 3 }).map((keys) => ['', 'play', ...keys].join('/'))
const anyLeaf = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom('text', true, 'ü', '<i>', '\u2028'))
const anyJson = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    { weight: 3, arbitrary: anyLeaf },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 2, arbitrary: fc.dictionary(anyKey, tie('json'), { maxKeys: 3, noNullPrototype: false }) },
    { weight: 1, arbitrary: fc.array(tie('json'), { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.record({ '.value': anyLeaf, '.priority': fc.integer({ min: 0, max: 3 }) }) },
  ),
})).json

const anyWrite: fc.Arbitrary<RandomWrite> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ method: fc.constant('PUT'), path: anyPath, body: anyJson }) },
  {
    weight: 2,
    arbitrary: fc.record({
      method: fc.constant('PATCH'),
      path: anyPath,
      body: fc.dictionary(fc.constantFrom('a', 'b/c', '0', 'c/1/a'), anyJson, { minKeys: 1, maxKeys: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ method: fc.constant('POST'), path: anyPath, body: anyJson }) },
  { weight: 1, arbitrary: fc.record({ method: fc.constant('DELETE'), path: anyPath }) },
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constant('PUT'),
      path: anyPath.map((path) => `${path}/.priority`),
      body: fc.integer({ min: 0, max: 3 }),
    }),
  },
)

/** The same for nodes that are the same: arrays are objects, nulls nothing, and members sorted. */
function canonical(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json
  return Object.entries(json)
    .filter(([, member]) => member !== null)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => [key, canonical(member)])
}
