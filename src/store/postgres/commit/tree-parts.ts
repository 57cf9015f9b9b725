import type { Steps } from '../../../scheduling/steps.ts'
import type { ChildRow, Interior, Slot } from '../../rows/slot.ts'
import { NOWHERE, ROOT_PARENT } from '../../rows/slot.ts'
import type { CommitPart, PartContext } from '../batch.ts'
import { arrayOf } from '../connection/arrays.ts'
import type { WorkingSet } from './jobs/working-set.ts'

/** Rows, and text in UTF-16 code units, that one part writes. */
const PART_ROWS = 4096
const PART_LENGTH = 512 * 1024
/** A longer text is a parameter of its own: escaping it inside an array would take long. In UTF-16 code units. */
const LONG_TEXT = 128 * 1024
/** Rows put into arrays between two pauses. */
const STEP_ROWS = 1024

interface SlotRow extends ChildRow {
  readonly parent: number
  readonly kind: number
}

interface Pair {
  readonly ancestor: number
  readonly descendant: number
  readonly depth: number
}

/** A made node, and the nearest node above it that existed before. */
interface Graft {
  readonly id: number
  readonly above: number
  readonly depth: number
}

/** The parts of a commit that write the tree. Each row is in one part. */
export function* treeParts(working: WorkingSet): Steps<readonly CommitPart[]> {
  const parts: CommitPart[] = []
  yield* addSlots(working, parts)
  yield* addInteriors(working, parts)
  const removed = [...working.removed.keys()]
  if (removed.length > 0) parts.push(...removal(removed))
  const detached = [...working.detached.keys()]
  if (detached.length > 0)
    parts.push(
      ...detaching(
        detached,
        detached.filter((id) => !working.made.has(id)),
      ),
    )
  return parts
}

function* addSlots(working: WorkingSet, parts: CommitPart[]): Steps<void> {
  let put: SlotRow[] = []
  let gone: { readonly parent: number; readonly key: string }[] = []
  let length = 0
  const flush = () => {
    if (put.length > 0) parts.push(slotsIn(put, parts.length))
    put = []
    length = 0
  }
  let seen = 0
  for (const [parent, changed] of working.slots) {
    const isMade = working.made.has(parent)
    for (const [key, slot] of changed) {
      if (++seen % STEP_ROWS === 0) yield
      if (slot === undefined) {
        if (!isMade) gone.push({ parent, key })
        if (gone.length < PART_ROWS) continue
        parts.push(slotsOut(gone, parts.length))
        gone = []
      } else if (slot.value !== null && slot.value.length > LONG_TEXT)
        parts.push(longSlot(parent, key, slot, parts.length))
      else {
        put.push({ parent, key, ...slot })
        length += slot.value?.length ?? 0
        if (put.length >= PART_ROWS || length >= PART_LENGTH) flush()
      }
    }
  }
  flush()
  if (gone.length > 0) parts.push(slotsOut(gone, parts.length))
}

function* addInteriors(working: WorkingSet, parts: CommitPart[]): Steps<void> {
  const changed: Interior[] = []
  let made: Interior[] = []
  let pairs: Pair[] = []
  let grafts: Graft[] = []
  const flush = () => {
    if (made.length > 0) parts.push(interiorsIn(made, working, parts.length), closureIn(pairs, grafts, parts.length))
    made = []
    pairs = []
    grafts = []
  }
  let seen = 0
  for (const [id, interior] of working.interiors) {
    if (++seen % STEP_ROWS === 0) yield
    if (!working.made.has(id)) {
      // The row of a detached node is written by its own part.
      if (!working.detached.has(id)) changed.push(interior)
      continue
    }
    made.push(interior)
    let depth = 0
    for (let at: number = id; ; depth++) {
      const place = working.made.get(at)
      if (place === undefined) {
        if (at !== ROOT_PARENT && at !== NOWHERE) grafts.push({ id, above: at, depth })
        break
      }
      pairs.push({ ancestor: at, descendant: id, depth })
      at = place.parent
    }
    if (made.length >= PART_ROWS || pairs.length >= 2 * PART_ROWS) flush()
  }
  flush()
  for (let from = 0; from < changed.length; from += PART_ROWS) {
    parts.push(interiorsGrown(changed.slice(from, from + PART_ROWS), parts.length))
  }
}

const ids = (items: readonly number[], add: PartContext['add']) => add(arrayOf(items), 'bigint[]')

function slotsIn(rows: readonly SlotRow[], part: number): CommitPart {
  return {
    name: `slot_in_${part}`,
    sql: ({ tree, guard, add }) =>
      `INSERT INTO node (tree, parent_id, key, kind, value, id) SELECT ${tree}, s.* FROM unnest(` +
      [
        ids(
          rows.map(({ parent }) => parent),
          add,
        ),
        add(arrayOf(rows.map(({ key }) => key)), 'text[]'),
        add(arrayOf(rows.map(({ kind }) => kind)), 'smallint[]'),
        add(arrayOf(rows.map(({ value }) => value)), 'text[]'),
        add(arrayOf(rows.map(({ id }) => id)), 'bigint[]'),
      ].join(', ') +
      `) AS s(parent, key, kind, value, id) WHERE ${guard} ON CONFLICT (tree, parent_id, key) ` +
      'DO UPDATE SET kind = excluded.kind, value = excluded.value, id = excluded.id',
  }
}

