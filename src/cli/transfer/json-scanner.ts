import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../tree/json/shape/json-shape.ts'
import { MAX_DEPTH } from '../../tree/limits.ts'
import { endOfPlainKey, endOfString, mayBeKey } from './json-bytes.ts'
import type { BrokenText } from './json-slice.ts'
import type { TextWindow } from './text-window.ts'

/** Structural bytes outside strings; 0 for all others. */
const MEANING = new Uint8Array(256)
for (const byte of [QUOTE, COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT]) MEANING[byte] = byte

/** One level more than a tree has, so that a wrong `.value` or `.priority` is reported at its own place. */
const MAX_DEPTH_OF_TEXT = MAX_DEPTH + 2

/** An open container. Indexes refer to the window. */
export interface Container {
  isArray: boolean
  /** Index of its bracket. */
  bracket: number
  /** Index of its last direct comma; -1 for none in the window. */
  comma: number
  /** Direct commas so far. */
  count: number
  /** Index of its last odd direct key; -1 for none in the window. */
  oddKey: number
}

/** Finds the containers of a JSON text, their commas and their odd keys. */
export class JsonScanner {
  readonly containers: Container[] = []
  /** Index of the next byte; one behind the window inside an incomplete escape. */
  at = 0
  inString = false
  /** Commas since the slicer has reset them. */
  commas = 0
  /** Whether the root has ended. */
  isDone = false
  readonly #window: TextWindow
  readonly #broken: (message: string, at: number) => BrokenText

  /** @param broken makes the error for a fault at an index */
  constructor(window: TextWindow, broken: (message: string, at: number) => BrokenText) {
    this.#window = window
    this.#broken = broken
  }

  /**
   * Reads every byte once. One plain loop: it dominates the time of an import.
   * @param splits number of split containers
   * @param stopsAtComma stops at the next comma of the innermost split container
   * @returns where it stopped: at that comma, at the end of that container, or at the end of the window
   */
  advance(splits: number, stopsAtComma: boolean): 'comma' | 'end' | 'window' {
    const { bytes: window, length } = this.#window
    const { containers } = this
    let container = containers.at(-1)
    let at = this.#resume()
    while (at < length) {
      const meaning = MEANING[window[at] as number] as number
      if (meaning === 0) {
        at++
        continue
      }
      if (meaning === QUOTE) {
        const from = at
        // In an object, a string at the beginning or behind a comma is a key.
        if (container === undefined || container.isArray || !mayBeKey(window, at))
          at = endOfString(window, at + 1, length)
        else {
          at = endOfPlainKey(window, at + 1, length)
          if (at >= 0) continue
          container.oddKey = from
          at = endOfString(window, from + 1, length)
        }
        if (at >= 0) continue
        at = ~at
        this.inString = true
        break
      }
      if (meaning === COMMA) {
        if (container === undefined) throw this.#broken('only one value is expected', at)
        if (stopsAtComma && containers.length === splits) {
          this.at = at
          return 'comma'
        }
        container.comma = at
        container.count++
        this.commas++
      } else if (meaning === OPEN_OBJECT || meaning === OPEN_ARRAY) {
        container = this.#open(meaning === OPEN_ARRAY, at)
      } else {
        if (container === undefined || container.isArray !== (meaning === CLOSE_ARRAY)) {
          throw this.#broken('a bracket closes what is not open', at)
        }
        if (containers.length === splits) {
          this.at = at
          return 'end'
        }
        containers.pop()
        container = containers.at(-1)
      }
      at++
    }
    this.at = at
    return 'window'
  }

  /** Continues an incomplete string. @returns index behind it, or the end of the window */
  #resume(): number {
    if (!this.inString) return this.at
    const at = endOfString(this.#window.bytes, this.at, this.#window.length)
    this.inString = at < 0
    return at < 0 ? ~at : at
  }

  #open(isArray: boolean, bracket: number): Container {
    if (this.containers.length >= MAX_DEPTH_OF_TEXT) throw this.#broken('too deep', bracket)
    if (this.isDone) throw this.#broken('only one value is expected', bracket)
    const container = { isArray, bracket, comma: -1, count: 0, oddKey: -1 }
    this.containers.push(container)
    return container
  }

  /** Steps over the comma at which `advance` has stopped. */
  passComma(container: Container): void {
    container.count++
    this.commas++
    this.at++
  }

  /** Steps over the bracket at which `advance` has stopped. */
  passEnd(): void {
    this.containers.pop()
    this.at++
  }

  /** Adapts to bytes dropped from the start of the window. */
  drop(count: number): void {
    this.at -= count
    for (const container of this.containers) {
      container.bracket -= count
      container.comma -= count
      container.oddKey -= count
    }
  }
}
