import { describe, expect, test } from 'bun:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Elysia } from 'elysia'
import { dhole } from '../../../src/index.ts'
import { certificateFor } from '../../support/certificates.ts'
import { type Answer, clientOf, startInProcess } from '../../support/https-server.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { withServer } from '../../support/with-server.ts'

/** Most bytes of all files of the console, compressed. */
const MOST_BYTES = 250 * 1024
const SECRET = 'a secret of the operator of these tests'
const NONCE = /nonce="([^"]+)"/g

/** Addresses that a page names, relative to its own. */
function filesOf({ text }: Answer): readonly string[] {
  return [...text.matchAll(/(?:src|href)="((?:\.|\.\.)\/[^"]+)"/g)].map(([, address = '']) => address)
}

describe('the console over HTTPS', () => {
  const server = withServer(() => startInProcess({ console: { secret: SECRET }, docs: true }))

  test.each(['/console', '/console/', '/console/tree/app/a', '/console/tree/app/a%2Fb/%22'])(
    '%s is the page',
    async (path) => {
      const page = await server.call('GET', path)
      expect(page.status).toBe(200)
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.headers.get('cache-control')).toBe('no-store')
      for (const address of filesOf(page)) {
        const url = new URL(address, `${server.url}${path}`)
        expect(url.pathname).toStartWith('/console/assets/')
        expect((await server.call('GET', url.pathname)).status).toBe(200)
      }
      expect(filesOf(page)).toHaveLength(2)
      expect((await server.call('HEAD', path)).status).toBe(200)
    },
  )

  test('the policy lets nothing run or load but what carries the nonce of the reply', async () => {
    const pages = [await server.call('GET', '/console'), await server.call('GET', '/console')]
    const nonces = pages.map(({ text }) => [...new Set([...text.matchAll(NONCE)].map(([, nonce]) => nonce))])
    expect(nonces.map(({ length }) => length)).toEqual([1, 1])
    expect(nonces[0]).not.toEqual(nonces[1])
    const nonce = nonces[0]?.[0] ?? ''
    expect(Buffer.from(nonce, 'base64')).toHaveLength(16)
    expect(pages[0]?.headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src 'nonce-${nonce}' 'strict-dynamic'`,
      `style-src 'nonce-${nonce}'`,
      "connect-src 'self'",
      "img-src 'self' data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
    expect(pages[0]?.text).not.toMatch(/ on[a-z]+=|<script(?![^>]*src=)|<style/)
  })

  test('files are compressed for those who take it, and never change', async () => {
    const [style = ''] = filesOf(await server.call('GET', '/console'))
    const path = new URL(style, `${server.url}/console`).pathname
    const plain = await server.call('GET', path, { headers: { 'Accept-Encoding': 'identity' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(plain.headers.get('vary')).toBe('Accept-Encoding')
    for (const [accepted, encoding] of [
      ['gzip, br', 'gzip'],
      ['br;q=1.0, gzip;q=0.5', 'gzip'],
      ['gzip;q=0', null],
      ['br', null],
    ] as const) {
      const reply = await server.raw(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${accepted}\r\nConnection: close\r\n\r\n`,
      )
      expect([accepted, /content-encoding: (\S+)/i.exec(reply)?.[1] ?? null]).toEqual([accepted, encoding])
    }
    const response = await fetch(`${server.url}${path}`, {
      headers: { 'Accept-Encoding': 'gzip' },
      tls: { ca: server.ca },
      decompress: false,
    })
    expect(gunzipSync(await response.arrayBuffer()).toString()).toBe(plain.text)
  })

  test('is small', async () => {
    const { assetsOnce } = await import('../../../src/http/console/assets.ts')
    const { files } = await assetsOnce()
    const bytes = [...files.values()].reduce((sum, { gzipped }) => sum + gzipped.byteLength, 0)
    expect(bytes).toBeLessThan(MOST_BYTES)
    for (const { plain, gzipped } of files.values())
      expect(gzipSync(plain).byteLength).toBeGreaterThan(gzipped.length / 2)
  })

  test.each(['/console/assets/nothing.js', '/console/assets/', '/console/assets/..%2fmanifest'])(
    'there is no file %s',
    async (path) => {
      expect((await server.call('GET', path)).status).toBe(404)
    },
  )

  test('paths of nodes stay nodes, and nothing can be written to the page', async () => {
    expect((await server.call('PUT', '/console.json', { body: '{"tree":1}' })).status).toBe(200)
    expect((await server.call('GET', '/console/tree.json')).text).toBe('1')
    expect((await server.call('PUT', '/console', { body: '1' })).status).toBe(400)
    expect((await server.call('POST', '/console/tree', { body: '1' })).status).toBe(400)
  })

  test('the live page leads to it', async () => {
    const reply = await server.call('GET', '/docs/live')
    expect([reply.status, reply.headers.get('location')]).toEqual([307, '../console/tree'])
  })
})

test('where it is off, its paths are no documents', async () => {
  await using server = await startInProcess({ docs: true })
  for (const path of ['/console', '/console/tree/app']) {
    const reply = await server.call('GET', path)
    expect([reply.status, JSON.parse(reply.text).errcode]).toEqual([400, 20102])
  }
  expect((await server.call('GET', '/docs/live')).status).toBe(200)
})

test('below a prefix every address in it stays below the prefix', async () => {
  await using dir = await tempDir()
  const tls = await certificateFor()
  const options = { prefix: '/tree', dataDir: dir.path, console: { secret: SECRET }, applications: { app: {} } }
  const host = new Elysia().use(dhole(options)).listen({ hostname: '127.0.0.1', port: 0, tls })
  const client = clientOf(host.server?.port ?? 0, tls.cert)
  const page = await client.call('GET', '/tree/console/rules/app')
  const paths = filesOf(page).map((address) => new URL(address, `${client.url}/tree/console/rules/app`).pathname)
  expect(paths).toHaveLength(2)
  for (const path of paths) {
    expect(path).toStartWith('/tree/console/assets/')
    expect((await client.call('GET', path)).status).toBe(200)
  }
  expect((await client.call('GET', '/console')).status).toBe(404)
  await host.stop(true)
})
