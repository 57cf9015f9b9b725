import { describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { dhole } from '../../../src/index.ts'
import { clientOf, filesClosed, startInProcess } from '../../support/https-server.ts'
import { sharedCertificate } from '../../support/shared-certificate.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { withServer } from '../../support/with-server.ts'
import { fetchDocument, validate } from './document.ts'

const server = withServer(() => startInProcess({ docs: true }))

const PAGE = '/swagger'
const SWAGGER = [PAGE, '/swagger/json', '/swagger/start.js', '/swagger/swagger-ui-bundle.js', '/swagger/swagger-ui.css']
const LIVE = '/docs/live'
const PATHS = [...SWAGGER, LIVE, '/docs/live.js', '/docs/live.css']

/** Everything a page makes a browser load. */
function sources(html: string): string[] {
  return [...html.matchAll(/<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)="([^"]*)"/g)].map(([, url]) => url ?? '')
}

describe('the page', () => {
  test('is HTML, and loads everything from our own origin', async () => {
    const { status, headers, text } = await server.call('GET', PAGE)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(text).not.toMatch(/https?:|\/\/[a-z]/i)
    const loaded = sources(text)
    expect(loaded).toHaveLength(4)
    for (const url of loaded) {
      expect(url).toStartWith('/swagger/')
      const asset = await server.call('GET', url)
      expect(asset.status).toBe(200)
      expect(asset.text.length).toBeGreaterThan(100)
      expect(asset.headers.get('content-type')).toMatch(/^(text\/(javascript|css); charset=utf-8|image\/png)$/)
    }
  })

  test('forbids the browser to ask anybody else', async () => {
    const { headers } = await server.call('GET', PAGE)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/)
  })

  test('links to the live page', async () => {
    expect((await server.call('GET', PAGE)).text).toContain('href="/docs/live"')
  })

  test('asks for the document below its own path, and for no validator', async () => {
    const { text } = await server.call('GET', '/swagger/start.js')
    expect(text).toContain('url: "/swagger/json"')
    expect(text).toContain('validatorUrl: null')
    expect(text).not.toMatch(/https?:/)
  })

  test('keeps the files that carry a version, asks again for the others', async () => {
    const caching = async (path: string) => (await server.call('GET', path)).headers.get('cache-control')
    const [bundle, page, json] = await Promise.all(
      ['/swagger/swagger-ui-bundle.js', PAGE, '/swagger/json'].map(caching),
    )
    expect([bundle, page, json]).toEqual(['public, max-age=31536000, immutable', 'no-cache', 'no-cache'])
  })
})

