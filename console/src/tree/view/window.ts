import { useSignal } from '@preact/signals'
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Height of every row, in pixels; `.row` of tree.css has it too. */
const ROW_HEIGHT = 28
/** Rows drawn above and below what is in view. */
const OVERSCAN = 8

/** The rows that are drawn, of however many there are. */
export interface Window {
  /** Set as `ref` of the element that scrolls. */
  readonly element: { current: HTMLDivElement | null }
  readonly items: readonly VirtualItem[]
  readonly height: number
  scrollTo(index: number): void
}

/** Draws only those rows of a long list that are in view. */
export function useWindow(count: number): Window {
  const element = useRef<HTMLDivElement>(null)
  const drawn = useSignal(0)
  const made = useRef<Virtualizer<HTMLDivElement, HTMLDivElement> | undefined>(undefined)
  const options = {
    count,
    getScrollElement: () => element.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => {
      drawn.value++
    },
  }
  made.current ??= new Virtualizer<HTMLDivElement, HTMLDivElement>(options)
  const virtualizer = made.current
  virtualizer.setOptions(options)
  useLayoutEffect(() => virtualizer._didMount(), [])
  useLayoutEffect(() => virtualizer._willUpdate())
  // Reading it makes a scroll draw this component anew.
  void drawn.value
  return {
    element,
    items: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    scrollTo: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  }
}
