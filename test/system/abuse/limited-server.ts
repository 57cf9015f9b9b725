import { connect, type TLSSocket } from 'node:tls'
import { type Answer, type HttpsServer, SECRET, startInProcess } from '../../support/https-server.ts'

export const QUOTA = { errcode: 20105, message: 'Quota limit exceeded.', error: 'Too many requests' }
export const BUSY = { errcode: 20104, message: 'The app is out of service', error: 'Too much is under way' }
export const open = { open: true, secret: SECRET }

/** Options of limits for clients. */
export type Clients = Readonly<Record<string, number>>

/** Starts a server with these limits. */
export function serving(
  clients: Clients,
  applications: Readonly<Record<string, typeof open>> = { app: open },
): Promise<HttpsServer> {
  return startInProcess({ clients, applications })
}

/** Status, `Retry-After` and body of an answer. */
export function told({ status, headers, text }: Answer): unknown[] {
  return [status, headers.get('retry-after'), JSON.parse(text)]
}

/** The head of a request, and less of its body than announced. */
export const HALF_PUT = 'PUT /b.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"x'

/** Says how a request begins, and is there until the server or the test ends it. */
export async function beginning(
  server: HttpsServer,
  text: string,
): Promise<{ socket: TLSSocket; answer: Promise<string> }> {
  const begun = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<string>()
  const { port, ca } = server
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' }, () => {
    socket.write(text, () => begun.resolve())
  })
  socket.on('data', (bytes: Buffer) => answer.resolve(bytes.toString('latin1')))
  socket.on('close', () => answer.resolve('closed'))
  await begun.promise
  return { socket, answer: answer.promise }
}
