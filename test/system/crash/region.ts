import { Model } from '../../model/store/model.ts'

/** Keys of a place below a region, its own place with none. */
export type Keys = readonly string[]

/** What a request changes in a region: all of it or nothing. */
export type RegionChange =
  | { readonly kind: 'write'; readonly writes: readonly (readonly [Keys, unknown])[] }
  /** A child under a name that comes with the answer. */
  | { readonly kind: 'append'; readonly keys: Keys; readonly value: string }

/**
 * A part of a tree that one client writes to, one request after the other: what stands there follows from the requests
 * that were acknowledged, and from the one that was under way.
 */
export class Region {
  readonly #keepsAll: boolean
  #model = new Model()
  #underWay: RegionChange | undefined
  #acknowledged = 0
  #states = ['null']

  /** @param keepsAll whether what stood there after each acknowledged request is remembered */
  constructor(keepsAll = false) {
    this.#keepsAll = keepsAll
  }

  /** Requests that were acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  /** As GET answers it after so many acknowledged requests, if that is remembered; `undefined` after those to come. */
  stateAfter(acknowledged: number): string | undefined {
    return this.#states[this.#keepsAll ? acknowledged : acknowledged - this.#acknowledged]
  }

  /** As GET answers it when all that was acknowledged is there, and nothing else. */
  get text(): string {
    return this.stateAfter(this.#acknowledged) ?? 'null'
  }

  /** A request is on its way. */
  begin(change: RegionChange): void {
    this.#underWay = change
  }

  /** It was acknowledged. @param name of the new child */
  acknowledge(name?: string): void {
    const change = this.#underWay
    if (change === undefined) throw new Error('nothing is under way')
    this.#underWay = undefined
    apply(this.#model, change, name)
    this.#count()
  }

  /** It was refused: nothing of it may ever be there. */
  refuse(): void {
    this.#underWay = undefined
  }

  /**
   * Compares with what is there after a crash, and goes on from there.
   * @param text as GET answers it
   * @returns what is wrong, `undefined` if nothing is
   */
  settle(text: string): string | undefined {
    const change = this.#underWay
    this.#underWay = undefined
    if (text === this.text) return undefined
    const whole = change && this.#after(change, text)
    if (whole !== undefined && printed(whole) === text) {
      this.#model = whole
      this.#count()
      return undefined
    }
    const problem = difference(text, this.text, whole === undefined ? undefined : printed(whole))
    // Otherwise each round to come would tell the same again.
    this.#model = modelOf(text)
    this.#count()
    return problem
  }

  #count(): void {
    this.#acknowledged++
    const state = printed(this.#model)
    if (this.#keepsAll) this.#states.push(state)
    else this.#states = [state]
  }

  /** What would be there with the request that was under way. */
  #after(change: RegionChange, text: string): Model | undefined {
    const next = modelOf(this.text)
    if (change.kind === 'write') apply(next, change)
    else {
      const known = new Set(this.#model.keys(change.keys))
      const [name, ...others] = modelOf(text)
        .keys(change.keys)
        .filter((key) => !known.has(key))
      if (name === undefined || others.length > 0) return undefined
      apply(next, change, name)
    }
    return next
  }
}

function apply(model: Model, change: RegionChange, name = ''): void {
  if (change.kind === 'write') model.patch(change.writes, 0)
  else model.put([...change.keys, name], change.value, 0)
}

function modelOf(text: string): Model {
  const model = new Model()
  model.put([], JSON.parse(text), 0)
  return model
}

function printed(model: Model): string {
  return model.plain([]) ?? 'null'
}

/** Where texts part, and how they go on there. */
function difference(found: string, acknowledged: string, underWay: string | undefined): string {
  let at = 0
  while (at < found.length && found[at] === acknowledged[at]) at++
  const from = Math.max(0, at - 80)
  const excerpt = (text: string | undefined) => text?.slice(from, from + 240) ?? 'nothing'
  return `at ${at}: found ${excerpt(found)}; acknowledged ${excerpt(acknowledged)}; with what was under way ${excerpt(underWay)}`
}
