import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect, type TLSSocket } from 'node:tls'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { customToken } from '../../support/token.ts'

const SECRET = 'a secret of the test suite'
const APPLICATIONS = ['slow-1', 'slow-2', 'slow-3', 'honest-1', 'honest-2']

let dir: TempDir
let server: ServerProcess
let client: Awaited<ReturnType<typeof clientOfProcess>>

beforeAll(async () => {
  dir = await tempDir()
  for (const folder of ['apps', 'secrets']) mkdirSync(dir.file(folder))
  for (const name of APPLICATIONS) {
    writeFileSync(dir.file(`apps/${name}.json`), '{"open":true}')
    writeFileSync(dir.file(`secrets/${name}.secret`), SECRET)
  }
  server = await spawnServer({ DATA_DIR: dir.path, MAX_OPEN_APPS: '2' })
  client = await clientOfProcess(server)
})

afterAll(async () => {
  await server.stop()
  await dir[Symbol.asyncDispose]()
})

/** A request whose body has begun to come. */
interface Slow {
  /** Sends the rest and resolves with all that came back. */
  finish(): Promise<string>
}

/** Sends the head and the first byte; the server has seen them once it has answered `100-continue`. */
async function begin(method: string, target: string, body: string): Promise<Slow> {
  const socket = await connected()
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ]
  let came = ''
  const continues = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  socket.on('data', (bytes) => {
    came += bytes.toString()
    if (came.includes('100 Continue')) continues.resolve()
  })
  socket.on('close', () => ended.resolve(came))
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await continues.promise
  socket.write(body.slice(0, 1))
  return {
    finish: () => {
      socket.write(body.slice(1))
      return ended.promise
    },
  }
}

async function connected(): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: client.port, ca: client.ca, servername: 'localhost' })
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve)
    socket.once('error', reject)
  })
  return socket
}

describe('bodies that do not come keep no application open', () => {
  test('and what they write is written when they are here', async () => {
    const names = APPLICATIONS.filter((name) => name.startsWith('slow'))
    const slow: Slow[] = []
    for (const name of names) {
      slow.push(await begin('PUT', `/a.json?ns=${name}`, '"slow"'))
      slow.push(await begin('PATCH', `/.json?ns=${name}`, '{"b":1}'))
      const token = JSON.stringify({ token: customToken(SECRET, { uid: 'ann' }) })
      slow.push(await begin('POST', `/.auth/customTokenToIdToken.json?ns=${name}`, token))
      slow.push(
        await begin(
          'PUT',
          `/.settings/defaultWriteSizeLimit.json?ns=${name}&auth=${encodeURIComponent(SECRET)}`,
          '"tiny"',
        ),
      )
      slow.push(await begin('POST', `/api/v1/${name}/batch/record`, 'rrid=1'))
    }
    for (const name of ['honest-1', 'honest-2']) {
      expect((await client.call('PUT', `/a.json?ns=${name}`, { body: '1' })).text).toBe('1')
    }
    const answers: string[] = []
    for (const each of slow)
      answers.push((await each.finish()).replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, '').slice(9, 12))
    expect(answers).toEqual(names.flatMap(() => ['200', '200', '200', '200', '400']))
    for (const name of names) {
      expect((await client.call('GET', `/.json?ns=${name}`)).text).toBe('{"a":"slow","b":1}')
    }
  })

  test('and one that was removed meanwhile is gone', async () => {
    expect((await client.call('GET', '/.json?ns=slow-1')).status).toBe(200)
    const slow = await begin('PUT', '/a.json?ns=slow-1', '"late"')
    await Bun.$`rm ${dir.file('apps/slow-1.json')}`.quiet()
    for (const name of ['honest-1', 'honest-2']) await client.call('GET', `/.json?ns=${name}`)
    expect(await slow.finish()).toContain('"errcode":20103')
  })
})
