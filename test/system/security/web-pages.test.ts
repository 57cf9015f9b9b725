import { beforeAll, describe, expect, test } from 'bun:test'
import { chromium, type Page } from 'playwright-core'
import { findChromium } from '../../docs/openapi/chromium.ts'
import { startInProcess } from '../../support/https-server.ts'
import { longTest } from '../../support/lane.ts'
import { spawnServer, startProcess } from '../../support/server-process.ts'
import { withServer } from '../../support/with-server.ts'

const FOREIGN = 'https://evil.example'

/** The settings of a developer: the tree is open because it listens on loopback. */
const server = withServer(() => startProcess({ DEVELOPMENT: 'true', BASE_DOMAIN: 'db.test' }))
let secret: string

beforeAll(async () => {
  secret = await Bun.file(`${server.dataDir}/secrets/app.secret`).text()
})

type Headers = Readonly<Record<string, string>>

async function ask(method: string, target: string, headers: Headers = {}, body?: string): Promise<number> {
  const init = { method, headers: { ...headers }, tls: { ca: server.ca }, ...(body === undefined ? {} : { body }) }
  const reply = await fetch(server.url + target, init)
  const text = await reply.text()
  if (reply.status === 403 && method !== 'HEAD') expect(text).toContain('"errcode":20401')
  return reply.status
}

async function tree(): Promise<unknown> {
  return (await fetch(`${server.url}/.json`, { tls: { ca: server.ca } })).json()
}

