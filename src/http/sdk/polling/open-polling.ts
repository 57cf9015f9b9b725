import { DholeError } from '../../../error.ts'
import type { Exchange } from '../../exchange.ts'
import { replyOf } from '../../response/reply.ts'
import { openSession } from '../session/open-session.ts'
import { sessionsOf } from '../session/sessions.ts'
import type { PollSegment } from './poll-segments.ts'
import { Polling } from './polling.ts'

const MS = 1000
/** The error of a client that is no SDK. */
const WRONG_CLIENT =
  'This path is for long polling of SDKs: use the REST API (paths that end in .json) and its event streams ' +
  '(Accept: text/event-stream)'
/** Maximum segments of one request; URLs have room for fewer. */
const MOST_SEGMENTS = 1000
const COMMON = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }
const SCRIPT = { ...COMMON, 'Content-Type': 'application/javascript; charset=utf-8' }
const PAGE = { ...COMMON, 'Content-Type': 'text/html; charset=utf-8' }

/**
 * Answers a request of long polling: the first one, those that send and fetch messages, the page that reports when
 * its browser has left, and the report of that page.
 * @throws `method-not-allowed`, `bad-parameter`, `permission-denied` without the password of the session, `quota`, `too-busy`
 * @see docs/reference/sdk-protocol.md#long-polling
 */
export async function answerPolling(exchange: Exchange): Promise<Response> {
  if (exchange.method !== 'GET') throw new DholeError('method-not-allowed')
  const parameters = new URLSearchParams(exchange.target.search)
  if (parameters.get('start') === 't') return script(exchange, await start(exchange, parameters))
  if (parameters.get('dframe') === 't') return replyOf(exchange, leavingPage(parameters), { headers: PAGE })
  const id = parameters.get('id')
  if (id === null) throw new DholeError('bad-parameter', WRONG_CLIENT)
  const polling = sessionsOf(exchange.application).polling(id, parameters.get('pw') ?? '')
  if (polling === undefined) throw new DholeError('permission-denied', 'No session of this id and password is open')
  if (parameters.get('disconn') === 't') {
    await polling.leave()
    return script(exchange, '')
  }
  exchange.awaitSilently()
  return script(exchange, await polling.poll(segmentsOf(parameters)))
}

async function start(exchange: Exchange, parameters: URLSearchParams): Promise<string> {
  const callback = parameters.get('cb') ?? ''
  // It becomes part of a script.
  if (!/^\d{1,20}$/.test(callback)) throw new DholeError('bad-parameter', 'cb must be a number')
  const sessions = sessionsOf(exchange.application)
  const { reserve, settings } = exchange.limits
  const connection = await openSession(exchange, parameters.get('ls'), { carrier: 'polling' })
  const service = { reserve, timeoutMs: settings.socketSeconds * MS }
  const polling: Polling = new Polling(connection, service, callback, () => sessions.removePolling(polling))
  sessions.addPolling(polling)
  return polling.start()
}

function segmentsOf(parameters: URLSearchParams): readonly PollSegment[] {
  const segments: PollSegment[] = []
  for (let index = 0; index < MOST_SEGMENTS; index++) {
    const text = parameters.get(`d${index}`)
    if (text === null) break
    const number = Number(parameters.get(`seg${index}`))
    const count = Number(parameters.get(`ts${index}`))
    if (!Number.isSafeInteger(number) || number < 0 || !Number.isSafeInteger(count) || count < 1) {
      throw new DholeError('bad-parameter')
    }
    segments.push({ number, count, text })
  }
  return segments
}

/** The page requests the end of the session when its browser leaves. Its own URL has what that needs. */
function leavingPage(parameters: URLSearchParams): string {
  const query = new URLSearchParams({ disconn: 't' })
  for (const name of ['id', 'pw', 'ns']) {
    const value = parameters.get(name)
    if (value !== null) query.set(name, value)
  }
  const target = JSON.stringify(`?${query}`).replaceAll('<', '\\u003c')
  return `<!doctype html><html><body><script>
const leave = () => fetch(${target}, { keepalive: true, mode: 'no-cors' })
addEventListener('pagehide', leave)
</script></body></html>`
}

function script(exchange: Exchange, text: string): Response {
  return replyOf(exchange, text, { headers: SCRIPT })
}
