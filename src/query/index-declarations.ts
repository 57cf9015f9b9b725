import { DholeError } from '../error.ts'
import { PRIORITY } from '../tree/key.ts'
import { type Path, parsePath } from '../tree/path.ts'
import { type Order, parseChildPath } from './query.ts'

/** A child path to sort a list by, alone or with what its index has to be like. */
type IndexedChild =
  | string
  | {
      readonly child: string
      /**
       * Whether the index holds a copy of each child of at most 256 characters of JSON. Queries are then faster, and writes
       * to these children slower. Default `false`.
       */
      readonly covering?: boolean
    }

/**
 * Child paths to sort lists by: `{ '/dinosaurs': ['height', 'name/latin'], '/scores': ['.value'] }`. A key that begins
 * with `$` matches every key: `/users/$user/posts`.
 */
export type IndexSpec = Readonly<Record<string, readonly IndexedChild[]>>

/** A declared index. */
export interface IndexDeclaration {
  /** Path of the list; a key that begins with `$` matches every key. */
  readonly list: Path
  /** Child path below each child of the list; empty for the child's own value. */
  readonly path: Path
  /** Whether its entries hold the short texts of the children. */
  readonly covering?: boolean
}

/** Whether ordered queries need a declared index. */
export type IndexPolicy = 'allow' | 'require'

const VALUE_NAME = '.value'

/** @throws `bad-path` for a list, `bad-order` for a child path */
export function parseIndexes(spec: IndexSpec): readonly IndexDeclaration[] {
  return Object.entries(spec).flatMap(([list, indexed]) =>
    indexed.map((each) => {
      const { child, covering = false } = typeof each === 'string' ? { child: each } : each
      return { list: parseList(list), path: parseIndexPath(child), covering }
    }),
  )
}

function parseList(text: string): Path {
  const keys = text.split('/').filter((key) => key !== '')
  parsePath(keys.map((key) => (isWildcard(key) ? key.slice(1) || 'any' : key)).join('/'))
  return keys
}

function parseIndexPath(name: string): Path {
  return name === VALUE_NAME ? [] : parseChildPath(name)
}

export function isWildcard(key: string): boolean {
  return key.startsWith('$')
}

/** Whether an index over the children of a list, by a child path, is declared. */
export function isDeclared(declarations: readonly IndexDeclaration[], list: Path, path: Path): boolean {
  return declarations.some((each) => isSame(each.path, path) && matches(each.list, list))
}

function isSame(left: Path, right: Path): boolean {
  return left.length === right.length && left.every((key, depth) => key === right[depth])
}

function matches(pattern: Path, list: Path): boolean {
  return pattern.length === list.length && pattern.every((key, depth) => isWildcard(key) || key === list[depth])
}

/**
 * Throws unless the order has a declared index. Keys and priorities need none.
 * @throws `index-missing`
 * @see docs/reference/protocol.md#indexes
 */
export function checkIndexed(declarations: readonly IndexDeclaration[], list: Path, order: Order): void {
  if (order.kind === 'key' || order.path[0] === PRIORITY) return
  if (isDeclared(declarations, list, order.path)) return
  const name = order.path.join('/') || VALUE_NAME
  throw new DholeError(
    'index-missing',
    `Index not defined, add ".indexOn": "${name}", for path "/${list.join('/')}", to the rules`,
  )
}
