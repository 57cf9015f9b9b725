import type { Sample } from './sample.ts'

/** The process at rest: no load, no client but those who listen from the beginning to the end. */
export interface Rest {
  /** What each leads to. */
  readonly descriptors: readonly string[]
  readonly threads: number
}

/** What a soak has seen of a process. */
export interface Observed {
  /** In the order of time. */
  readonly samples: readonly Sample[]
  /** Behind the warm-up, and at the end. */
  readonly rests: readonly [before: Rest, after: Rest]
}

/** Bounds of a judgement. */
export interface Bounds {
  /** Seconds from the beginning that are not judged. */
  readonly warmSeconds: number
  /** How far the median memory of the last half may be from that of the first, as a share. */
  readonly memoryShare: number
  /** Most bytes of write-ahead logs at any moment. */
  readonly walBytes: number
}

/** A figure of both halves of what is judged. */
export interface Halves {
  readonly first: number
  readonly last: number
  /** Last by first, less one. */
  readonly change: number
}

export interface Judgement {
  readonly rss: Halves
  readonly anonymous: Halves
  readonly heap: Halves | undefined
  /** Greatest sizes, not medians. */
  readonly files: Halves
  readonly wal: Halves
  readonly problems: readonly string[]
}

/** Files go up and down by what is written between two checkpoints. */
const FILE_SHARE = 0.1
const FEWEST_SAMPLES = 4
/** Those of the pools of the runtime come and go by themselves. */
const THREADS_MORE = 4

/** Whether memory, files and descriptors stay what they are. @throws Error when there is too little to judge */
export function judge({ samples, rests }: Observed, bounds: Bounds): Judgement {
  const judged = samples.filter(({ at, isLoaded }) => isLoaded && at >= bounds.warmSeconds)
  if (judged.length < FEWEST_SAMPLES) throw new Error(`${judged.length} samples behind the warm-up are too few`)
  const halves = (measure: (values: readonly number[]) => number, of: (sample: Sample) => number): Halves => {
    const middle = Math.floor(judged.length / 2)
    const first = measure(judged.slice(0, middle).map(of))
    const last = measure(judged.slice(judged.length - middle).map(of))
    return { first, last, change: last / first - 1 }
  }
  const largest = (values: readonly number[]) => Math.max(...values)
  const hasHeap = judged.every(({ heapBytes }) => heapBytes !== undefined)
  const judgement = {
    rss: halves(median, ({ rssBytes }) => rssBytes),
    anonymous: halves(median, ({ anonymousBytes }) => anonymousBytes),
    heap: hasHeap ? halves(median, ({ heapBytes }) => heapBytes ?? 0) : undefined,
    files: halves(largest, ({ fileBytes, walBytes }) => fileBytes - walBytes),
    wal: halves(largest, ({ walBytes }) => walBytes),
  }
  const threads = Math.max(...samples.filter(({ at }) => at < bounds.warmSeconds).map((sample) => sample.threads))
  return { ...judgement, problems: problemsOf(judgement, rests, { ...bounds, threads }) }
}

function problemsOf(
  { rss, files, wal }: Omit<Judgement, 'problems'>,
  [before, after]: Observed['rests'],
  bounds: Bounds & { readonly threads: number },
): string[] {
  const problems: string[] = []
  if (!(Math.abs(rss.change) <= bounds.memoryShare)) problems.push(`memory is not flat: ${percent(rss.change)}`)
  if (!(files.change <= FILE_SHARE)) problems.push(`the files grow: ${percent(files.change)}`)
  const longest = Math.max(wal.first, wal.last)
  if (!(longest <= bounds.walBytes)) problems.push(`the logs are ${longest} bytes long, at most ${bounds.walBytes}`)
  const more = beyond(after.descriptors, before.descriptors)
  const less = beyond(before.descriptors, after.descriptors)
  const isOfTree = (name: string) => TREE.test(name)
  const readers = more.filter(isOfTree).length - less.filter(isOfTree).length
  // Fewer than at the first rest are no leak.
  if (readers > MOST_READERS || more.some((name) => !isOfTree(name))) {
    const counts = `${before.descriptors.length} descriptors at rest became ${after.descriptors.length}`
    problems.push([counts, ...more.map((name) => `+${name}`), ...less.map((name) => `-${name}`)].join(' '))
  }
  if (after.threads > bounds.threads + THREADS_MORE)
    problems.push(`${bounds.threads} threads at most became ${after.threads} at rest`)
  return problems
}

/**
 * A tree and its log. SQLite keeps the descriptor of a connection that is closed for the next one to the same file, as
 * long as any other is open, so there are as many as ever were at a time, and that is when long reads meet.
 */
const TREE = /\.sqlite(-wal)?$/
const MOST_READERS = 4

/** Those of some names that are not among others, each as often as it is there more often. */
function beyond(names: readonly string[], others: readonly string[]): readonly string[] {
  const rest = [...others]
  return names.filter((name) => {
    const at = rest.indexOf(name)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
}

export function percent(share: number): string {
  return `${share < 0 ? '' : '+'}${(100 * share).toFixed(1)} %`
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