function longSlot(parent: number, key: string, { kind, value }: Slot, part: number): CommitPart {
  return {
    name: `slot_long_${part}`,
    sql: ({ tree, guard, add }) =>
      `INSERT INTO node (tree, parent_id, key, kind, value) SELECT ${tree}, ${add(parent, 'bigint')}, ` +
      `${add(key, 'text')}, ${add(kind, 'smallint')}, ${add(value, 'text')} WHERE ${guard} ` +
      'ON CONFLICT (tree, parent_id, key) DO UPDATE SET kind = excluded.kind, value = excluded.value, id = NULL',
  }
}

function slotsOut(rows: readonly { readonly parent: number; readonly key: string }[], part: number): CommitPart {
  return {
    name: `slot_out_${part}`,
    sql: ({ tree, guard, add }) =>
      `DELETE FROM node n USING unnest(${ids(
        rows.map(({ parent }) => parent),
        add,
      )}, ` +
      `${add(arrayOf(rows.map(({ key }) => key)), 'text[]')}) AS s(parent, key) ` +
      `WHERE n.tree = ${tree} AND n.parent_id = s.parent AND n.key = s.key AND ${guard}`,
  }
}

function interiorsIn(rows: readonly Interior[], working: WorkingSet, part: number): CommitPart {
  return {
    name: `interior_in_${part}`,
    sql: ({ tree, guard, add }) =>
      `INSERT INTO interior (tree, id, parent_id, key, child_count, traits) SELECT ${tree}, s.* FROM unnest(` +
      [
        ids(
          rows.map(({ id }) => id),
          add,
        ),
        ids(
          rows.map(({ id }) => working.made.get(id)?.parent ?? NOWHERE),
          add,
        ),
        add(arrayOf(rows.map(({ id }) => working.made.get(id)?.key ?? '')), 'text[]'),
        add(arrayOf(rows.map(({ childCount }) => childCount)), 'int[]'),
        add(arrayOf(rows.map(({ traits }) => traits)), 'int[]'),
      ].join(', ') +
      `) AS s(id, parent, key, children, traits) WHERE ${guard}`,
  }
}

/** Nodes above a made one: made ones are counted here, older ones are those above the nearest older one. */
function closureIn(pairs: readonly Pair[], grafts: readonly Graft[], part: number): CommitPart {
  return {
    name: `closure_in_${part}`,
    sql: ({ tree, guard, add }) =>
      `INSERT INTO closure (tree, ancestor, descendant, depth) SELECT ${tree}, p.* FROM unnest(` +
      [
        ids(
          pairs.map(({ ancestor }) => ancestor),
          add,
        ),
        ids(
          pairs.map(({ descendant }) => descendant),
          add,
        ),
        add(arrayOf(pairs.map(({ depth }) => depth)), 'smallint[]'),
      ].join(', ') +
      `) AS p(ancestor, descendant, depth) WHERE ${guard} ` +
      `UNION ALL SELECT ${tree}, c.ancestor, g.id, (c.depth + g.depth)::smallint FROM unnest(` +
      [
        ids(
          grafts.map(({ id }) => id),
          add,
        ),
        ids(
          grafts.map(({ above }) => above),
          add,
        ),
        add(arrayOf(grafts.map(({ depth }) => depth)), 'smallint[]'),
      ].join(', ') +
      `) AS g(id, above, depth) JOIN closure c ON c.tree = ${tree} AND c.descendant = g.above WHERE ${guard}`,
  }
}

function interiorsGrown(rows: readonly Interior[], part: number): CommitPart {
  return {
    name: `interior_grown_${part}`,
    sql: ({ tree, guard, add }) =>
      'UPDATE interior i SET child_count = s.children, traits = s.traits FROM unnest(' +
      [
        ids(
          rows.map(({ id }) => id),
          add,
        ),
        add(arrayOf(rows.map(({ childCount }) => childCount)), 'int[]'),
        add(arrayOf(rows.map(({ traits }) => traits)), 'int[]'),
      ].join(', ') +
      `) AS s(id, children, traits) WHERE i.tree = ${tree} AND i.id = s.id AND ${guard}`,
  }
}

function removal(removed: readonly number[]): readonly CommitPart[] {
  const where = (column: string, { tree, guard, add }: PartContext) =>
    `WHERE tree = ${tree} AND ${column} = ANY(${ids(removed, add)}) AND ${guard}`
  return [
    { name: 'interior_out', sql: (context) => `DELETE FROM interior ${where('id', context)}` },
    { name: 'closure_out', sql: (context) => `DELETE FROM closure ${where('descendant', context)}` },
  ]
}

/** @param old those that the batch has not made */
function detaching(detached: readonly number[], old: readonly number[]): readonly CommitPart[] {
  return [
    {
      name: 'detached_in',
      sql: ({ tree, guard, add }) =>
        `INSERT INTO detached (tree, id) SELECT ${tree}, s.id FROM unnest(${ids(detached, add)}) AS s(id) WHERE ${guard}`,
    },
    {
      name: 'interior_cut',
      sql: ({ tree, guard, add }) =>
        `UPDATE interior SET parent_id = ${NOWHERE} WHERE tree = ${tree} AND id = ANY(${ids(old, add)}) AND ${guard}`,
    },
  ]
}
