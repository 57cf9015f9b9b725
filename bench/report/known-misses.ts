/** Goals that are known to be missed, and where `results/README.md` says why. */
import type { Row } from './row.ts'

interface KnownMiss {
  readonly chapter: string
  /** Of the rows. */
  readonly names: RegExp
  /** Words that the reason begins with. */
  readonly words: string
}

export const knownMisses: readonly KnownMiss[] = [
  { chapter: 'read', names: /^leaf over HTTP\/1\.1$|^https get\w+ hot \d/, words: 'GET hot over HTTPS' },
  { chapter: 'read', names: /^leaf over HTTP\/2 to HTTP\/1\.1$/, words: 'GET over HTTP/2' },
  { chapter: 'read', names: /^https get\w+ cold \d/, words: 'GET cold over HTTPS' },
  { chapter: 'read', names: /^embedded read cold .* large$/, words: 'GET 1 MB cold, embedded, in a quick run' },
  { chapter: 'read', names: /^embedded read cold growth/, words: 'Growth of a cold read' },
  { chapter: 'write', names: /^https put\w+ \d/, words: 'PUT by 64 clients' },
  { chapter: 'write', names: /^embedded write growth manyLeavesCpuUs$/, words: 'Growth of a cold read' },
  {
    chapter: 'query',
    names: /^embedded query (growth )?(from|fromAny|equal)$/,
    words: 'A page of 20 from a scattered place of a long list',
  },
  { chapter: 'query', names: /^https query(First|From) cold/, words: 'A query that is not cached' },
  { chapter: 'query', names: /^indexed write (place|new|leafMany)/, words: 'Writes under 4 indexes' },
  { chapter: 'fan-out', names: /^deliver 1( to the same write)?$/, words: 'Delivery of one message in flight' },
  { chapter: 'fan-out', names: / alone to bare /, words: 'A write that nobody listens to' },
  { chapter: 'rules', names: /^embedded rules write ruled/, words: 'Writes under rules, embedded' },
  { chapter: 'rules', names: /^rules compile (wide|deep|even)$/, words: 'The first rules file' },
  { chapter: 'sms', names: /^sms batch smsBatches .* to leaf$/, words: 'A batch of text messages' },
  { chapter: 'sms', names: /^growth status by rrid, batches all over/, words: 'Growth of that query' },
]

/** The same row; where its goal is known to be missed, with where that is explained. */
export function withReason(chapter: string, row: Row): Row {
  const known = knownMisses.find((miss) => miss.chapter === chapter && miss.names.test(row.name))
  if (row.goal === undefined || known === undefined) return row
  return { ...row, goal: { ...row.goal, explained: known.words } }
}
