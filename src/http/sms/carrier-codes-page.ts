import { DholeError } from '../../error.ts'
import { CARRIER_CODES } from '../../sms/model/carrier-codes.ts'
import type { Exchange } from '../exchange.ts'
import { prefersPage } from '../request/headers.ts'
import { jsonReply } from '../response/reply.ts'

/** The table of carrier codes, for programs. */
const TEXT = `{"status":"ok","data":${JSON.stringify(CARRIER_CODES)}}`

/** Names of the states. */
const MEANING = { 1: 'being sent', 2: 'delivered', 3: 'failed' } as const

/** The same for people. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Carrier codes</title>
</head>
<body>
<h1>Carrier codes</h1>
<table>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${CARRIER_CODES.map(rowOf).join('\n')}
</tbody>
</table>
</body>
</html>
`

function rowOf({ code, status, meaning }: (typeof CARRIER_CODES)[number]): string {
  const cells = [`<code>${Bun.escapeHTML(code)}</code>`, `${status} ${MEANING[status]}`, Bun.escapeHTML(meaning)]
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
}

/**
 * The table of carrier codes: a page for clients that prefer HTML, JSON for others.
 * @throws `method-not-allowed`
 * @see docs/reference/protocol.md#carrier-codes
 */
export function answerCarrierCodes(exchange: Exchange): Response {
  if (exchange.method !== 'GET') throw new DholeError('method-not-allowed')
  const isPage = prefersPage(exchange.request.headers.get('accept'))
  const reply = jsonReply(exchange, isPage ? PAGE : TEXT)
  const { headers } = reply
  headers.set('Vary', 'Accept')
  if (!isPage) return reply
  headers.set('Content-Type', 'text/html; charset=utf-8')
  headers.set(
    'Content-Security-Policy',
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  return reply
}
