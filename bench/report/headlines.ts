/** The results that the page about performance shows: in its table, and in the chart of ratios. */
import type { Result } from './result-schema.ts'

export interface Headline {
  /** As the documents name it. */
  readonly title: string
  readonly chapter: string
  readonly name: string
  /**
   * Which way round its ratio is, for the chart: how fast it is beside its limit, or how much longer it takes. Left out
   * where there is none, or one to work of another kind.
   */
  readonly charted?: 'speed' | 'time'
  readonly isInReadme?: true
}

/** In the order of the table. Trees have a million leaves, lists 100,000 children. */
export const headlines: readonly Headline[] = [
  {
    title: 'GET of a leaf, read before',
    chapter: 'read',
    name: 'https getLeaf hot 1M',
    charted: 'speed',
    isInReadme: true,
  },
  { title: 'GET of a leaf, not read before', chapter: 'read', name: 'https getLeaf cold 1M', charted: 'speed' },
  { title: 'GET of 1 KB, read before', chapter: 'read', name: 'https getObject hot 1M', charted: 'speed' },
  {
    title: 'GET of a leaf over HTTP/2, 32 at once, beside HTTP/1.1',
    chapter: 'read',
    name: 'leaf over HTTP/2 to HTTP/1.1',
  },
  {
    title: 'PUT of a leaf, 64 clients',
    chapter: 'write',
    name: 'https putLeaf 1M',
    charted: 'speed',
    isInReadme: true,
  },
  { title: 'PUT of 1 KB, 64 clients', chapter: 'write', name: 'https putObject 1M', charted: 'speed' },
  {
    title: 'PUT of a leaf, one client, embedded',
    chapter: 'write',
    name: 'embedded write 1M leafPerSecond',
    charted: 'speed',
  },
  { title: 'DELETE of 100,000 leaves, until acknowledged', chapter: 'write', name: 'https delete 1M' },
  {
    title: '20 children in order, asked before',
    chapter: 'query',
    name: 'https queryFirst hot 100k',
    charted: 'speed',
    isInReadme: true,
  },
  {
    title: '20 children in order, not asked before',
    chapter: 'query',
    name: 'https queryFirst cold 100k',
    charted: 'speed',
  },
  { title: '20 children in order, embedded', chapter: 'query', name: 'embedded query first' },
  { title: 'first query of a list, embedded, until answered', chapter: 'query', name: 'first query answerMs' },
  {
    title: 'delivery to one of 1000 streams',
    chapter: 'fan-out',
    name: 'deliver 1',
    charted: 'time',
    isInReadme: true,
  },
  {
    title: 'the same, in a process that has made the same write',
    chapter: 'fan-out',
    name: 'deliver 1 to the same write',
    charted: 'time',
  },
  { title: 'arrival at 1000 streams, p99', chapter: 'fan-out', name: 'deliver 1 p99', charted: 'time' },
  { title: 'delivery, 32 messages at once', chapter: 'fan-out', name: 'deliver 32' },
  { title: 'memory of an idle stream, above the limit', chapter: 'fan-out', name: 'streams memory dhole' },
  {
    title: 'GET of a leaf that a rule decides',
    chapter: 'rules',
    name: 'rules getNote ruled url to same token',
    charted: 'speed',
  },
  {
    title: 'PUT of 1 KB by rules that read three places',
    chapter: 'rules',
    name: 'rules putDraft ruled url to same token',
    charted: 'speed',
  },
  {
    title: 'states of 100 text messages, one batch again and again',
    chapter: 'sms',
    name: 'sms batch smsPoll 10k to leaf',
    charted: 'speed',
  },
  {
    title: 'states of 100 text messages, batches all over the file',
    chapter: 'sms',
    name: 'sms batch smsBatches 100k to leaf',
    charted: 'speed',
  },
  { title: 'reports taken in, 100 a call, 64 clients', chapter: 'sms', name: 'sms report batches 100 x 64' },
  {
    title: 'requests of all kinds mixed, at the knee',
    chapter: 'mixed',
    name: 'mixed knee requests',
    charted: 'speed',
  },
  {
    title: 'memory after all reads of a million leaves',
    chapter: 'memory',
    name: 'memory dhole readMb',
    isInReadme: true,
  },
  {
    title: 'start on a file of a gigabyte, until the first answer, beside its limit',
    chapter: 'startup',
    name: 'start dhole serve',
  },
  { title: 'GET of a place, times less than acebase-server', chapter: 'peers', name: 'get against acebase-server' },
  { title: 'PUT of a place, times less than acebase-server', chapter: 'peers', name: 'put against acebase-server' },
  {
    title: '20 places by name, times less than acebase-server',
    chapter: 'peers',
    name: 'first against acebase-server',
  },
  { title: 'growth of GET of a leaf, 10k to 1M leaves', chapter: 'read', name: 'https getLeaf hot growth' },
  { title: 'growth of PUT of a leaf, 10k to 1M leaves', chapter: 'write', name: 'https putLeaf growth' },
]

/** The result of each headline, in their order. @throws when one is not there */
export function headlineResults(results: readonly Result[]): (readonly [Headline, Result])[] {
  return headlines.map((headline) => {
    const { chapter, name } = headline
    const result = results.find((candidate) => candidate.chapter === chapter && candidate.name === name)
    if (result === undefined)
      throw new Error(`the results of ${chapter} have no "${name}", which the page about performance shows`)
    return [headline, result]
  })
}
