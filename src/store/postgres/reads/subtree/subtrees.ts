import { DholeError } from '../../../../error.ts'
import type { Steps } from '../../../../scheduling/steps.ts'
import type { TextBuilder } from '../../../../tree/json/text-pieces.ts'
import { arrayLengthInSteps, keyOf } from '../../../../tree/order.ts'
import { type Budget, spend } from '../../../rows/read-budget.ts'
import { type Interior, longestText, Trait } from '../../../rows/slot.ts'
import { arrayOf } from '../../connection/arrays.ts'
import type { Reading } from '../reading.ts'
import { FAMILIES, FAMILY_PAGE, ID_MARK, KEY_MARK } from '../statements/tree-statements.ts'

/** Rows of a page: at first, at least and at most. */
const FIRST_ROWS = 512
const LEAST_ROWS = 64
const MOST_ROWS = 4096
/** Children of a node that is read together with others. */
const LARGEST_FAMILY = 512
/** Most text that the rows of a page might have, by the traits of their nodes, in UTF-16 code units. */
const MOST_LENGTH = 4 * 1024 * 1024
/** How much larger the next page may be. */
const GROWTH = 4
/** Text that a page should have: in UTF-16 code units where it is estimated, in bytes where the server ends the page. */
const PAGE_LENGTH = 512 * 1024
/** Least text of a member: an element of one character, and a comma or bracket. */
const LEAST_MEMBER = 2
/** Members looked at between two pauses. */
const STEP_MEMBERS = 1024

const MARKED_KEYS = new RegExp(`${KEY_MARK}[^${KEY_MARK}]*${KEY_MARK}:`, 'g')

/** An interior node, and the texts of its members with marks, page by page. */
interface Family {
  readonly interior: Interior
  readonly parts: string[]
}

interface Member {
  readonly key: string
  /** With marks. */
  readonly text: string
}

interface PageRow {
  readonly rows: number
  readonly found: number | null
  readonly last: string | null
  readonly text: string | null
}

/**
 * Reads whole subtrees, level by level and page by page, and prints them. It does not go along `closure`: there, subtrees
 * that were deleted stay below the nodes above them until they are swept.
 */
export class Subtrees {
  readonly #reading: Reading
  readonly #budget: Budget
  readonly #families = new Map<number, Family>()
  #small: Interior[] = []
  #large: Interior[] = []
  #rows = FIRST_ROWS
  /** Least length of the texts that were read, in UTF-16 code units. */
  #length = 0
  /** Members that are not read yet. */
  #pending = 0

  /** @param budget length that the text may have; it is taken when the text is printed */
  constructor(reading: Reading, budget: Budget) {
    this.#reading = reading
    this.#budget = budget
  }

