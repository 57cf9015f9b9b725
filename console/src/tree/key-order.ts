const INTEGER = /^-?\d{1,10}$/
const LEAST = -2_147_483_648
const GREATEST = 2_147_483_647

/** Whether a key counts as an integer of 32 bits, leading zeros allowed. */
function integerOf(key: string): number | undefined {
  const digits = key.replace(/^(-?)0+(?=\d)/, '$1')
  if (!INTEGER.test(digits)) return undefined
  const value = Number(digits)
  return value >= LEAST && value <= GREATEST ? value : undefined
}

/**
 * Compares keys as the server orders them in a read: integers first by value and then by length, then all others by UTF-16
 * code unit.
 * @see docs/reference/protocol.md#key-order
 */
export function compareKeys(left: string, right: string): number {
  const [a, b] = [integerOf(left), integerOf(right)]
  if (a !== undefined && b !== undefined) return a - b || left.length - right.length
  if ((a === undefined) !== (b === undefined)) return a === undefined ? 1 : -1
  if (left === right) return 0
  return left < right ? -1 : 1
}
