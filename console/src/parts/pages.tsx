import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Polled, usePolled } from '../shell/polled.ts'
import { ActionButton } from './action-button.tsx'

/** One page of a long list. */
export interface ListPage<Row> {
  readonly rows: readonly Row[]
  /** Position of the next page; absent at the end. */
  readonly next?: string | undefined
}

/** A list that grows by pages. */
export interface Pages<Row> extends Polled<readonly Row[]> {
  readonly next: Signal<string | undefined>
  /** Asks for the next page. @throws CallError */
  more(): Promise<void>
}

type Ask<Row> = (after: { readonly after?: string }, signal?: AbortSignal) => Promise<ListPage<Row>>

/** Asks for the first page when the component appears and when `keys` change; for further ones on demand. */
export function usePages<Row>(ask: Ask<Row>, keys: readonly unknown[]): Pages<Row> {
  const first = usePolled((signal) => ask({}, signal), keys)
  const value = useSignal<readonly Row[] | undefined>(undefined)
  const next = useSignal<string | undefined>(undefined)
  const page = first.value.value
  useEffect(() => {
    value.value = page?.rows
    next.value = page?.next
  }, [page])
  const more = async () => {
    const before = first.value.value
    const { rows, next: following } = await ask(next.value === undefined ? {} : { after: next.value })
    // Another list has begun meanwhile.
    if (first.value.value !== before) return
    value.value = [...(value.value ?? []), ...rows]
    next.value = following
  }
  return { value, error: first.error, refresh: first.refresh, next, more }
}

/** Shows the next page, where there is one. */
export function MoreButton<Row>({ pages }: { readonly pages: Pages<Row> }) {
  return pages.next.value === undefined ? null : <ActionButton run={pages.more}>Show more</ActionButton>
}
