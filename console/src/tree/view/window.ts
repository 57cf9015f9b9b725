import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { ScrollRange } from './scroll-range.ts'

/** Height of every row, in pixels; `.row` of tree.css has it too. */
const ROW_HEIGHT = 28
/** Rows drawn above and below what is in view. */
const OVERSCAN = 8
/** Height of the view until it is known, in pixels. */
const FIRST_HEIGHT = 800
/** A scroll of more views at once is a jump: the bar was dragged. A wheel, a finger or a key moves less. */
const JUMP_VIEWS = 4
/** Time without a scroll until the bar is put where the list stands, in ms. */
const SETTLE_MS = 150

/** The rows that are drawn, of however many there are. */
export interface Window {
  /** Set as `ref` of the element that scrolls. */
  readonly element: { current: HTMLDivElement | null }
  /** Rows `first` to `end`, without the last, are drawn. */
  readonly first: number
  readonly end: number
  /** Height of the box in the element, in pixels. */
  readonly height: number
  /** Distance of a row from the top of the box, in pixels. */
  topOf(index: number): number
  scrollTo(index: number): void
}

/** Where the list stands. */
interface Standing {
  view: number
  /** Of the box, as the element was last seen. */
  ofBox: number
  ofList: number
  range: ScrollRange
}

/**
 * Draws only those rows of a long list that are in view. A list that is longer than a box can be is moved within it: a wheel
 * moves it by as many pixels as the box, and the scroll bar leads to any row. All rows are equally high: libraries for lists
 * of unequal rows keep a measurement of each, which a million of them would pay for.
 */
export function useWindow(count: number): Window {
  const element = useRef<HTMLDivElement>(null)
  const drawn = useSignal(0)
  const standing = useRef<Standing | undefined>(undefined)
  standing.current ??= { view: FIRST_HEIGHT, ofBox: 0, ofList: 0, range: new ScrollRange(0, FIRST_HEIGHT) }
  const at = standing.current
  at.range = new ScrollRange(count * ROW_HEIGHT, at.view)
  useLayoutEffect(() => {
    const scrolled = element.current
    return scrolled === null ? undefined : follow(scrolled, at, () => drawn.value++)
  }, [])
  // Reading it makes a scroll draw this component anew.
  void drawn.value
  const { boxLength, isExact } = at.range
  const ofList = isExact ? at.ofBox : at.range.inside(at.ofList)
  const shift = Math.round(at.ofBox - ofList)
  return {
    element,
    first: Math.max(0, Math.floor(ofList / ROW_HEIGHT) - OVERSCAN),
    end: Math.min(count, Math.ceil((ofList + at.view) / ROW_HEIGHT) + OVERSCAN),
    height: boxLength,
    topOf: (index) => index * ROW_HEIGHT + shift,
    scrollTo: (index) => {
      const top = index * ROW_HEIGHT
      const before = at.range.isExact ? at.ofBox : at.ofList
      const after = Math.max(top + ROW_HEIGHT - at.view, Math.min(top, before))
      if (after === before || element.current === null) return
      at.ofList = at.range.inside(after)
      place(element.current, at)
      drawn.value++
    },
  }
}

/** Keeps up with an element that is scrolled or changes its size. @returns ends it */
function follow(element: HTMLDivElement, at: Standing, draw: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const settle = () => {
    if (at.range.isExact || Math.abs(at.range.ofList(at.ofList) - at.ofBox) < 1) return
    place(element, at)
    draw()
  }
  const onScroll = () => {
    const { scrollTop } = element
    const moved = scrollTop - at.ofBox
    if (moved === 0) return
    at.ofBox = scrollTop
    const isJump = at.range.isExact || Math.abs(moved) > JUMP_VIEWS * at.view
    at.ofList = isJump ? at.range.ofBox(scrollTop) : at.range.inside(at.ofList + moved)
    clearTimeout(timer)
    timer = setTimeout(settle, SETTLE_MS)
    draw()
  }
  const sizes = new ResizeObserver(() => {
    at.view = element.clientHeight
    draw()
  })
  element.addEventListener('scroll', onScroll, { passive: true })
  sizes.observe(element)
  return () => {
    clearTimeout(timer)
    sizes.disconnect()
    element.removeEventListener('scroll', onScroll)
  }
}

/** Scrolls the box to where the list stands. */
function place(element: HTMLDivElement, at: Standing): void {
  element.scrollTop = at.range.ofList(at.ofList)
  at.ofBox = element.scrollTop
}
