/** The order of keys written down a second time, without the encoding the product uses: the tests' own opinion. */

function integer(key: string): number | undefined {
  const digits = key.startsWith('-') ? key.slice(1) : key
  if (digits === '' || [...digits].some((digit) => digit < '0' || digit > '9')) return undefined
  const value = BigInt(digits) * (key.startsWith('-') ? -1n : 1n)
  return value >= -2147483648n && value <= 2147483647n ? Number(value) : undefined
}

function compareCodeUnits(left: string, right: string): number {
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const difference = left.charCodeAt(index) - right.charCodeAt(index)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/** Integers first, by value, then by length, a negative zero behind a positive one; all others by code unit. */
export function expectedKeyOrder(left: string, right: string): number {
  const [a, b] = [integer(left), integer(right)]
  if (a === undefined || b === undefined) {
    if (a === b) return compareCodeUnits(left, right)
    return a === undefined ? 1 : -1
  }
  if (a !== b) return a - b
  if (left.length !== right.length) return left.length - right.length
  return Number(left.startsWith('-')) - Number(right.startsWith('-'))
}
