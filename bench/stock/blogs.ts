/** Blog-like data, the same in every run: `/blogs/<blog>/<post>/<leaf>` and a few samples beside it. */
import { join } from 'node:path'
import type { Database } from '../../src/database/database.ts'
import { openTree } from '../../src/open-tree.ts'

type Post = Readonly<Record<string, string | number | boolean>>
type Branch = Readonly<Record<string, unknown>>

const LEAVES_PER_POST = 8
const POSTS_PER_BLOG = 125
const LEAVES_PER_BLOG = LEAVES_PER_POST * POSTS_PER_BLOG
const BLOGS_PER_PATCH = 20
const OBJECT_BYTES = 1024
const LARGE_BYTES = 1_000_000
/** Coprime to every number of posts, so that its multiples reach all of them in a scattered order. */
const STRIDE = 7919

export const OBJECT_PATH = ['samples', 'object']
export const LARGE_PATH = ['samples', 'large']
export const COPY_PATH = ['samples', 'copy']
export const VICTIM_PATH = ['victim']
const VICTIM_LEAVES = 100_000

const WORDS = 'river window paper garden signal morning harbour letter engine quiet yellow station'.split(' ')

/** About 200 bytes of JSON in eight leaves. */
function post(number: number): Post {
  return {
    author: `author-${number % 997}`,
    created: 1_700_000_000_000 + number * 1000,
    likes: (number * 31) % 1000,
    published: number % 3 !== 0,
    rating: ((number * 7) % 50) / 10,
    tag: word(number),
    text: Array.from({ length: 8 + (number % 5) }, (_, index) => word(number * 5 + index * index)).join(' '),
    title: `Post ${number} on ${word(number + 1)}`,
  }
}

function word(number: number): string {
  return WORDS[number % WORDS.length] ?? ''
}

function blogName(blog: number): string {
  return `blog-${String(blog).padStart(5, '0')}`
}

function postName(index: number): string {
  return `post-${String(index).padStart(5, '0')}`
}

function posts(first: number, count: number): Branch {
  const entries = Array.from({ length: count }, (_, index) => [postName(index), post(first + index)])
  return Object.fromEntries(entries)
}

function blogs(first: number, count: number): Branch {
  const entries = Array.from({ length: count }, (_, index) => {
    const blog = first + index
    return [blogName(blog), posts(blog * POSTS_PER_BLOG, POSTS_PER_BLOG)]
  })
  return Object.fromEntries(entries)
}

/**
 * An object of exactly 1024 bytes of JSON.
 * @param seed makes objects that differ
 * @param members what it has beside; there is room for about 100 bytes
 */
export function objectOf1Kb(seed: number, members: Branch = {}): Branch {
  const sections = Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`section-${index}`, post(seed + index)]))
  const room = OBJECT_BYTES - JSON.stringify({ ...members, ...sections, note: '' }).length
  return { ...members, ...sections, note: 'n'.repeat(Math.max(room, 0)) }
}

/** A list of posts of just under one megabyte of JSON. @param seed makes lists that differ */
export function largeList(seed: number): Branch {
  const list: Record<string, Post> = {}
  let bytes = 2
  for (let index = 0; ; index++) {
    const entry = post(seed + index)
    bytes += JSON.stringify(entry).length + postName(index).length + '"":,'.length
    if (bytes > LARGE_BYTES) return list
    list[postName(index)] = entry
  }
}

/** A subtree of 100k leaves, to be deleted. */
export function victim(): Branch {
  return blogs(0, VICTIM_LEAVES / LEAVES_PER_BLOG)
}

/**
 * Places of leaves scattered over the whole tree.
 * @param leaves size of the tree
 * @param count how many; at most one a post
 */
export function leafPaths(leaves: number, count: number): string[][] {
  const total = leaves / LEAVES_PER_POST
  return Array.from({ length: Math.min(count, total) }, (_, index) => {
    const number = (index * STRIDE) % total
    const blog = Math.floor(number / POSTS_PER_BLOG)
    return ['blogs', blogName(blog), postName(number % POSTS_PER_BLOG), 'title']
  })
}

/** Where objects of 1 KB are written. */
export function draftPaths(count: number): string[][] {
  return Array.from({ length: count }, (_, index) => ['drafts', `draft-${index}`])
}

export function urlOf(path: readonly string[]): string {
  return `/${path.join('/')}.json`
}

export function databaseFile(dataDir: string): string {
  return join(dataDir, 'apps', 'app.sqlite')
}

/** Makes the data directory of a tree with that many leaves below `/blogs`. @param leaves a multiple of 1000 */
export async function buildTree(dataDir: string, leaves: number): Promise<void> {
  await using database = openTree({ file: databaseFile(dataDir) })
  await loadTree(database, leaves)
}

/** Makes a tree with that many leaves below `/blogs`. @param leaves a multiple of 1000 */
export async function loadTree(database: Database, leaves: number): Promise<void> {
  await loadBlogs(database, ['blogs'], leaves)
  await database.put(OBJECT_PATH, objectOf1Kb(0))
  await database.put(LARGE_PATH, largeList(0))
}

async function loadBlogs(database: Database, path: readonly string[], leaves: number): Promise<void> {
  const total = leaves / LEAVES_PER_BLOG
  for (let first = 0; first < total; first += BLOGS_PER_PATCH) {
    await database.patch(path, blogs(first, Math.min(BLOGS_PER_PATCH, total - first)))
  }
}
