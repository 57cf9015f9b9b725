import type { ComponentChildren } from 'preact'
import type { Polled } from '../shell/polled.ts'

interface FetchedProps<Value> {
  readonly of: Polled<Value>
  readonly children: (value: Value) => ComponentChildren
}

/** What was asked for, once it is there. A later failure is said above the last answer. */
export function Fetched<Value>({ of: { value, error, refresh }, children }: FetchedProps<Value>) {
  return (
    <>
      {error.value !== undefined && (
        <p class="failure" role="alert">
          {error.value}{' '}
          <button type="button" onClick={refresh}>
            Try again
          </button>
        </p>
      )}
      {value.value !== undefined && children(value.value)}
      {value.value === undefined && error.value === undefined && <p role="status">Loading…</p>}
    </>
  )
}
