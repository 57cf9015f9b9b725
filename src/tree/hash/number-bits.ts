/** How clients write the bits of a number: as they are, or as clients in JavaScript compute them. */
export type NumberBits = 'exact' | 'javascript'

/** Fraction bits and exponent bias of a double. */
const FRACTION_BITS = 52
const BIAS = 1023
const LEAST_NORMAL = 2 ** -1022

/** The 64 bits of a double, as 16 hexadecimal digits. */
export function bitsOf(number: number, bits: NumberBits): string {
  return bits === 'exact' ? exactBits(number) : javascriptBits(number)
}

/** Whole numbers below this are computed alike by all clients. */
const LEAST_AMBIGUOUS = 4_000_000

/** Whether clients in JavaScript compute other bits of a number. */
export function isAmbiguous(number: number): boolean {
  if (Number.isInteger(number) && Math.abs(number) < LEAST_AMBIGUOUS) return false
  return exactBits(number) !== javascriptBits(number)
}

const view = new DataView(new ArrayBuffer(8))

function exactBits(number: number): string {
  // JSON has no negative zero for clients in JavaScript.
  view.setFloat64(0, number === 0 ? 0 : number)
  return view.getBigUint64(0).toString(16).padStart(16, '0')
}

/** As clients in JavaScript compute the bits, with a rounded logarithm: wrong beside powers of two. */
function javascriptBits(number: number): string {
  const size = Math.abs(number)
  if (size < LEAST_NORMAL) return exactBits(number)
  const exponent = Math.min(Math.floor(Math.log(size) / Math.LN2), BIAS)
  const scaled = Math.round(size * 2 ** (FRACTION_BITS - exponent) - 2 ** FRACTION_BITS)
  const fraction = BigInt.asUintN(FRACTION_BITS, BigInt(Number.isFinite(scaled) ? scaled : 0))
  const sign = number < 0 ? 1n << 63n : 0n
  return (sign | (BigInt(exponent + BIAS) << 52n) | fraction).toString(16).padStart(16, '0')
}
