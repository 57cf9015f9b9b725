import { expect, test } from 'bun:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { offeredOperations } from '../../../src/admin/offered-operations.ts'
import type { AdminTarget } from '../../../src/admin/operation.ts'
import { specificationText } from '../../../src/http/docs/specification.ts'
import { ENDPOINTS } from '../../../src/http/routing/endpoints.ts'

/** Every rule that is recommended, but for two. */
const CONFIG: Parameters<typeof createConfig>[0] = {
  extends: ['recommended'],
  rules: {
    // Health and readiness are told to everybody: nothing that a client does wrong changes the answer.
    'operation-4xx-response': 'off',
    // Answers to what the document does not have: other methods, and calls that are not offered.
    'no-unused-components': 'off',
  },
}

test.each([
  ['the plugin', '', false, undefined],
  ['the plugin below a prefix', '/tree', false, undefined],
  ['the server', '', true, offeredOperations({} as AdminTarget)],
] as const)('a linter finds nothing in the document of %s', async (_, prefix, hasMetrics, operations) => {
  const problems = await lintFromString({
    source: await specificationText(prefix, hasMetrics, ENDPOINTS, operations),
    absoluteRef: 'openapi.json',
    config: await createConfig(CONFIG),
  })
  const told = problems.map(({ severity, ruleId, message, location }) => ({
    severity,
    ruleId,
    message,
    at: location.map(({ pointer }) => pointer),
  }))
  expect(told).toEqual([])
})

test('the linter finds what is wrong', async () => {
  const document = JSON.parse(await specificationText('', true, ENDPOINTS)) as {
    paths: Record<string, { get: object }>
  }
  const path = '/{path}.json'
  document.paths[path] = { get: { ...document.paths[path]?.get, operationId: 'getRoot' } }
  const config = await createConfig(CONFIG)
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
  expect(problems.map(({ severity, ruleId }) => `${severity} ${ruleId}`)).toContain(
    'error operation-operationId-unique',
  )
})
