import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { CARRIER_CODES } from '../../../src/sms/model/carrier-codes.ts'

const REFERENCE = await Bun.file(new URL('../../../docs/reference/protocol.md', import.meta.url)).text()
/** Signs what the reference shows as signed. */
const KEY = 'demo-sms-key-0123456789abcdef'

/** What stands under a heading of the third level. */
function section(heading: string): string {
  const parts = REFERENCE.split(/^##+ /m)
  return parts.find((part) => part.startsWith(`${heading}\n`)) ?? ''
}

test('the signatures shown are those of the texts beside them', () => {
  const rows = [...section('Signing').matchAll(/^\| `(.+)` \| `([0-9a-f]{64})` \|$/gm)]
  expect(rows.length).toBeGreaterThan(5)
  for (const [, signed = '', signature = ''] of rows) {
    expect(createHash('sha256').update(`${signed}&${KEY}`).digest('hex'), signed).toBe(signature)
  }
})

test('the table of carrier codes is the one that is answered', () => {
  const rows = [...section('Carrier codes').matchAll(/^\| `(.+)` \| (\d) \| (.+) \|$/gm)]
  const shown = rows.map(([, code = '', status, meaning = '']) => ({ code, status: Number(status), meaning }))
  expect(shown).toEqual([...CARRIER_CODES])
})
