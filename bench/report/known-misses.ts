/** Goals that are known to be missed, and where `results/README.md` says why. */
import type { Row } from './row.ts'

interface KnownMiss {
  readonly chapter: string
  /** Of the rows. */
  readonly names: RegExp
  /** Words that the reason begins with. */
  readonly words: string
  /** The reason in one line. */
  readonly why: string
}

export const knownMisses: readonly KnownMiss[] = [
  {
    chapter: 'read',
    names: /^leaf over HTTP\/1\.1$|^https get\w+ hot \d/,
    words: 'GET hot over HTTPS',
    why: 'an Elysia application that does nothing else stands at 0.9',
  },
  {
    chapter: 'read',
    names: /^leaf over HTTP\/2$/,
    words: 'GET over HTTP/2',
    why: 'a request costs Bun so little that finding its text counts twice as much as over HTTP/1.1',
  },
  {
    chapter: 'read',
    names: /^https get\w+ cold \d/,
    words: 'GET cold over HTTPS',
    why: 'one to four point reads of SQLite come to what a finished text costs',
  },
  {
    chapter: 'read',
    names: /^embedded read cold growth/,
    words: 'Growth of a cold read',
    why: 'the tables are larger than the caches of the processor',
  },
  {
    chapter: 'write',
    names: /^https put\w+ \d/,
    words: 'PUT by 64 clients',
    why: 'the limit stores nothing; half of the time is a durable commit',
  },
  {
    chapter: 'write',
    names: /^https turns \d+[kM]? get$/,
    words: 'Longest turn of a GET of 1 MB',
    why: 'the first one of a process, whose code is not compiled yet; later ones take half of it',
  },
  {
    chapter: 'write',
    names: /^embedded write growth manyLeavesCpuUs$/,
    words: 'Growth of a cold read',
    why: '64 scattered writes touch 64 pages of a large tree, and few of a small one',
  },
  {
    chapter: 'query',
    names: /^embedded query (growth )?(from|fromAny|equal)$/,
    words: 'A page of 20 from a scattered place of a long list',
    why: 'the 20 children lie on 20 different pages of the table',
  },
  {
    chapter: 'query',
    names: /^https query(First|From) cold/,
    words: 'A query that is not cached',
    why: '20 children are read from their own rows',
  },
  {
    chapter: 'query',
    names: /^first query /,
    words: 'During the first query of a list',
    why: 'every child is read and sorted before the first answer',
  },
  {
    chapter: 'query',
    names: /^indexed write (place|new|leafMany)/,
    words: 'Writes under 4 indexes',
    why: 'each index is one or two more scattered pages in every commit',
  },
  {
    chapter: 'fan-out',
    names: /^deliver 1( to the same write)?$/,
    words: 'Delivery of one message in flight',
    why: 'both make one system call for each stream; ours come after a write, with cold caches',
  },
  {
    chapter: 'fan-out',
    names: / alone to bare /,
    words: 'A write that nobody listens to',
    why: 'planning, conditions and server values come before the store',
  },
  {
    chapter: 'rules',
    names: /^embedded rules write ruled/,
    words: 'Writes under rules, embedded',
    why: 'the rules read two places that the write itself does not',
  },
  {
    chapter: 'rules',
    names: /^rules putDraft ruled /,
    words: 'Writes under rules, over HTTPS',
    why: 'the rules read three places, and a token is checked besides',
  },
  {
    chapter: 'rules',
    names: /^rules getNote among /,
    words: 'A rule among many',
    why: 'the rounds differ by more than what is missing',
  },
  {
    chapter: 'rules',
    names: /^applications idle mb$/,
    words: 'Memory beside 10,000 applications',
    why: 'the permissions of 30,000 files were checked just before',
  },
  {
    chapter: 'rules',
    names: /^rules compile (wide|deep|even)$/,
    words: 'The first rules file',
    why: 'all code that reads the file runs for the first time',
  },
  {
    chapter: 'mixed',
    names: /^mixed (knee|GET p99 12)$/,
    words: 'The knee of a mixed load',
    why: 'threads of the runtime take one of the two cores from server or load for up to 4 ms',
  },
  {
    chapter: 'socket',
    names: /^socket delivery dhole to socket delivery raw writing$/,
    words: 'One write to 100 sockets',
    why: 'with no code of ours for a delivery it is 1.05 to 1.13',
  },
  {
    chapter: 'socket',
    names: /^socket pace dhole (p99Ms|perSecond)$/,
    words: '1000 writes a second to 100 sockets',
    why: 'the bare server beside it is as late',
  },
  {
    chapter: 'socket',
    names: /^comeback dhole$/,
    words: 'Clients back after a restart',
    why: 'a bare server takes three quarters of that',
  },
  {
    chapter: 'postgres',
    names: /^put postgres$/,
    words: 'PUT by 64 clients on PostgreSQL',
    why: 'the database is a process beside the server, on the same two cores',
  },
  {
    chapter: 'postgres',
    names: /^ruled put postgres$/,
    words: 'PUT under rules on PostgreSQL',
    why: 'the places that rules read are asked of the database',
  },
  {
    chapter: 'rules',
    names: /^rules getCard ruled url to no token$/,
    words: 'Rows whose rounds differ by more than what is missing',
    why: 'the rounds differ by more than what is missing',
  },
  {
    chapter: 'sms',
    names: /^growth status by rrid, batches all over the file$/,
    words: 'Growth of the states of text messages',
    why: 'in the larger file the answer takes SQLite 5 us longer to find',
  },
  {
    chapter: 'startup',
    names: /^start dhole serve$/,
    words: 'The start of a server',
    why: 'two thirds of it is loading its modules',
  },
  {
    chapter: 'postgres',
    names: /^hot, recent postgres$/,
    words: 'Recent hot reads on PostgreSQL',
    why: 'a read takes 1 us more than on SQLite, a part of it for the header with its position',
  },
  {
    chapter: 'postgres',
    names: /^cold over hot$/,
    words: 'A cold GET on PostgreSQL',
    why: 'each is a statement to another process, and an answer that is awaited and decoded',
  },
  {
    chapter: 'cluster',
    names: /^writes by application$/,
    words: 'Two processes on two cores',
    why: 'the other process follows each commit, on cores that one process fills already',
  },
  {
    chapter: 'cluster',
    names: /^(reads two|writes two applications)$/,
    words: 'Two processes on two cores',
    why: 'both processes, PostgreSQL and the load share two cores, which one process fills already',
  },
]

/** The known reason why a row misses its goal. */
export function reasonOf(chapter: string, name: string): KnownMiss | undefined {
  return knownMisses.find((miss) => miss.chapter === chapter && miss.names.test(name))
}

/** The same row; where its goal is known to be missed, with where that is explained. */
export function withReason(chapter: string, row: Row): Row {
  const known = reasonOf(chapter, row.name)
  if (row.goal === undefined || known === undefined) return row
  return { ...row, goal: { ...row.goal, explained: known.words, why: known.why } }
}
