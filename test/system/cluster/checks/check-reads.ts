import type { History, SentRead } from '../clients/history.ts'
import { AcknowledgedBefore, type Places, SentAfter } from './check-writes.ts'
import type { Replay } from './replay.ts'

/**
 * Every GET shows its place after some commit between the greatest that was acknowledged, or shown, before it was sent and
 * the last one when it ended.
 */
export function checkReads({ reads, writes }: History, places: Places, replay: Replay): string[] {
  const problems: string[] = []
  const acknowledged = new AcknowledgedBefore(writes, places)
  const sent = new SentAfter(writes, places)
  const shown = new Shown()
  for (const read of reads.toSorted((one, other) => one.sentAt - other.sentAt)) {
    const { place, text, sentAt, endedAt } = read
    const [first, last] = [Math.max(acknowledged.at(sentAt), shown.before(sentAt)), sent.at(endedAt)]
    const [from, to] = [replay.indexAt(place, first), replay.indexAt(place, last)]
    const versions = replay.versions(place)
    let found = from
    while (found <= to && versions[found]?.text !== text) found++
    if (found > to) {
      problems.push(`GET ${place}: ${staleness(read, replay, from, to)}: ${text.slice(0, 120)}`)
      continue
    }
    shown.add(endedAt, versions[found]?.seq ?? 0)
  }
  return problems
}

function staleness({ place, text }: SentRead, replay: Replay, from: number, to: number): string {
  const versions = replay.versions(place)
  const at = versions.findLastIndex((version) => version.text === text)
  const bounds = `from ${versions[from]?.seq} to ${versions[to]?.seq}`
  if (at === -1) return `of no commit, ${bounds}`
  return `${at < from ? 'too old' : 'too new'}: of ${versions[at]?.seq}, ${bounds}`
}

/** The greatest commit that was shown by reads which ended before a time. Asked for ascending times. */
class Shown {
  readonly #ended: { readonly endedAt: number; readonly seq: number }[] = []
  #greatest = 0

  add(endedAt: number, seq: number): void {
    this.#ended.push({ endedAt, seq })
  }

  before(time: number): number {
    for (let at = this.#ended.length - 1; at >= 0; at--) {
      const each = this.#ended[at]
      if (each === undefined || each.endedAt >= time) continue
      this.#greatest = Math.max(this.#greatest, each.seq)
      this.#ended.splice(at, 1)
    }
    return this.#greatest
  }
}
