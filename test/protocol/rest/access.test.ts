import { expect, test } from 'bun:test'
import { http2Client } from '../../support/http2-client.ts'
import { startInProcess } from '../../support/https-server.ts'
import { withServer } from '../../support/with-server.ts'
import { access, BASE_DOMAIN, twoApplications } from './access.ts'
import { errorBody, errors } from './errors.ts'
import { play } from './interpreter.ts'

const server = withServer(() => startInProcess({ applications: twoApplications, baseDomain: BASE_DOMAIN }))

test.each(access.map((row) => [row.name, row] as const))('%s', (_, row) => play(row, server.call))

test('a single application needs no name, and no other name will do', async () => {
  await using single = await startInProcess({ baseDomain: BASE_DOMAIN })
  expect((await single.call('GET', '/.json')).text).toBe('null')
  expect((await single.call('GET', '/.json?ns=app')).text).toBe('null')
  const wrong = await single.call('GET', '/.json?ns=other')
  expect(wrong.status).toBe(404)
  const wrongHost = await single.call('GET', '/.json', { headers: { Host: `other.${BASE_DOMAIN}` } })
  expect(JSON.parse(wrongHost.text)).toEqual(errorBody(errors.unknownApplication))
})

test('the authority of HTTP/2 is the host', async () => {
  await server.call('PUT', '/a.json?ns=shop', { body: '"by authority"' })
  await using http2 = http2Client(server.url, server.ca)
  const chosen = await http2.call('GET', '/a.json', { headers: { ':authority': `shop.${BASE_DOMAIN}` } })
  expect([chosen.status, chosen.text]).toEqual([200, '"by authority"'])
  const unknown = await http2.call('GET', '/a.json', { headers: { ':authority': `other.${BASE_DOMAIN}:8443` } })
  expect(JSON.parse(unknown.text)).toEqual(errorBody(errors.unknownApplication))
})

test('applications share nothing', async () => {
  await server.call('PUT', '/a.json?ns=shop', { body: '"shop"' })
  const secret = encodeURIComponent(twoApplications.vault.secret)
  await server.call('PUT', `/a.json?ns=vault&auth=${secret}`, { body: '"vault"' })
  expect((await server.call('GET', '/a.json?ns=shop')).text).toBe('"shop"')
  expect((await server.call('GET', `/a.json?ns=vault&auth=${secret}`)).text).toBe('"vault"')
})
