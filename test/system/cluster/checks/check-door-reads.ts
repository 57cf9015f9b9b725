import type { History } from '../clients/history.ts'
import { DOOR, opensDoor } from '../clients/places.ts'
import type { TreeLog } from './log-of-tree.ts'

/** Rules in the order in which they came into force. */
interface Put {
  readonly version: number
  /** Nobody can have been judged by them before. */
  readonly sentAt: number
  /** Nobody may be judged by the ones before, if he asks later. */
  readonly acknowledgedAt: number
}

/** A read is judged by rules that were in force while it was under way: not by those before acknowledged ones. */
export function checkDoorReads({ doorReads, rules }: History, log: TreeLog): string[] {
  const problems: string[] = []
  const puts = putsOf(rules, log)
  for (const { isAllowed, sentAt, endedAt } of doorReads) {
    const first = puts.findLastIndex(({ acknowledgedAt }) => acknowledgedAt < sentAt)
    const possible = puts.slice(Math.max(0, first)).filter((put) => put.sentAt < endedAt)
    if (possible.some(({ version }) => opensDoor(version) === isAllowed)) continue
    const versions = possible.map(({ version }) => version).join(' or ')
    const [from, to] = [sentAt, endedAt].map(Math.round)
    problems.push(`GET ${DOOR} from ${from} to ${to}: ${isAllowed ? 'allowed' : 'refused'} under rules ${versions}`)
  }
  return problems
}

function putsOf(sent: History['rules'], { rules }: TreeLog): readonly Put[] {
  const known = new Map(sent.map((each) => [each.version, each]))
  const inOrder = [...rules].flatMap(([version, batches]) => batches.map((batch) => ({ version, batch })))
  return inOrder
    .toSorted((one, other) => one.batch - other.batch)
    .map(({ version }) => {
      const { sentAt = Number.NEGATIVE_INFINITY, outcome, endedAt = 0 } = known.get(version) ?? {}
      return { version, sentAt, acknowledgedAt: outcome === 'acknowledged' ? endedAt : Number.POSITIVE_INFINITY }
    })
}
