/** Lists of places, the same in every run: what ordered queries are asked of, and what is written under indexes. */

import type { Database } from '../../src/database/database.ts'
import { openTree } from '../../src/open-tree.ts'
import type { IndexSpec } from '../../src/query/index-declarations.ts'
import type { Path } from '../../src/tree/path.ts'
import { databaseFile } from './blogs.ts'

/** 118 bytes of JSON, whatever place it is. */
export interface Place {
  readonly at: { readonly added: number }
  readonly country: string
  /** Shared by 20 places of the list, far from each other in key order. */
  readonly district: number
  readonly lat: number
  readonly lng: number
  readonly name: string
}

export const PLACES_PATH: Path = ['places']
/** Plain numbers. */
export const SCORES_PATH: Path = ['scores']
/** Places with a priority. */
export const RANKED_PATH: Path = ['ranked']
/** In a file of their own: two lists of the same places, one without any index and one under four. */
export const PLAIN_PATH: Path = ['plain']
export const INDEXED_PATH: Path = ['indexed']
const WRITTEN_INDEXES = ['name', 'at/added', 'district', 'lat']

/** Indexes of the places that hold them too. */
export const COVERING_INDEXES: IndexSpec = {
  [`/${PLACES_PATH.join('/')}`]: ['name', 'district'].map((child) => ({ child, covering: true })),
}

/** Children of the list of which most is asked. */
export const LIST_CHILDREN = 100_000
/** Children that a query chooses. */
export const CHOSEN = 20

const CHILDREN_PER_PATCH = 20_000
const FIRST_ADDED = 1_700_000_000_000
const FIRST_DISTRICT = 1_000_000
const COUNTRIES = 200
const DEGREE_STEPS = 30_000
/** Coprime to every size of a list, so that each order visits the places in a scattered order of keys. */
const NAME_STRIDE = 7919
const ADDED_STRIDE = 104_729
const RANK_STRIDE = 15_485_863
/** Of six letters each, in the order of the alphabet. */
const WORDS = 'bridge engine forest garden harbor letter meadow signal summer window winter yellow'.split(' ')

/** @param children length of the list */
export function place(index: number, children: number): Place {
  return {
    at: { added: FIRST_ADDED + ((index * ADDED_STRIDE) % children) * 1000 },
    country: `c-${100 + (index % COUNTRIES)}`,
    district: districtAt(index % (children / CHOSEN)),
    lat: degrees(10, index * 7),
    lng: degrees(100, index * 13),
    name: nameAt((index * NAME_STRIDE) % children, children),
  }
}

/** The name that is so many names behind the first. */
export function nameAt(position: number, children: number): string {
  return `${WORDS[Math.floor((position * WORDS.length) / children)] ?? ''} ${String(position).padStart(7, '0')}`
}

/** The district that is so many behind the first. */
export function districtAt(position: number): number {
  return FIRST_DISTRICT + position
}

/** Five digits, the last one odd: JSON writes as many for every place. */
function degrees(least: number, step: number): number {
  return Number((least + 0.001 + (step % DEGREE_STEPS) * 0.002).toFixed(3))
}

export function placeKey(index: number): string {
  return `place-${String(index).padStart(6, '0')}`
}

/** All places of a list of that length by key, in the order of their keys. */
export function places(children: number): (readonly [key: string, place: Place])[] {
  return Array.from({ length: children }, (_, index) => [placeKey(index), place(index, children)] as const)
}

/** So many places of a list by index, scattered all over it. */
export function scattered(children: number, count: number): number[] {
  return Array.from({ length: Math.min(count, children) }, (_, step) => (step * NAME_STRIDE) % children)
}

/** The places that come first by name, as an answer has them. */
export function firstByName(children: number): Readonly<Record<string, Place>> {
  return Object.fromEntries(
    places(children)
      .toSorted(([, left], [, right]) => (left.name < right.name ? -1 : 1))
      .slice(0, CHOSEN),
  )
}

/** Room for the indexes of lists of a million: with the usual limit they would take turns, each built anew for a query. */
export const MAX_INDEX_ENTRIES = 10_000_000

/** Makes the data directory of three lists of that length, with every index that is asked for. */
export async function buildPlaces(dataDir: string, children: number): Promise<void> {
  await using database = openTree({ file: databaseFile(dataDir), storage: { maxIndexEntries: MAX_INDEX_ENTRIES } })
  await loadPlaces(database, children)
  await loadList(database, SCORES_PATH, children, (index) => (index * ADDED_STRIDE) % children)
  await loadList(database, RANKED_PATH, children, (index) => ({
    '.priority': (index * RANK_STRIDE) % children,
    ...place(index, children),
  }))
  for (const orderBy of ['at/added', 'district']) await database.select(PLACES_PATH, { orderBy, limitToFirst: 1 })
  await database.select(SCORES_PATH, { orderBy: '$value', limitToFirst: 1 })
  await database.select(RANKED_PATH, { orderBy: '$priority', limitToFirst: 1 })
}

/** Makes the data directory of one list of that length, with indexes that cover. */
export async function buildCovered(dataDir: string, children: number): Promise<void> {
  await using database = openTree({ file: databaseFile(dataDir) })
  await loadList(database, PLACES_PATH, children, (index) => place(index, children))
  await database.declareIndexes(COVERING_INDEXES)
}

/** Makes a list of that length, with the index by name. */
export async function loadPlaces(database: Database, children: number): Promise<void> {
  await loadList(database, PLACES_PATH, children, (index) => place(index, children))
  await database.select(PLACES_PATH, { orderBy: 'name', limitToFirst: 1 })
}

/** Makes the data directory of the two lists that are written. */
export async function buildTwins(dataDir: string, children: number): Promise<void> {
  await using database = openTree({ file: databaseFile(dataDir) })
  for (const path of [PLAIN_PATH, INDEXED_PATH]) {
    await loadList(database, path, children, (index) => place(index, children))
  }
  for (const orderBy of WRITTEN_INDEXES) await database.select(INDEXED_PATH, { orderBy, limitToFirst: 1 })
}

async function loadList(
  database: Database,
  path: Path,
  children: number,
  child: (index: number) => unknown,
): Promise<void> {
  for (let first = 0; first < children; first += CHILDREN_PER_PATCH) {
    const length = Math.min(CHILDREN_PER_PATCH, children - first)
    const page = Array.from({ length }, (_, step) => [placeKey(first + step), child(first + step)])
    await database.patch(path, Object.fromEntries(page))
  }
}
