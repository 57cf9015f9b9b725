import type { ReadOptions } from '../../database/read-types.ts'
import { DholeError } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { Exchange } from '../exchange.ts'
import { exportAnswer } from '../response/export-body.ts'
import { nodeTextReply, readReply } from '../response/node-reply.ts'
import { formatReply } from '../response/reply.ts'
import { openStream } from '../streams/stream-route.ts'
import { emptyBody } from './whole-export.ts'

/** Reads the node, or opens a stream of it. */
export function readNode(exchange: Exchange): Awaitable<Response> {
  if (exchange.isStream) return openStream(exchange)
  const { application, target, query, caller: as, onTrace } = exchange
  const { path, parameters, timeoutMs } = target
  const { database } = application
  if (parameters.readSizeLimit !== undefined) return exportNode(exchange)
  const options: ReadOptions = { as, onTrace, timeoutMs }
  if (parameters.count === 'true') {
    const count = database.count(path, query, options)
    return then(exchange, count, (known) => formatReply(exchange, String(known), parameters))
  }
  if (parameters.shallow === 'true') {
    const keys = database.shallow(path, query, options)
    return then(exchange, keys, (text) => nodeTextReply(exchange, text ?? 'null', parameters))
  }
  const text = query === undefined ? database.node(path, options) : database.select(path, query, options)
  return then(exchange, text, (found) => readReply(exchange, found))
}

/** Uses a value at once when it is there; the wait for another may exceed the idle timeout. */
function then<T>(exchange: Exchange, value: Awaitable<T>, use: (value: T) => Awaitable<Response>): Awaitable<Response> {
  if (!(value instanceof Promise)) return use(value)
  return exchange.limits.inSilence(exchange, value).then(use)
}

/** For administrators only: the size is unlimited, and rules would have to read all of it. */
function exportNode(exchange: Exchange): Awaitable<Response> {
  const { application, target, caller } = exchange
  const { path, parameters } = target
  if (caller?.kind !== 'admin') throw new DholeError('permission-denied')
  if (exchange.method === 'HEAD') return formatReply(exchange, '', parameters, 200, emptyBody)
  const release = application.hold()
  const failed = (thrown: unknown) => exchange.reportError(thrown)
  const rest = application.database.export(path)
  // A failure of the first piece is answered with an error.
  const first = rest.next().catch((thrown: unknown) => {
    release()
    throw thrown
  })
  return then(exchange, first, ({ value }) => {
    const body = () => exportAnswer({ first: value ?? '', rest, release, failed }, exchange)
    return formatReply(exchange, '', parameters, 200, body)
  })
}