describe('the live page', () => {
  test('loads everything from beside itself', async () => {
    const { status, headers, text } = await server.call('GET', LIVE)
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' })
    expect(text).not.toMatch(/https?:|\/\/[a-z]|<style|\bon[a-z]+=|\bstyle=/i)
    const types: (string | null)[] = []
    for (const url of sources(text)) {
      const asset = await server.call('GET', new URL(url, `${server.url}${LIVE}`).pathname)
      expect(asset.status).toBe(200)
      types.push(asset.headers.get('content-type'))
    }
    expect(types).toEqual(['image/png', 'text/css; charset=utf-8', 'text/javascript; charset=utf-8'])
  })

  test('may ask nobody but us, nor run or style anything of its own', async () => {
    for (const path of PATHS.slice(SWAGGER.length)) {
      const { headers } = await server.call('GET', path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toMatch(/https?:|\*|unsafe|data:/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
  })
})

describe('the mount point', () => {
  const BROWSER = { headers: { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' } }

  test('is a page of links for browsers, and each of them leads somewhere', async () => {
    const { status, headers, text } = await server.call('GET', '/', BROWSER)
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' })
    expect(headers.get('vary')).toBe('Accept')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe|data:/)
    expect(text).not.toMatch(/https?:|<script|<style|\bon[a-z]+=|\bstyle=/i)
    const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'))
    expect(links).toEqual(expect.arrayContaining(['/swagger', '/swagger/json', '/docs/live', '/health', '/ready']))
    for (const link of links) expect([link, (await server.call('GET', link)).status]).toEqual([link, 200])
    expect((await server.call('HEAD', '/', BROWSER)).status).toBe(200)
  })

  test.each([
    ['a program', 'GET', {}],
    ['curl', 'GET', { Accept: '*/*' }],
    ['who wants JSON', 'GET', { Accept: 'application/json, text/html;q=0.5' }],
    ['a write', 'PUT', BROWSER.headers],
  ])('is none for %s', async (_, method, headers) => {
    const { status, text } = await server.call(method, '/', { headers, ...(method === 'PUT' ? { body: '1' } : {}) })
    expect([status, JSON.parse(text)]).toEqual([400, expect.objectContaining({ errcode: 20102 })])
  })

  test.each(['/tree', '/tree/'])('is at %s below a prefix', async (path) => {
    await using dir = await tempDir()
    const tls = await sharedCertificate()
    const host = new Elysia()
      .use(dhole({ docs: true, prefix: '/tree', dataDir: dir.path, applications: { app: { open: true } } }))
      .listen({ hostname: '127.0.0.1', port: 0, tls })
    const { call } = clientOf(host.server?.port ?? 0, tls.cert)
    const { status, text } = await call('GET', path, BROWSER)
    expect(status).toBe(200)
    for (const [, link = ''] of text.matchAll(/href="([^"]*)"/g)) {
      expect(link).toStartWith('/tree/')
      expect((await call('GET', link.replaceAll('&amp;', '&'))).status).toBe(200)
    }
    await host.stop(true)
    await filesClosed(dir.path)
  })

  test('is none without documents', async () => {
    await using bare = await startInProcess()
    expect((await bare.call('GET', '/', BROWSER)).status).toBe(400)
  })
})

test('nodes with such names remain nodes', async () => {
  for (const node of [
    '/swagger.json',
    '/swagger/json.json',
    '/swagger/start.json',
    '/swagger/deep/down.json',
    '/docs/live.json',
  ]) {
    expect((await server.call('PUT', node, { body: '{"mine":true}' })).status).toBe(200)
    expect((await server.call('GET', node)).text).toBe('{"mine":true}')
  }
  for (const other of ['/swagger/other', '/swagger/other.js', '/swaggers', '/docs', '/docs/live/x']) {
    expect((await server.call('GET', other)).status).toBe(400)
  }
  await server.call('DELETE', '/.json')
})

test('without `docs` there are none', async () => {
  await using bare = await startInProcess()
  for (const path of PATHS) expect((await bare.call('GET', path)).status).toBe(400)
})

test('below a prefix, the document and the page know it', async () => {
  await using prefixed = await startInProcess({ docs: true, prefix: '/tree' })
  const document = await fetchDocument(prefixed, '/tree')
  await validate(document)
  expect(document.servers).toEqual([{ url: '/tree' }])
  for (const url of sources((await prefixed.call('GET', '/tree/swagger')).text)) {
    expect(url).toStartWith('/tree/swagger/')
    expect((await prefixed.call('GET', url)).status).toBe(200)
  }
  expect((await prefixed.call('GET', '/tree/docs/live')).status).toBe(200)
  expect((await prefixed.call('GET', '/tree/swagger')).text).toContain('href="/tree/docs/live"')
  expect((await prefixed.call('GET', '/tree/swagger/start.js')).text).toContain('url: "/tree/swagger/json"')
  expect((await prefixed.call('GET', '/swagger')).status).not.toBe(200)
})

describe('over plain HTTP', () => {
  async function statuses(trusted: readonly string[], headers: Record<string, string>): Promise<number[]> {
    await using dir = await tempDir()
    const app = new Elysia({ handler: { standardHostname: false } })
      .use(dhole({ dataDir: dir.path, docs: true, trustProxy: trusted, applications: { app: { open: true } } }))
      .listen({ hostname: '127.0.0.1', port: 0 })
    try {
      const replies = await Promise.all(
        PATHS.map((path) => fetch(`http://127.0.0.1:${app.server?.port}${path}`, { headers })),
      )
      for (const reply of replies.filter(({ status }) => status === 404)) {
        expect(await reply.json()).toMatchObject({ errcode: 20106 })
        expect(reply.headers.has('strict-transport-security')).toBe(false)
        expect(reply.headers.has('x-request-id')).toBe(true)
      }
      return replies.map(({ status }) => status)
    } finally {
      await app.stop(true)
      await filesClosed(dir.path)
    }
  }

  const none = PATHS.map(() => 404)
  const all = PATHS.map(() => 200)
  const forwarded = { 'X-Forwarded-Proto': 'https' }

  test('there are none', async () => {
    expect(await statuses([], {})).toEqual(none)
    expect(await statuses([], forwarded)).toEqual(none)
    expect(await statuses(['127.0.0.1'], {})).toEqual(none)
    expect(await statuses(['192.0.2.1'], forwarded)).toEqual(none)
  })

  test('unless a trusted proxy vouches', async () => {
    expect(await statuses(['127.0.0.1'], forwarded)).toEqual(all)
  })
})

test('the document is about the service alone, whatever else the host serves', async () => {
  const alone = await fetchDocument(server)
  await using dir = await tempDir()
  const host = new Elysia().get('/users/:id', () => 'host').use(dhole({ dataDir: dir.path, docs: true }))
  const reply = await host.handle(new Request('https://localhost/swagger/json'))
  expect(await reply.json()).toEqual(alone)
})
