import { expect, test } from 'bun:test'
import { startInProcess } from '../../support/https-server.ts'
import { withServer } from '../../support/with-server.ts'

const server = withServer(() => startInProcess({ baseDomain: 'example.org' }))
const unnamed = withServer()

test.each([
  ['the host that was asked', 'my-app.example.org:8443', 'my-app.example.org:8443'],
  ['another one too', 'localhost', 'localhost'],
  ['the host of the application for the name of Wilddog', 'ns.wilddog.com', 'my-app.example.org'],
  ['with the port that was asked', 'ns.wilddog.com:8443', 'my-app.example.org:8443'],
])('a lookup names %s', async (_, host, expected) => {
  const { text, headers } = await server.call('GET', '/v1/lookup?appId=my-app', { headers: { Host: host } })
  expect(JSON.parse(text)).toEqual({ nssList: [expected] })
  expect(headers.get('access-control-allow-origin')).toBe('*')
})

test.each([
  ['without a base domain', unnamed, 'my-app'],
  ['without an application', server, ''],
  ['for what is no application', server, 'a/b'],
])('a lookup for the name of Wilddog fails %s', async (_, asked, id) => {
  const headers = { Host: 'ns.wilddog.com' }
  const { status, text } = await asked.call('GET', `/v1/lookup?appId=${id}`, { headers })
  expect(status).toBe(417)
  expect(JSON.parse(text).errcode).toBe(20_101)
})
