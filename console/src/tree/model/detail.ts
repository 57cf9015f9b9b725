/** A value of a leaf. */
export type Leaf = string | number | boolean
/** A priority of a node; `null` is none. */
export type Priority = string | number | null

/** What is known of a node beside its key. */
export type Detail =
  | { readonly kind: 'leaf'; readonly value: Leaf; readonly priority: Priority; readonly isCut: boolean }
  | { readonly kind: 'object'; readonly count: number | undefined }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unreadable'; readonly reason: string }

/** Longest text of a value that is kept for a row, in UTF-16 code units. */
const LONGEST_KEPT = 500

/** The detail of a leaf; a long text is cut. */
export function leafDetail(value: Leaf, priority: Priority, isCut = false): Detail {
  if (typeof value !== 'string' || value.length <= LONGEST_KEPT) return { kind: 'leaf', value, priority, isCut }
  return { kind: 'leaf', value: value.slice(0, LONGEST_KEPT), priority, isCut: true }
}

/** The detail of a node of which an export is known. @param json as `format=export` answers */
export function detailOf(json: unknown): Detail {
  if (json === null || json === undefined) return { kind: 'nothing' }
  if (typeof json !== 'object') return leafDetail(json as Leaf, null)
  const members = json as Readonly<Record<string, unknown>>
  if (Object.hasOwn(members, '.value')) {
    return leafDetail(members['.value'] as Leaf, (members['.priority'] ?? null) as Priority)
  }
  const keys = Object.keys(members).filter((key) => key !== '.priority')
  return { kind: 'object', count: keys.length }
}

/** Whether two details look the same in a row. */
export function isSameDetail(left: Detail | undefined, right: Detail): boolean {
  if (left?.kind !== right.kind) return false
  if (left.kind === 'leaf' && right.kind === 'leaf') {
    return left.value === right.value && left.priority === right.priority && left.isCut === right.isCut
  }
  if (left.kind === 'object' && right.kind === 'object') return left.count === right.count
  return left.kind === 'nothing'
}
