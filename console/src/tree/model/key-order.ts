const INTEGER = /^-?0*\d{1,10}$/
const LEAST = -2_147_483_648
const GREATEST = 2_147_483_647

/** Whether a key counts as an integer of 32 bits, leading zeros allowed. */
function integerOf(key: string): number | undefined {
  if (!INTEGER.test(key)) return undefined
  const value = Number(key)
  return value >= LEAST && value <= GREATEST ? value : undefined
}

/**
 * Compares keys as the server orders them in a read: integers first by value and then by length, then all others by UTF-16
 * code unit.
 * @see docs/reference/protocol.md#key-order
 */
export function compareKeys(left: string, right: string): number {
  if (left === right) return 0
  const [a, b] = [integerOf(left), integerOf(right)]
  // Of the same value and length are only `00` and `-0`.
  if (a !== undefined && b !== undefined) return a - b || left.length - right.length || (left < right ? 1 : -1)
  if ((a === undefined) !== (b === undefined)) return a === undefined ? 1 : -1
  return left < right ? -1 : 1
}
