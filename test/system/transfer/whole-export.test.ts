import { beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect as connectHttp2, constants } from 'node:http2'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { Http1Reader } from '../../support/http1-reader.ts'
import { http2Client } from '../../support/http2-client.ts'
import { type Answer, type HttpsServer, SECRET, startInProcess } from '../../support/https-server.ts'
import { longTest } from '../../support/lane.ts'
import { startProcess } from '../../support/server-process.ts'
import { sharedCertificate } from '../../support/shared-certificate.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { customToken } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'
import { dhole } from '../cli/dhole.ts'
import { longExport } from './long-export.ts'

const WHOLE = 'format=export&readSizeLimit=unlimited'
const OWNER = { Authorization: `Bearer ${SECRET}` }
const FEW = 1000

describe('what is answered', () => {
  const server = withServer()
  const { text, exported } = longExport(13)

  beforeAll(async () => {
    expect((await server.call('PUT', '/.json?print=silent', { body: text })).status).toBe(204)
  })
  const places = ['/', '/posts', '/tiny', '/leaf', '/deep/d18/d17', '/last', '/none', '/posts/-M000007/.priority']

  test.each(places)('%s is what format=export answers, over both protocols', async (place) => {
    const target = `${place === '/' ? '/' : place}.json`
    await using http2 = http2Client(server.url, server.ca)
    const plain = await server.call('GET', `${target}?format=export`)
    for (const call of [server.call, http2.call]) {
      const whole = await call('GET', `${target}?${WHOLE}`, { headers: OWNER })
      expect(whole.status).toBe(200)
      expect(whole.text === plain.text).toBe(true)
      for (const name of ['content-type', 'cache-control', 'access-control-allow-origin', 'x-content-type-options']) {
        expect([name, whole.headers.get(name)]).toEqual([name, plain.headers.get(name)])
      }
    }
  })

  test('nothing is too large or takes too long', async () => {
    await using narrow = await startInProcess({ limits: { maxReadBytes: FEW, maxReadMs: 1 } })
    expect((await narrow.call('PUT', '/.json?print=silent', { body: text })).status).toBe(204)
    expect((await narrow.call('GET', '/.json?format=export')).status).toBe(400)
    const whole = await narrow.call('GET', `/.json?${WHOLE}`, { headers: OWNER })
    expect(JSON.parse(whole.text)).toEqual(exported)
  })

  test('HEAD has the headers and reads nothing, whatever is there', async () => {
    await using http2 = http2Client(server.url, server.ca)
    for (const call of [server.call, http2.call]) {
      const { status, headers, text: body } = await call('HEAD', `/.json?${WHOLE}&download=a.json`, { headers: OWNER })
      expect([status, body, headers.get('content-length')]).toEqual([200, '', null])
      expect(headers.get('content-disposition')).toStartWith('attachment; filename="a.json"')
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    }
  })

  test('by the super secret and by admins; others are refused, whatever the rules allow', async () => {
    const status = async (more: string, headers: Record<string, string> = {}) =>
      (await server.call('GET', `/leaf.json?${WHOLE}${more}`, { headers })).status
    const admin = customToken(SECRET, { uid: 'a', admin: true })
    const user = customToken(SECRET, { uid: 'a' })
    expect(await status(`&auth=${encodeURIComponent(SECRET)}`)).toBe(200)
    expect(await status(`&auth=${admin}`)).toBe(200)
    expect(await status('')).toBe(403)
    expect(await status(`&auth=${user}`)).toBe(403)
    expect(await status('', { Authorization: `Bearer ${user}` })).toBe(401)
    expect(await status('&auth_variable_override=null', OWNER)).toBe(401)
    expect((await server.call('HEAD', `/leaf.json?${WHOLE}`)).status).toBe(403)
    const stream = { ...OWNER, Accept: 'text/event-stream' }
    expect(await status('', stream)).toBe(400)
  })

  longTest('it is of one moment, whatever is written meanwhile', async () => {
    // More than the buffers of the system take.
    const value = (count: number) => Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, count]))
    const pads = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`k1${i}pad`, 'x'.repeat(9_000_000)]))
    for (const [key, pad] of Object.entries(pads)) {
      await server.call('PUT', `/moment/${key}.json?print=silent`, { body: JSON.stringify(pad) })
    }
    await server.call('PATCH', '/moment.json', { body: JSON.stringify(value(1)) })
    const { socket, answer } = await beginning(server, '/moment.json')
    await server.call('PATCH', '/moment.json', { body: JSON.stringify(value(2)) })
    socket.resume()
    expect(JSON.parse((await answer).text)).toEqual({ ...pads, ...value(1) })
    socket.destroy()
  })
})