describe('a page of another site gets nothing of a tree that is open to this machine only', () => {
  const script = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' }
  const cors = { Origin: FOREIGN, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' }

  test.each<readonly [string, string, string, Headers]>([
    ['fetch', 'GET', '/kept.json', cors],
    ['fetch of a browser without Sec-Fetch-Site', 'GET', '/kept.json', { Origin: FOREIGN }],
    ['HEAD', 'HEAD', '/kept.json', cors],
    ['JSONP', 'GET', '/kept.json?callback=take', script],
    ['JSONP with a referrer', 'GET', '/kept.json?callback=take', { ...script, Referer: `${FOREIGN}/` }],
    ['an image', 'GET', '/kept.json', { ...script, 'Sec-Fetch-Dest': 'image' }],
    ['EventSource', 'GET', '/kept.json', { ...cors, Accept: 'text/event-stream' }],
    ['a query', 'GET', '/.json?shallow=true', cors],
    ['PUT', 'PUT', '/kept.json', cors],
    ['PATCH', 'PATCH', '/kept.json', cors],
    ['DELETE', 'DELETE', '/kept.json', cors],
    ['POST', 'POST', '/kept.json', cors],
    ['POST that stands for DELETE', 'POST', '/kept.json?x-http-method-override=DELETE', cors],
    ['POST with a header that stands for PUT', 'POST', '/kept.json', { ...cors, 'X-HTTP-Method-Override': 'PUT' }],
    ['a form', 'POST', '/kept.json', { ...cors, 'Sec-Fetch-Mode': 'navigate' }],
    ['a frame without an origin', 'GET', '/kept.json', { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }],
    ['Bearer owner', 'GET', '/kept.json', { ...cors, Authorization: 'Bearer owner' }],
    ['Bearer owner at the rules', 'PUT', '/.settings/rules.json', { ...cors, Authorization: 'Bearer owner' }],
    ['an origin that begins like ours', 'GET', '/kept.json', { Origin: 'https://localhost.evil.example' }],
    ['an origin that ends like ours', 'GET', '/kept.json', { Origin: 'https://evillocalhost' }],
    ['a page under a name of ours that was pointed here', 'GET', '/kept.json', { Host: 'evil.example:8443' }],
    ['such a page and Bearer owner', 'GET', '/kept.json', { Host: 'evil.example', Authorization: 'Bearer owner' }],
    ['a name that ends like the domain', 'GET', '/kept.json', { Host: 'evildb.test' }],
  ])('%s', async (_name, method, target, headers) => {
    expect(await ask('PUT', '/kept.json', {}, '{"a":1}')).toBe(200)
    const body = method === 'GET' || method === 'HEAD' ? undefined : '{"rules":{".read":true}}'
    expect(await ask(method, target, headers, body)).toBe('Authorization' in headers ? 401 : 403)
    expect(await tree()).toEqual({ kept: { a: 1 } })
  })

  test.each<readonly [string, string, Headers]>([
    ['a program', 'GET', {}],
    ['an address typed in', 'GET', { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' }],
    ['a link on another site', 'GET', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }],
    ['a page of the server itself', 'PUT', { Origin: 'https://localhost:8443', 'Sec-Fetch-Site': 'same-origin' }],
    ['a page of localhost', 'PUT', { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'cross-site' }],
    ['a page of localhost over TLS', 'PUT', { Origin: 'https://localhost:3000', 'Sec-Fetch-Site': 'same-site' }],
    ['a page of a name below localhost', 'PUT', { Origin: 'http://shop.localhost' }],
    ['a page of 127.0.0.1', 'PUT', { Origin: 'http://127.0.0.1:5173', 'Sec-Fetch-Site': 'cross-site' }],
    ['a page of [::1]', 'PUT', { Origin: 'http://[::1]:5173' }],
    ['a page of a name of the domain', 'PUT', { Origin: 'https://app.db.test', Host: 'app.db.test' }],
    ['JSONP on localhost', 'GET', { 'Sec-Fetch-Site': 'cross-site', Referer: 'http://localhost:3000/' }],
    ['JSONP on localhost over TLS', 'GET', { 'Sec-Fetch-Site': 'same-site' }],
    ['Bearer owner in a page of localhost', 'PUT', { Origin: 'http://localhost:3000', Authorization: 'Bearer owner' }],
    ['the name in other letters', 'GET', { Host: 'LOCALHOST.:8443' }],
    ['the address in brackets', 'GET', { Host: '[::1]:8443' }],
  ])('%s is served', async (_name, method, headers) => {
    expect(await ask(method, '/served.json', headers, method === 'GET' ? undefined : '1')).toBe(200)
  })

  test('a credential is enough, whatever page shows it', async () => {
    const headers = { ...cors, Host: 'evil.example' }
    expect(await ask('PUT', `/mine.json?auth=${secret}`, headers, '1')).toBe(200)
  })

  test('a preflight and what belongs to no tree are answered', async () => {
    expect(await ask('OPTIONS', '/kept.json', cors)).toBe(204)
    expect(await ask('GET', '/health', cors)).toBe(200)
  })
})

test('rules of its own decide who reads and writes, foreign pages included', async () => {
  await using ruled = await spawnServer()
  const trust = { tls: { ca: await Bun.file(ruled.certificate).text() } }
  const owner = await Bun.file(`${ruled.dataDir}/secrets/app.secret`).text()
  const page = { headers: { Origin: FOREIGN }, ...trust }
  expect((await fetch(`${ruled.url}/a.json`, page)).status).toBe(403)
  const body = '{"rules":{".read":true}}'
  await fetch(`${ruled.url}/.settings/rules.json?auth=${owner}`, { method: 'PUT', body, ...trust })
  expect((await fetch(`${ruled.url}/a.json`, page)).status).toBe(200)
})

test('a host application that opens a tree opens it to every page, unless it says loopback', async () => {
  const page = { headers: { Origin: FOREIGN } }
  await using open = await startInProcess({ applications: { app: { open: true } } })
  expect((await open.call('GET', '/a.json', page)).status).toBe(200)
  const options = { applications: { app: { open: 'loopback' } }, ownNames: ['dev.example'] } as const
  await using local = await startInProcess(options)
  expect((await local.call('GET', '/a.json', page)).status).toBe(403)
  expect((await local.call('GET', '/a.json', { headers: { Host: 'dev.example' } })).status).toBe(200)
})

test('behind a proxy the names of the settings count, since a page can pass itself off as the proxy', async () => {
  await using behind = await spawnServer({ HTTP_PORT: '0', TRUST_PROXY: '127.0.0.1', TLS_NAMES: 'tree.example' })
  const plain = /plain HTTP on (http:[^"\s]+)/.exec(behind.output())?.[1] ?? ''
  const proxied = { 'X-Forwarded-Proto': 'https', Host: 'tree.example' }
  const status = async (headers: Headers) => (await fetch(`${plain}/a.json`, { headers })).status
  expect(await status(proxied)).toBe(200)
  expect(await status({ ...proxied, Origin: 'https://tree.example' })).toBe(200)
  expect(await status({ ...proxied, Origin: FOREIGN })).toBe(403)
  // A browser on this machine has the address of a proxy on it, and a page may set this header for its own name.
  expect(await status({ ...proxied, Host: 'evil.example', Origin: 'https://evil.example' })).toBe(403)
  expect(await status({ ...proxied, Host: 'evil.example' })).toBe(403)
})

const executablePath = findChromium()
const MISSING = 'skipped: no Chromium on this machine; name one in CHROMIUM, or `bunx playwright-core install chromium`'

/** The part of a page that a script of it uses. */
interface PageGlobals {
  readonly document: {
    createElement(name: 'script'): { src: string; onerror: () => void }
    readonly head: { append(node: unknown): void }
  }
  readonly EventSource: new (
    url: string,
  ) => {
    onerror: () => void
    addEventListener(type: string, listener: (event: { readonly data: string }) => void): void
  }
  take(value: unknown): void
}

/** What a page can try on a server, as it runs in the page. @returns what came of each try */
async function attack([url, rebound]: readonly [string, string]): Promise<Readonly<Record<string, string>>> {
  const told = (reply: Response) => (reply.ok ? reply.text() : `refused ${reply.status}`)
  const failed = () => 'failed'
  const page = globalThis as unknown as PageGlobals
  const owner = { headers: { Authorization: 'Bearer owner' } }
  const jsonp = new Promise<string>((resolve) => {
    page.take = (value) => resolve(JSON.stringify(value))
    const script = page.document.createElement('script')
    script.src = `${url}/kept.json?callback=take`
    script.onerror = () => resolve('failed')
    page.document.head.append(script)
  })
  const stream = new Promise<string>((resolve) => {
    const source = new page.EventSource(`${url}/kept.json`)
    source.addEventListener('put', ({ data }) => resolve(data))
    source.onerror = () => resolve('failed')
  })
  return {
    fetch: await fetch(`${url}/kept.json`).then(told, failed),
    put: await fetch(`${url}/put.json`, { method: 'PUT', body: '1' }).then(told, failed),
    owner: await fetch(`${url}/.settings/rules.json`, owner).then(told, failed),
    rebound: await fetch(`${rebound}/kept.json`).then(told, failed),
    override: await fetch(`${url}/lost.json?x-http-method-override=DELETE`, { method: 'POST', mode: 'no-cors' }).then(
      () => 'sent',
      failed,
    ),
    jsonp: await jsonp,
    stream: await stream,
  }
}

describe.skipIf(executablePath === undefined)(
  `in Chromium${executablePath === undefined ? ` (${MISSING})` : ''}`,
  () => {
    longTest('a page of another site is refused whatever it tries, one of localhost is served', async () => {
      await using site = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: () => new Response('<!doctype html><title>A page</title>', { headers: { 'Content-Type': 'text/html' } }),
      })
      const browser = await chromium.launch({
        ...(executablePath === undefined ? {} : { executablePath }),
        args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP *.example 127.0.0.1'],
      })
      try {
        const { port } = new URL(server.url)
        const urls = [`https://localhost:${port}`, `https://evil.example:${port}`] as const
        const open = async (host: string): Promise<Page> => {
          const page = await browser.newPage({ ignoreHTTPSErrors: true })
          await page.goto(`http://${host}:${site.port}/`)
          return page
        }
        await ask('PUT', '/.json', {}, '{"kept":1,"lost":2}')
        expect(await (await open('evil.example')).evaluate(attack, urls)).toEqual({
          fetch: 'refused 403',
          put: 'refused 403',
          owner: 'refused 401',
          rebound: 'refused 403',
          override: 'sent',
          jsonp: 'failed',
          stream: 'failed',
        })
        expect(await tree()).toEqual({ kept: 1, lost: 2 })
        expect(await (await open('localhost')).evaluate(attack, urls)).toEqual({
          fetch: '1',
          put: '1',
          owner: '{"rules":{".read":true,".write":true}}',
          rebound: 'refused 403',
          override: 'sent',
          jsonp: '1',
          stream: '{"path":"/","data":1}',
        })
        expect(await tree()).toEqual({ kept: 1, put: 1 })
        const rebound = await browser.newPage({ ignoreHTTPSErrors: true })
        expect((await rebound.goto(`${urls[1]}/kept.json`))?.status()).toBe(403)
      } finally {
        await browser.close()
      }
    })
  },
)
