/** What is used of an event of a trace. Times are in microseconds. */
interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
}

/** Name of the mark that a page makes in each frame, with `performance.mark`. */
export const FRAME_MARK = 'measured frame'
/** Categories that a trace must have. */
export const CATEGORIES: readonly string[] = ['-*', 'devtools.timeline', 'blink.user_timing', 'v8']

/** Events that are script, or what script needs. They lie within each other. */
const SCRIPT: ReadonlySet<string> = new Set([
  'EvaluateScript',
  'EventDispatch',
  'FireAnimationFrame',
  'FireIdleCallback',
  'FunctionCall',
  'MajorGC',
  'MinorGC',
  'RunMicrotasks',
  'TimerFire',
  'XHRLoad',
  'XHRReadyStateChange',
  'v8.callFunction',
])
const US_PER_MS = 1000

/** Script of a page between one mark of a frame and the next, in ms. @param text a trace */
export function scriptOfFrames(text: string): readonly number[] {
  const { traceEvents } = JSON.parse(text) as { readonly traceEvents: readonly TraceEvent[] }
  const marks = traceEvents.filter(({ name }) => name === FRAME_MARK).toSorted((left, right) => left.ts - right.ts)
  const [first] = marks
  if (first === undefined) return []
  const script = traceEvents
    .filter(({ pid, tid, ph, name }) => pid === first.pid && tid === first.tid && ph === 'X' && SCRIPT.has(name))
    .toSorted((left, right) => left.ts - right.ts)
  const frames = Array.from({ length: marks.length - 1 }, () => 0)
  let frame = 0
  let counted = first.ts
  for (const { ts, dur = 0 } of script) {
    // What another event had begun before is counted already.
    let from = Math.max(ts, counted)
    const end = ts + dur
    while (from < end && frame < frames.length) {
      const next = marks[frame + 1]?.ts ?? end
      if (from >= next) {
        frame++
        continue
      }
      const to = Math.min(end, next)
      frames[frame] = (frames[frame] ?? 0) + (to - from) / US_PER_MS
      from = to
    }
    counted = Math.max(counted, end)
  }
  return frames
}
