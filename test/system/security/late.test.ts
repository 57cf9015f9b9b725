import { expect, test } from 'bun:test'
import { connect } from 'node:tls'
import { addApplication, runDhole } from '../../support/dhole-command.ts'
import { type Listening, openSource } from '../../support/event-source.ts'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { customToken, nowInSeconds } from '../../support/token.ts'

const admin = `auth=${encodeURIComponent(SECRET)}`

/** A request of which the last piece is still to come. */
interface Upload {
  /** Sends the rest. @returns the status */
  finish(): Promise<number>
}

/** Sends head and half the body of a request over HTTP/1.1; resolves when these bytes have left. */
function beginUpload({ port, ca }: Listening, method: string, target: string, body: string): Promise<Upload> {
  const { promise, resolve } = Promise.withResolvers<Upload>()
  const half = body.length >> 1
  const answer = Promise.withResolvers<number>()
  let received = ''
  const end = () => answer.resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1]))
  const head = `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' }, () => {
    const finish = () => {
      socket.write(body.slice(half))
      return answer.promise
    }
    socket.write(head + body.slice(0, half), () => resolve({ finish }))
  })
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  socket.on('error', end)
  socket.on('close', end)
  return promise
}

const RULES = JSON.stringify({ rules: { '.read': 'auth != null', '.write': 'auth.uid != null' } })

test('a body that arrives when its token has expired is refused', async () => {
  await using server = await startInProcess()
  await server.call('PUT', `/.settings/rules.json?${admin}`, { body: RULES })
  const exp = nowInSeconds() + 2
  const user = customToken(SECRET, { uid: 'ann', exp })
  const owner = customToken(SECRET, { admin: true, exp })
  await using watch = await openSource(server, `/a.json?auth=${user}`)
  const uploads = await Promise.all([
    beginUpload(server, 'PUT', `/put.json?auth=${user}`, '"late"'),
    beginUpload(server, 'POST', `/post.json?auth=${user}`, '"late"'),
    beginUpload(server, 'PATCH', `/patch.json?auth=${user}`, '{"a":"late"}'),
    beginUpload(server, 'PUT', `/.settings/rules.json?auth=${owner}`, '{"rules":{".read":true,".write":true}}'),
  ])
  for (let event = await watch.nextMessage(); event?.name !== 'auth_revoked'; event = await watch.nextMessage()) {
    if (event === undefined) throw new Error('the stream has ended')
  }
  expect(await Promise.all(uploads.map((upload) => upload.finish()))).toEqual([401, 401, 401, 401])
  expect((await server.call('GET', `/.json?${admin}`)).text).toBe('null')
  expect((await server.call('GET', `/.settings/rules.json?${admin}`)).text).toBe(RULES)
})

test('a body that arrives when the secret has been replaced is refused', async () => {
  await using server = await spawnServer()
  const { secret } = await addApplication(server.dataDir, 'shop')
  const client = await clientOfProcess(server)
  const upload = await beginUpload(client, 'PUT', `/a.json?ns=shop&auth=${secret}`, '"late"')
  // An answer on another connection: the first one has been looked at by then.
  expect((await client.call('GET', `/a.json?ns=shop&auth=${secret}`)).text).toBe('null')
  const { status } = await runDhole(['apps', 'rotate', 'shop', '--yes', '--data-dir', server.dataDir])
  expect(status).toBe(0)
  expect((await client.call('GET', `/a.json?ns=shop&auth=${secret}`)).status).toBe(401)
  expect(await upload.finish()).toBe(401)
})
