import { type Signal, useSignal } from '@preact/signals'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { CallError, wordsOf } from './call-error.ts'

/** What was asked for, as of the last answer. */
export interface Polled<Value> {
  /** `undefined` until the first answer. */
  readonly value: Signal<Value | undefined>
  /** Words of the last failure; `undefined` after an answer. */
  readonly error: Signal<string | undefined>
  /** Asks at once. */
  refresh(): void
}

/** After a failure it is asked less often. */
const AFTER_FAILURE_MS = 5000

/**
 * Asks when the component appears, when `keys` change, and every `everyMs` while the page is visible.
 * @param everyMs may depend on the last answer; `undefined`: only once, and after a failure again
 */
export function usePolled<Value>(
  ask: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
  everyMs?: number | ((last: Value | undefined) => number),
): Polled<Value> {
  const value = useSignal<Value | undefined>(undefined)
  const error = useSignal<string | undefined>(undefined)
  const again = useRef<() => void>(() => {})
  const asking = useRef(ask)
  asking.current = ask
  useEffect(() => {
    value.value = undefined
    error.value = undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let control = new AbortController()
    const later = (least = 0) => {
      const ms = typeof everyMs === 'function' ? everyMs(value.value) : everyMs
      if (ms !== undefined || least > 0) timer = setTimeout(run, Math.max(ms ?? 0, least))
    }
    const run = async () => {
      clearTimeout(timer)
      if (document.hidden) return
      control.abort()
      control = new AbortController()
      const { signal } = control
      try {
        const answer = await asking.current(signal)
        if (signal.aborted) return
        value.value = answer
        error.value = undefined
        later()
      } catch (thrown) {
        if (signal.aborted) return
        error.value = wordsOf(thrown)
        const mayPass = !(thrown instanceof CallError) || thrown.status === 0 || thrown.status >= 500
        later(mayPass ? AFTER_FAILURE_MS : 0)
      }
    }
    const onVisible = () => {
      if (!document.hidden) void run()
    }
    again.current = () => void run()
    document.addEventListener('visibilitychange', onVisible)
    void run()
    return () => {
      document.removeEventListener('visibilitychange', onVisible)
      clearTimeout(timer)
      control.abort()
    }
  }, keys)
  return { value, error, refresh: useCallback(() => again.current(), []) }
}
