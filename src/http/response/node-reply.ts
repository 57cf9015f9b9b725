import { type Appended, etagAfterInSteps, largePlanOf, type WriteOutcome } from '../../database/writes/write-request.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { inTurns } from '../../scheduling/turns.ts'
import { NULL_ETAG } from '../../tree/json/etag.ts'
import { stringifyInSteps } from '../../tree/json/print-steps.ts'
import { type AnyText, collected, joined, piecesOf } from '../../tree/json/text-pieces.ts'
import type { WritePlan } from '../../tree/write.ts'
import type { Exchange } from '../exchange.ts'
import { wantsEtag } from '../request/headers.ts'
import { emptyBody } from '../rest/whole-export.ts'
import { LARGE_LENGTH, largeAnswer } from './large-body.ts'
import { asItIs, type BodyOf, type FormatOptions, formatReply, replayedReply } from './reply.ts'

/** As `formatReply`, for text that may be long. @param source what the text is of: equal replies share it */
export function nodeTextReply(
  exchange: Exchange,
  text: AnyText,
  format: FormatOptions,
  source: object = exchange,
  status?: number,
): Response {
  if (exchange.method !== 'HEAD' || typeof text === 'string') {
    return formatReply(exchange, text, format, status, bodyOf(exchange, source))
  }
  let byteLength: number | undefined
  // The listener sends no body for HEAD.
  const reply = formatReply(exchange, text, format, status, (_, layout) => {
    if (layout !== undefined) return emptyBody()
    byteLength = piecesOf(text).reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
    return null
  })
  if (byteLength !== undefined) reply.headers.set('Content-Length', String(byteLength))
  return reply
}

/** How a text is sent to the client. */
function bodyOf(exchange: Exchange, source: object): BodyOf {
  return (text, layout) => {
    if (text.length <= LARGE_LENGTH) return asItIs(text, layout)
    if (exchange.method !== 'HEAD') return largeAnswer(text, source, exchange, layout)
    return layout === undefined ? joined(text) : emptyBody()
  }
}

/** The reply to a write other than POST. */
export function writeReply(exchange: Exchange, outcome: WriteOutcome): Awaitable<Response> {
  const { request, target } = exchange
  const isTagged = wantsEtag(request) || request.headers.has('if-match')
  if (outcome.kind === 'written' && !outcome.replayed && !isTagged && largePlanOf(outcome) === undefined) {
    const { print } = target.parameters
    return nodeTextReply(exchange, print === 'silent' ? '' : JSON.stringify(outcome.json), { print })
  }
  return outcomeReply(exchange, outcome, isTagged).then((reply) => (outcome.replayed ? replayedReply(reply) : reply))
}

async function outcomeReply(exchange: Exchange, outcome: WriteOutcome, isTagged: boolean): Promise<Response> {
  const { print } = exchange.target.parameters
  if (outcome.kind === 'mismatch') {
    const { current } = outcome
    if (current === undefined) {
      return nodeTextReply(exchange, 'null', { print, etag: NULL_ETAG }, undefined, 412)
    }
    const etag = await inTurns(current.etagInSteps())
    return nodeTextReply(exchange, await inTurns(current.inSteps('plain')), { print, etag }, current, 412)
  }
  const large = largePlanOf(outcome)
  const etag = isTagged ? await etagOf(outcome, large) : undefined
  if (print === 'silent') return nodeTextReply(exchange, '', { print, etag })
  const text =
    large === undefined
      ? JSON.stringify(outcome.json)
      : await inTurns(collected((sink) => stringifyInSteps(large.json, sink)))
  return nodeTextReply(exchange, text, { print, etag })
}

/** The reply to POST. */
export async function appendReply(exchange: Exchange, appended: Appended): Promise<Response> {
  const { print } = exchange.target.parameters
  const etag = wantsEtag(exchange.request) ? await etagOf(appended, largePlanOf(appended)) : undefined
  const reply = formatReply(exchange, JSON.stringify({ name: appended.name }), { print, etag })
  return appended.replayed ? replayedReply(reply) : reply
}

/** @param outcome computes its tag when it is read */
function etagOf(
  outcome: { readonly etag: string | undefined },
  large: WritePlan | undefined,
): Awaitable<string | undefined> {
  if (large === undefined) return outcome.etag
  return large.kind === 'put' ? inTurns(etagAfterInSteps(large)) : undefined
}