  /** Reads everything below interior nodes. @throws `read-too-big` */
  async fetch(roots: readonly Interior[]): Promise<void> {
    for (const root of roots) this.#expect(root)
    for (;;) {
      if (this.#length + this.#pending * LEAST_MEMBER > this.#budget.left) throw new DholeError('read-too-big')
      const large = this.#large.pop()
      if (large !== undefined) await this.#fetchLarge(large)
      else if (this.#small.length > 0) await this.#fetchSmall(this.#nextSmall())
      else return
    }
  }

  /** Prints a node that was fetched. @throws `read-too-big` */
  *print(id: number, into: TextBuilder): Steps<void> {
    const family = this.#families.get(id)
    if (family === undefined) throw new DholeError('internal', undefined, { cause: `no members of the node ${id}` })
    // It is not needed again.
    this.#families.delete(id)
    if ((family.interior.traits & Trait.carefulKeys) !== 0) return yield* this.#printCareful(family, into)
    let before = '{'
    for (const part of family.parts) {
      this.#add(before, into)
      before = ','
      yield* this.#fillIn(part, into)
      yield
    }
    this.#add(before === '{' ? '{}' : '}', into)
  }

  #expect(interior: Interior): void {
    const { id, childCount, traits } = interior
    if ((traits & Trait.priorities) !== 0) this.#budget.hasPriorities = true
    this.#families.set(id, { interior, parts: [] })
    this.#pending += childCount
    const isLarge = childCount > LARGEST_FAMILY || (traits & Trait.longTexts) !== 0
    ;(isLarge ? this.#large : this.#small).push(interior)
  }

  /** Nodes whose members together make a page. */
  #nextSmall(): Interior[] {
    const chosen: Interior[] = []
    for (let rows = 0, greatest = 0; rows < this.#rows && greatest < MOST_LENGTH; ) {
      const next = this.#small.pop()
      if (next === undefined) break
      chosen.push(next)
      // A priority is one more row.
      const count = next.childCount + 1
      rows += count
      greatest += count * longestText(next.traits)
    }
    return chosen
  }

  async #fetchSmall(interiors: readonly Interior[]): Promise<void> {
    const rows = await this.#reading.page<{ n: number; rows: number; text: string | null }>(FAMILIES, [
      this.#reading.tree,
      arrayOf(interiors.map(({ id }) => id)),
      arrayOf(interiors.map(({ traits }) => (traits & Trait.carefulKeys) !== 0)),
    ])
    let count = 0
    let length = 0
    for (const row of rows) {
      const interior = interiors[row.n - 1]
      if (interior === undefined || row.text === null) continue
      count += row.rows
      length += row.text.length
      this.#keep(interior, row.text)
    }
    const fitting = Math.floor((PAGE_LENGTH * count) / Math.max(length, 1))
    this.#rows = Math.max(LEAST_ROWS, Math.min(fitting, this.#rows * GROWTH, MOST_ROWS))
  }

  async #fetchLarge(interior: Interior): Promise<void> {
    const { id, traits } = interior
    for (let after: string | null = ''; after !== null; ) {
      const [page] = (await this.#reading.page<PageRow>(FAMILY_PAGE, [
        this.#reading.tree,
        id,
        (traits & Trait.carefulKeys) !== 0,
        after,
        MOST_ROWS,
        PAGE_LENGTH,
      ])) as readonly PageRow[]
      if (page === undefined || page.text === null) return
      this.#keep(interior, page.text)
      if (this.#length > this.#budget.left) throw new DholeError('read-too-big')
      after = page.rows === page.found && page.found < MOST_ROWS ? null : page.last
    }
  }

  #keep({ id, childCount, traits }: Interior, text: string): void {
    const parts = this.#families.get(id)?.parts
    if (parts?.length === 0) this.#pending -= childCount
    parts?.push(text)
    this.#length += text.length
    if ((traits & Trait.carefulKeys) !== 0) {
      // An array has no keys.
      for (const [marked] of text.matchAll(MARKED_KEYS)) this.#length -= marked.length
    }
    if (!text.includes(ID_MARK)) return
    for (const [index, part] of text.split(ID_MARK).entries()) {
      if (index % 2 === 0) continue
      this.#length -= part.length + 2
      const [child = 0, childCount = 0, childTraits = 0] = part.split(' ').map(Number)
      this.#expect({ id: child, childCount, traits: childTraits })
    }
  }

  /** Prints a node with keys that are not printed as they are stored, which may form an array. */
  *#printCareful(family: Family, into: TextBuilder): Steps<void> {
    const members: Member[] = []
    for (const part of family.parts) {
      yield* membersOf(part, members)
      yield
    }
    const length = yield* arrayLengthInSteps(members.map(({ key }) => key))
    if (length !== undefined) return yield* this.#printArray(members, into)
    let before = '{'
    for (const [index, { key, text }] of members.entries()) {
      this.#add(`${before}${JSON.stringify(key)}:`, into)
      before = ','
      yield* this.#fillIn(text, into)
      if (index % STEP_MEMBERS === STEP_MEMBERS - 1) yield
    }
    this.#add(before === '{' ? '{}' : '}', into)
  }

  /** @param members in the order of their indexes */
  *#printArray(members: readonly Member[], into: TextBuilder): Steps<void> {
    this.#add('[', into)
    let next = 0
    for (const { key, text } of members) {
      for (const index = Number(key); next < index; next++) this.#add(next === 0 ? 'null' : ',null', into)
      if (next > 0) this.#add(',', into)
      next++
      yield* this.#fillIn(text, into)
      if (next % STEP_MEMBERS === 0) yield
    }
    this.#add(']', into)
  }

  /** Replaces each mark by the text of its interior child. */
  *#fillIn(text: string, into: TextBuilder): Steps<void> {
    if (!text.includes(ID_MARK)) {
      this.#add(text, into)
      return
    }
    for (const [index, part] of text.split(ID_MARK).entries()) {
      if (index % 2 === 0) this.#add(part, into)
      else yield* this.print(Number.parseInt(part, 10), into)
    }
  }

  #add(text: string, into: TextBuilder): void {
    into.add(spend(this.#budget, text))
  }
}

/** Appends the members in a text with marked keys. */
function* membersOf(part: string, members: Member[]): Steps<void> {
  const texts = part.split(KEY_MARK)
  for (let at = 1; at < texts.length; at += 2) {
    const isLast = at + 2 >= texts.length
    // Between two members is a comma.
    members.push({ key: keyOf(texts[at] as string), text: (texts[at + 1] as string).slice(1, isLast ? undefined : -1) })
    if (members.length % STEP_MEMBERS === 0) yield
  }
}
