import { expect, test } from 'bun:test'
import { DholeError } from '../../../src/error.ts'
import { Destinations } from '../../../src/http/routing/endpoints.ts'

const PREFIX = '/tree'
const HERE = 'https://localhost:8443/tree'

test.each([
  ['a node', '/users/ada/name.json', true],
  ['a query', '/users.json?orderBy=%22name%22&limitToFirst=20', true],
  ['one that shows a credential', '/users/ada.json?auth=secret', false],
  ['one that shows a credential in escapes', '/users/ada.json?%61uth=secret', false],
  ['one that shows an access token', '/users/ada.json?ns=app&access_token=token', false],
  ['a long one', `/${'a'.repeat(300)}.json`, false],
  ['a call about text messages', '/api/v1/app/status?rrid=1', false],
])('%s is kept or not', (_, rest, isKept) => {
  const destinations = new Destinations(PREFIX)
  const first = destinations.of(HERE + rest)
  expect(destinations.of(HERE + rest) === first).toBe(isKept)
})

test('a target that is wrong is wrong every time, and what stands before it in the order of errors is not', () => {
  const destinations = new Destinations(PREFIX)
  for (let time = 0; time < 2; time++) {
    const { target } = destinations.of(`${HERE}/a.json?print=loud`)
    expect(target.path).toEqual(['a'])
    expect(() => target.parameters).toThrow(DholeError)
    expect(() => destinations.of(`${HERE}/a$.json`).target.path).toThrow(DholeError)
  }
})
