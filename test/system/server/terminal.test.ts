import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { longTest } from '../../support/lane.ts'
import { spawnServer } from '../../support/server-process.ts'
import { startAtTerminal } from '../../support/terminal.ts'

function secretsIn(dataDir: string): readonly string[] {
  return ['app.secret', 'app.sms'].map((name) => readFileSync(join(dataDir, 'secrets', name), 'utf8').trim())
}

/** The lines that are none of JSON. */
function plainLines(output: string): readonly string[] {
  return output.split('\n').filter((line) => line !== '' && !line.startsWith('{"'))
}

test('a terminal is shown the secrets, readable lines and what to open', async () => {
  const server = await startAtTerminal()
  const shown = server.output()
  for (const secret of secretsIn(server.dataDir)) expect(shown).toContain(`shown only now: ${secret}`)
  expect(shown).toMatch(/WARN.*open: everybody on this machine may read and write/)
  expect(shown).not.toContain('{"level"')
  const { port } = new URL(server.url)
  const file = join(server.dataDir, 'tls/certificate.pem')
  for (const line of [
    `open        https://localhost:${port}`,
    `documents   https://localhost:${port}/swagger`,
    `live page   https://localhost:${port}/docs/live`,
    `health      https://localhost:${port}/health`,
    `certificate ${file}, made just now`,
    `curl: --cacert ${file}`,
    `NODE_EXTRA_CA_CERTS=${file}`,
    `SSL_CERT_FILE=${file}`,
    'docs/how-to/trust.md',
  ]) {
    expect(shown).toContain(line)
  }
  expect(shown.trimEnd()).toEndWith(`listening on https://127.0.0.1:${port}`)
  await server.stop()
})

longTest('NO_COLOR and LOG_FORMAT are heard at a terminal, and JSON there shows no secret', async () => {
  const plain = await startAtTerminal({ NO_COLOR: '1' })
  expect(plain.output()).toContain('WARN: open')
  expect(plain.output()).not.toContain('\u001B')
  await plain.stop()
  const json = await startAtTerminal({ LOG_FORMAT: 'json' })
  for (const secret of secretsIn(json.dataDir)) expect(json.output()).not.toContain(secret)
  expect(json.output()).toContain('{"level":40')
  await json.stop()
})

test('elsewhere there are JSON lines and the line that programs look for, and secrets stay in their files', async () => {
  await using server = await spawnServer()
  const output = server.output()
  expect(plainLines(output)).toEqual([`listening on ${server.url}`])
  const lines: unknown[] = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  const { port } = new URL(server.url)
  const file = join(server.dataDir, 'tls/certificate.pem')
  expect(lines).toContainEqual(
    expect.objectContaining({
      addresses: [`https://localhost:${port}`, `https://127.0.0.1:${port}`],
      documents: `https://localhost:${port}/swagger`,
      live: `https://localhost:${port}/docs/live`,
      health: `https://localhost:${port}/health`,
    }),
  )
  expect(lines).toContainEqual(
    expect.objectContaining({
      certificate: file,
      curl: `--cacert ${file}`,
      node: `NODE_EXTRA_CA_CERTS=${file}`,
      python: `SSL_CERT_FILE=${file}`,
    }),
  )
  for (const secret of secretsIn(server.dataDir)) expect(output).not.toContain(secret)
  for (const name of ['app.secret', 'app.sms']) expect(output).toContain(join(server.dataDir, 'secrets', name))
})

longTest('readable lines without a terminal have no colour and no secret', async () => {
  await using server = await spawnServer({ LOG_FORMAT: 'pretty' })
  expect(server.output()).toContain('WARN: open')
  expect(server.output()).not.toContain('\u001B')
  for (const secret of secretsIn(server.dataDir)) expect(server.output()).not.toContain(secret)
})
