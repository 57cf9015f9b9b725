import { expect, test } from 'bun:test'
import { startInProcess } from '../../support/https-server.ts'

test.each([
  ['base.test', 'shop.base.test', 'shop'],
  ['base.test', 'shop.base.test.', 'shop'],
  ['base.test', 'SHOP.Base.Test.:8443', 'shop'],
  ['base.test.', 'shop.base.test', 'shop'],
  ['base.test', 'base.test.', undefined],
  ['base.test', 'elsewhere.test.', undefined],
])('below %s the host %s names the application %s', async (baseDomain, host, id) => {
  const secret = 'x'.repeat(40)
  await using server = await startInProcess({
    applications: { app: { open: true, secret }, shop: { open: true, secret } },
    baseDomain,
  })
  for (const name of ['app', 'shop']) await server.call('PUT', `/name.json?ns=${name}`, { body: `"${name}"` })
  const { status, text } = await server.call('GET', '/name.json', { headers: { Host: host } })
  expect(status === 200 ? JSON.parse(text) : undefined).toBe(id)
})
