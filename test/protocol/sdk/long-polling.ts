import { expect } from 'bun:test'
import type { HttpsClient } from '../../support/https-server.ts'

/** A session of long polling. */
export interface PollingSession {
  /** Names it in requests, with the password. */
  readonly id: string
  readonly pw: string
  /** Id that the client knows it by when it connects again. */
  readonly session: string
}

/** Begins a session of long polling. */
export async function beginPolling({ call }: Pick<HttpsClient, 'call'>): Promise<PollingSession> {
  const { status, text } = await call('GET', '/.lp?start=t&ser=1&cb=1&v=5&ns=app')
  expect(status).toBe(200)
  const [, id = '', pw = ''] = /\("start","([^"]+)","([^"]+)"\)/.exec(text) ?? []
  const [, session = ''] = /"s":"([^"]+)"/.exec(text) ?? []
  return { id, pw, session }
}

/** Parameters of a request that sends messages, each in one segment. */
export function segmentsOf(...messages: readonly string[]): string {
  return messages
    .map((message, at) => `seg${at}=${at}&ts${at}=1&d${at}=${Buffer.from(message).toString('base64url')}.`)
    .join('&')
}
