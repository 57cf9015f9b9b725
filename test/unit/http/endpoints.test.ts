import { expect, test } from 'bun:test'
import { ENDPOINTS, endpointOf } from '../../../src/http/routing/endpoints.ts'
import { exchangeOf } from '../../support/exchange.ts'

test.each([
  ['/a/b.json', '/*', 'get'],
  ['/.json', '/*', 'get'],
  ['/a/.priority.json', '/*', 'get'],
  ['/.info/connected.json', '/*', 'get'],
  ['/health.json', '/*', 'get'],
  ['/api/v1/app/status.json', '/*', 'get'],
  ['/a', '/*', 'other'],
  ['/health', '/health', 'system'],
  ['/metrics', '/metrics', 'system'],
  ['/swagger', '/swagger', 'docs'],
  ['', '', 'docs'],
  ['/.ws', '/.ws', 'socket'],
  ['/.settings/rules.json', '/.settings/rules.json', 'settings'],
  ['/.settings/other.json', '/.settings/*', 'settings'],
  ['/.settings/rules', '/.settings/*', 'other'],
  ['/.auth/customTokenToIdToken.json', '/.auth/customTokenToIdToken.json', 'token'],
  ['/.auth/other.json', '/.auth/*', 'token'],
  ['/api/v1/carrier-codes', '/api/v1/carrier-codes', 'sms-other'],
  ['/api/v1/app/status', '/api/v1/{app}/status', 'sms-batch'],
  ['/api/v2/app/send', '/api/v2/{app}/send', 'sms-status'],
  ['/api/v1/app/batch/record', '/api/v1/{app}/batch/record', 'sms-record'],
  ['/api/v1/app/other', '/api/v1/*', 'sms-other'],
  ['/api/v2/app', '/api/v2/*', 'sms-other'],
  ['/api/v3/app/status', '/*', 'other'],
])('%s is answered by %s and counted as %s', (rawPath, path, operation) => {
  expect(endpointOf(rawPath).path).toBe(path)
  if (rawPath === '') return
  expect(exchangeOf(new Request(`https://localhost${rawPath}`)).operationOf(true)).toBe(operation as 'get')
})

test('every row of the table answers its own path', () => {
  for (const endpoint of ENDPOINTS) {
    const path = endpoint.path.replace('{app}', 'app').replace('*', 'other')
    expect(endpointOf(path)).toBe(endpoint)
  }
})
