import { StreamCache } from '../../../support/stream-cache.ts'
import type { Told } from '../clients/listener.ts'
import type { Replay } from './replay.ts'

/** When a stream may begin anew. */
interface MayBegin {
  /** How often at any time: on each process, an open stream learns of another history by a beginning with an id of the old one. */
  readonly beginnings?: number
  /** Commits at which rules were put: a stream that resumes meanwhile does not know what it was allowed to read. */
  readonly rulesPutAt?: readonly number[]
}

/**
 * Of each history of the tree, a stream tells every commit that changes its place once, in order, across all connections,
 * and what it tells leads to the state after that commit.
 * @param may when it may begin anew in one history
 */
export function checkStream(place: string, told: readonly Told[], replay: Replay, may: MayBegin = {}): string[] {
  const problems: string[] = []
  const versions = replay.versions(place)
  const cache = new StreamCache()
  let last = -1
  let history: string | undefined
  let left = may.beginnings ?? 0
  for (const event of told) {
    const { seq, kind, path } = event
    cache.apply(event)
    const isBeginning = kind === 'put' && path === '/'
    // After a promotion the tree is another one for clients, and they begin anew.
    const next = versions[replay.indexAt(place, last) + 1]?.seq
    const mayBegin = () => may.rulesPutAt?.some((at) => at >= last && at <= seq) || left-- > 0
    if (history !== event.tree) {
      if (!isBeginning) problems.push(`stream of ${place}: begins with ${kind} of ${path}`)
    } else if (seq !== next && !(isBeginning && seq >= last && mayBegin())) {
      problems.push(`stream of ${place}: told ${seq} (${kind} of ${path}) after ${last}, next is ${next}`)
    }
    history = event.tree
    last = seq
    const text = replay.textAt(place, seq)
    if (cache.plainText !== text) {
      problems.push(
        `stream of ${place}: holds ${cache.plainText.slice(0, 200)} at ${seq}, there is ${text.slice(0, 200)}`,
      )
    }
  }
  const end = versions.at(-1)?.text ?? 'null'
  if (cache.plainText !== end)
    problems.push(`stream of ${place}: ends with ${cache.plainText.slice(0, 200)}, there is ${end.slice(0, 200)}`)
  return problems
}
