import { X509Certificate } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { generate } from 'selfsigned'
import type { Certificate } from '../../src/server/tls/certificate.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const DNS_NAME = 2
const IP_ADDRESS = 7

/** A certificate for this machine. @param days from now until it ends; negative: it has ended */
export async function certificateFor(days = 100): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    notBeforeDate: new Date(Date.now() - 200 * DAY_MS),
    notAfterDate: new Date(Date.now() + days * DAY_MS),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: DNS_NAME, value: 'localhost' },
          { type: IP_ADDRESS, ip: '127.0.0.1' },
        ],
      },
    ],
  })
  return { cert, key }
}

export function fingerprintOf(pem: string): string {
  return new X509Certificate(pem).fingerprint256
}

/** Puts it into two files, one after the other and each whole, as renewal programs do. */
export function putCertificate({ cert, key }: Certificate, certFile: string, keyFile: string): void {
  for (const [file, text] of [
    [keyFile, key],
    [certFile, cert],
  ] as const) {
    writeFileSync(`${file}.new`, text, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
}

/** What one new connection has met. */
export interface Visit {
  /** Of the certificate shown. */
  readonly fingerprint: string
  /** All that came back. */
  readonly answer: string
}

/** A connection of its own for one GET. Rejects when it is refused or breaks off. */
export function visit(port: number, path = '/a.json'): Promise<Visit> {
  const { promise, resolve, reject } = Promise.withResolvers<Visit>()
  let fingerprint = ''
  let answer = ''
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, () => {
    fingerprint = socket.getPeerCertificate().fingerprint256
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  })
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString()
  })
  socket.on('error', reject)
  socket.on('close', () => {
    if (answer.startsWith('HTTP/1.1 200 ')) resolve({ fingerprint, answer })
    else reject(new Error(`closed after ${JSON.stringify(answer)}`))
  })
  return promise
}
