/** What is used of an event of a trace. Times are in microseconds: of the clock, and of the processor in the thread (`t`). */
interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  readonly tts?: number
  readonly tdur?: number
}

/** What is measured: time that passes, or time of the processor, which other programs do not take. */
type Clock = 'wall' | 'processor'

/** Name of the mark that a page makes in each frame, with `performance.mark`. */
export const FRAME_MARK = 'measured frame'
/** Categories that traces of frames and of tasks must have. */
export const FRAME_CATEGORIES: readonly string[] = ['-*', 'devtools.timeline', 'blink.user_timing', 'v8']
export const TASK_CATEGORIES: readonly string[] = ['-*', 'toplevel', 'blink.user_timing']

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

/** Name of each task of a thread. */
const TASK = 'ThreadControllerImpl::RunTask'

interface Span {
  readonly name: string
  readonly from: number
  readonly end: number
}

/** Script of a page between one mark of a frame and the next, in ms. @param text a trace */
export function scriptOfFrames(text: string, clock: Clock): readonly number[] {
  const spans = spansOfPage(text, clock)
  const marks = spans.filter(({ name }) => name === FRAME_MARK).map(({ from }) => from)
  const frames = Array.from({ length: Math.max(0, marks.length - 1) }, () => 0)
  let frame = 0
  let counted = marks[0] ?? 0
  for (const { name, from, end } of spans) {
    if (!SCRIPT.has(name)) continue
    // What another event had begun before is counted already.
    let at = Math.max(from, counted)
    while (at < end && frame < frames.length) {
      const next = marks[frame + 1] ?? end
      if (at >= next) {
        frame++
        continue
      }
      const to = Math.min(end, next)
      frames[frame] = (frames[frame] ?? 0) + (to - at) / US_PER_MS
      at = to
    }
    counted = Math.max(counted, end)
  }
  return frames
}

/** Length of each task of a page, in ms. @param text a trace */
export function tasksOfPage(text: string, clock: Clock): readonly number[] {
  const tasks = spansOfPage(text, clock).filter(({ name }) => name === TASK)
  return tasks.map(({ from, end }) => (end - from) / US_PER_MS)
}

/** Events of the thread that makes marks, in their order. */
function spansOfPage(text: string, clock: Clock): readonly Span[] {
  const { traceEvents } = JSON.parse(text) as { readonly traceEvents: readonly TraceEvent[] }
  const mark = traceEvents.find(({ name }) => name === FRAME_MARK)
  const ofPage = traceEvents.filter(({ pid, tid }) => pid === mark?.pid && tid === mark.tid)
  return ofPage
    .map(({ name, ts, dur = 0, tts = 0, tdur = 0 }) =>
      clock === 'wall' ? { name, from: ts, end: ts + dur } : { name, from: tts, end: tts + tdur },
    )
    .toSorted((left, right) => left.from - right.from)
}
