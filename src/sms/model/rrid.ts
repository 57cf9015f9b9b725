const TIME_DIGITS = 11
const RANDOM_DIGITS = 7
const RANDOM_BITS = 4 * RANDOM_DIGITS

/** Form of a rrid as a regular expression. */
export const RRID_PATTERN = '^[0-9A-Za-z_-]{1,64}$'
/** The same in words. */
export const RRID_FORM = '1 to 64 letters, digits, - or _'
const RRID = new RegExp(RRID_PATTERN)

/**
 * Makes the identifier of a batch: 18 lower-case hex digits, 11 of the time and 7 random. Two of the same millisecond
 * are equal with a probability of 2^-28, so the store checks for duplicates.
 * @param now milliseconds since 1970
 * @see docs/reference/protocol.md#records
 */
export function newRrid(now: number): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  return hex(now, TIME_DIGITS) + hex(random >>> (32 - RANDOM_BITS), RANDOM_DIGITS)
}

/** Whether a text may be the identifier of a batch. */
export function isRrid(text: string): boolean {
  return RRID.test(text)
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0').slice(-digits)
}