/** Sends a request, and takes nothing of the answer until it is resumed but what comes first. */
async function beginning(
  { port, ca }: Pick<HttpsServer, 'port' | 'ca'>,
  target: string,
  secret: string = SECRET,
): Promise<{ socket: TLSSocket; answer: Promise<{ isWhole: boolean; text: string }> }> {
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' })
  const chunks: Buffer[] = []
  const ended = Promise.withResolvers<{ isWhole: boolean; text: string }>()
  const tell = () => ended.resolve({ isWhole: reader.isWhole, text: Buffer.concat(chunks).toString() })
  const reader = new Http1Reader({ head() {}, body: (bytes) => void chunks.push(bytes), end() {} })
  const begun = Promise.withResolvers<void>()
  socket.on('data', (bytes: Buffer) => {
    if (chunks.length === 0) socket.pause()
    reader.read(bytes)
    begun.resolve()
    if (reader.isWhole) tell()
  })
  socket.on('error', tell)
  socket.on('close', tell)
  const sign = target.includes('?') ? '&' : '?'
  const lines = [`GET ${target}${sign}${WHOLE} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${secret}`, '', '']
  socket.write(lines.join('\r\n'))
  await begun.promise
  return { socket, answer: ended.promise }
}

describe('an answer that ends before its time', () => {
  const server = withServer(() => startProcess({ MAX_OPEN_APPS: '1', APP_SECRET: SECRET }))

  const command = async (...args: readonly string[]) => {
    const ran = await dhole([...args, '--data-dir', server.dataDir])
    if (ran.status !== 0) throw new Error(ran.err)
    return ran.out
  }

  /** Adds an application with more in it than the buffers of the system take. @returns its secret */
  async function added(id: string): Promise<string> {
    const [, secret = ''] = /super secret.*: (\S+)/.exec(await command('apps', 'add', id)) ?? []
    const headers = { Authorization: `Bearer ${secret}` }
    for (const key of ['a', 'b', 'c', 'd']) {
      const body = JSON.stringify(Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [i, 'x'.repeat(1000)])))
      const { status } = await server.call('PUT', `/${key}.json?ns=${id}&print=silent`, { body, headers })
      expect(status).toBe(204)
    }
    return secret
  }

  /** The application is closed under whoever reads it. */
  const remove = (id: string) => command('apps', 'remove', id, '--delete-data', '--yes')

  test('over HTTP/1.1 does not look whole, and fetch says so', async () => {
    const secret = await added('one')
    const { socket, answer } = await beginning(server, '/.json?ns=one', secret)
    const reply = await fetch(`${server.url}/.json?ns=one&${WHOLE}`, {
      headers: { Authorization: `Bearer ${secret}` },
      tls: { ca: server.ca },
    })
    const reader = reply.body?.getReader()
    await reader?.read()
    await remove('one')
    socket.resume()
    expect((await answer).isWhole).toBe(false)
    const rest = async () => {
      while ((await reader?.read())?.done === false);
      return 'whole'
    }
    expect(await rest().catch(() => 'broken off')).toBe('broken off')
  })

  longTest('over HTTP/2 does not look whole', async () => {
    const secret = await added('two')
    const session = connectHttp2(server.url, { ca: server.ca })
    session.on('error', () => {})
    const stream = session.request({
      [constants.HTTP2_HEADER_PATH]: `/.json?ns=two&${WHOLE}`,
      [constants.HTTP2_HEADER_AUTHORIZATION]: `Bearer ${secret}`,
    })
    // The reset of the stream is an error, which `once` would throw.
    stream.on('error', () => {})
    const closed = new Promise((resolve) => stream.on('close', resolve))
    await once(stream, 'response')
    await remove('two')
    stream.resume()
    await closed
    expect(stream.rstCode).not.toBe(constants.NGHTTP2_NO_ERROR)
    session.destroy()
  })

  longTest('keeps its application open, and lets go of it when its server leaves', async () => {
    const secret = await added('three')
    const fresh = async (): Promise<Answer> => server.call('GET', '/x.json?ns=four')
    await command('apps', 'add', 'four', '--open')
    const { socket } = await beginning(server, '/.json?ns=three', secret)
    expect((await fresh()).status).toBe(503)
    socket.destroy()
    while ((await fresh()).status === 503);
    expect((await fresh()).status).not.toBe(503)
    await remove('three')
  })

  test('fails the command, which leaves no file', async () => {
    await using dir = await tempDir()
    const { cert, key } = await sharedCertificate()
    await Bun.write(dir.file('ca.pem'), cert)
    const breaking = createServer({ cert, key }, (socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        const piece = '{"a":1,'.padEnd(1000)
        const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
        socket.write(`${head}3e8\r\n${piece}\r\n`, () => socket.destroy())
      })
    })
    await once(breaking.listen(0, '127.0.0.1'), 'listening')
    const { port } = breaking.address() as { port: number }
    const out = dir.file('out.json')
    const where = ['--url', `https://localhost:${port}`, '--cacert', dir.file('ca.pem')]
    const { status, err } = await dhole(['export', out, ...where], { env: { DHOLE_SECRET: SECRET } })
    expect([status, existsSync(out)]).toEqual([1, false])
    expect(err).toContain('broke off')
    breaking.close()
  })
})
