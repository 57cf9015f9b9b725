import { beforeAll, expect, test } from 'bun:test'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { customToken } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'
import { bodyExamples, fetchDocument, operationsOf } from './document.ts'
import { OWNER } from './good-requests.ts'

const server = withServer(() => startInProcess({ docs: true }))
/** The rules of the document, by the names of the examples. */
let rules: Readonly<Record<string, unknown>>

beforeAll(async () => {
  rules = bodyExamples(operationsOf(await fetchDocument(server)), 'putRules')
})

const ALICE = { name: 'Alice', age: 30 }
/** Under which rules who does what, and the status of the answer. */
const STEPS = [
  ['users', 'bob', 'PUT', '/users/alice.json', ALICE, 403],
  ['users', 'alice', 'PUT', '/users/alice.json', ALICE, 200],
  ['users', 'alice', 'PUT', '/users/alice/age.json', -1, 403],
  ['users', 'alice', 'PUT', '/users/alice/seen.json', { '.sv': 'timestamp' }, 200],
  ['users', 'alice', 'PUT', '/users/alice/shoe.json', 44, 403],
  ['users', undefined, 'GET', '/users/alice.json', undefined, 200],
  ['chat', 'alice', 'GET', '/messages/lobby.json', undefined, 200],
  ['chat', 'bob', 'GET', '/messages/lobby.json', undefined, 403],
  ['chat', undefined, 'GET', '/messages/lobby.json', undefined, 403],
  ['chat', 'alice', 'PUT', '/messages/lobby/a.json', { from: 'alice', text: 'Ahoy', time: 1 }, 200],
  ['chat', 'alice', 'PUT', '/messages/lobby/a.json', { from: 'alice', text: 'Bye', time: 1 }, 403],
  ['chat', 'alice', 'PUT', '/messages/lobby/b.json', { from: 'bob', text: 'Ahoy', time: 1 }, 403],
  ['claims', 'editor', 'PUT', '/articles/a.json', 'text', 200],
  ['claims', 'alice', 'PUT', '/articles/a.json', 'text', 403],
  ['claims', 'alice', 'GET', '/articles.json?orderBy="$key"&limitToFirst=100', undefined, 200],
  ['claims', 'alice', 'GET', '/articles.json?orderBy="$key"&limitToFirst=101', undefined, 403],
  ['claims', 'alice', 'GET', '/articles.json', undefined, 403],
  ['open', undefined, 'PUT', '/a.json', 1, 200],
  ['locked', 'alice', 'GET', '/a.json', undefined, 403],
] as const

test('rules are answered as they were written', async () => {
  for (const value of Object.values(rules)) {
    const text = `${JSON.stringify(value, null, 2)} // done`
    await server.call('PUT', '/.settings/rules.json', { headers: OWNER, body: text })
    const read = (query: string) => server.call('GET', `/.settings/rules.json${query}`, { headers: OWNER })
    expect((await read('')).text).toBe(text)
    expect(JSON.parse((await read('?format=strict')).text)).toEqual(value)
  }
})

test('rules do what they say they do', async () => {
  await server.call('PUT', '/members/lobby/alice.json', { headers: OWNER, body: 'true' })
  for (const [name, uid, method, target, body, status] of STEPS) {
    await server.call('PUT', '/.settings/rules.json', { headers: OWNER, body: JSON.stringify(rules[name]) })
    const claims = uid === 'editor' ? { editor: true } : {}
    const auth = uid === undefined ? '' : `auth=${customToken(SECRET, { uid, claims })}`
    const query = `${target.includes('?') ? '&' : '?'}${auth}`
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await server.call(method, target + query, sent)
    expect({ name, uid, target, status: answer.status }).toEqual({ name, uid, target, status })
  }
})
