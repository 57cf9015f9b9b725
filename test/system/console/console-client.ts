import { expect } from 'bun:test'
import type { Answer, HttpsClient } from '../../support/https-server.ts'

/** Secret of the operator in tests. */
export const OPERATOR = 'secret of the operator in the test suite'

/** What a page of a session sends with each request. */
export interface Login {
  /** Name and value of the cookie. */
  readonly cookie: string
  readonly csrf: string
  readonly headers: Readonly<Record<string, string>>
}

type Caller = Pick<HttpsClient, 'call'>

/** Sends a login. @param headers beside those of every request */
export function tryLogin(
  server: Caller,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return server.call('POST', '/.admin/session', { body: JSON.stringify(body), headers })
}

/** Logs in, as the operator unless the body says otherwise. */
export async function logIn(server: Caller, body: object = { secret: OPERATOR }): Promise<Login> {
  const answer = await tryLogin(server, body)
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 })
  const cookie = cookieOf(answer)
  const { csrf } = JSON.parse(answer.text) as { csrf: string }
  return { cookie, csrf, headers: { Cookie: cookie, 'X-CSRF-Token': csrf } }
}

/** Name and value of the cookie that an answer sets; empty where it sets none. */
export function cookieOf({ headers }: Answer): string {
  return headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

/** Carries out an operation. */
export function operate(
  server: Caller,
  name: string,
  input: unknown,
  headers: Readonly<Record<string, string>>,
  query = '',
): Promise<Answer> {
  return server.call('POST', `/.admin/operations/${name}${query}`, { body: JSON.stringify(input), headers })
}

/** Status of a small operation of the operator: 200 while the session is valid. */
export async function statusOf(server: Caller, { headers }: Pick<Login, 'headers'>): Promise<number> {
  return (await operate(server, 'list', {}, headers)).status
}

/** Number of the error of an answer. */
export function codeOf({ text }: Answer): number {
  return (JSON.parse(text) as { code: number }).code
}
