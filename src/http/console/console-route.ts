import { DholeError } from '../../error.ts'
import type { Answer, Exchange } from '../exchange.ts'
import { heldBody } from '../response/held-body.ts'
import { replyOf } from '../response/reply.ts'
import { type Asset, assetsOnce } from './assets.ts'
import { shellPage } from './shell-page.ts'

/** Paths of the console below the mount point. */
export const CONSOLE_PATHS = ['/console', '/console/*'] as const

const ASSETS = '/console/assets/'
const ASSET_HEADERS = {
  // Their names change with their content.
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept-Encoding',
}

/** Answers a GET or HEAD of the console where it is served; everything else below its paths is answered by the tree. */
export function consoleOr(tree: Answer): Answer {
  return (exchange) => {
    const { method, service } = exchange
    const isRead = method === 'GET' || method === 'HEAD'
    return isRead && service.admin !== undefined ? exchange.limits.within(exchange, answerConsole) : tree(exchange)
  }
}

/** @throws `internal` when a checkout cannot be bundled, `admin-unknown` for a file that is not there */
async function answerConsole(exchange: Exchange): Promise<Response> {
  const assets = await assetsOnce()
  const { rawPath } = exchange.target
  if (!rawPath.startsWith(ASSETS)) {
    const { html, headers } = shellPage(rawPath, assets)
    return replyOf(exchange, html, { headers })
  }
  const asset = assets.files.get(rawPath.slice(ASSETS.length))
  if (asset === undefined) throw new DholeError('admin-unknown')
  return assetReply(exchange, asset)
}

function assetReply(exchange: Exchange, { type, plain, gzipped }: Asset): Response {
  const isGzip = takesGzip(exchange.request.headers.get('accept-encoding'))
  const bytes = isGzip ? gzipped : plain
  exchange.replyBytes = bytes.byteLength
  const headers = { ...ASSET_HEADERS, 'Content-Type': type, ...(isGzip ? { 'Content-Encoding': 'gzip' } : {}) }
  return new Response(exchange.method === 'HEAD' ? bytes : heldBody(bytes, exchange), { headers })
}

/** Whether a list of encodings names gzip with a weight above zero. */
function takesGzip(accepted: string | null): boolean {
  return (accepted ?? '').split(',').some((range) => /^\s*gzip\s*(?:$|;(?!\s*q\s*=\s*0(?:\.0*)?\s*$))/i.test(range))
}
