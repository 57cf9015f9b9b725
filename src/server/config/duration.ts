/** A unit in which a setting or flag counts time. */
export type TimeUnit = 'ms' | 's' | 'd'

const MILLISECONDS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60 * 1000,
  h: 60 * 60 * 1000,
  d: 24 * 60 * 60 * 1000,
  w: 7 * 24 * 60 * 60 * 1000,
}
const DURATION = /^(\d{1,15}) ?(ms|s|m|h|d|w)?$/

/**
 * A time such as `500ms`, `90s`, `30m`, `1h`, `7d` or `2w`, in units; a bare number is a number of units.
 * @returns `undefined` for other text, and for what is no whole number of units
 */
export function parseDuration(text: string, unit: TimeUnit): number | undefined {
  const [, digits, suffix = unit] = DURATION.exec(text) ?? []
  if (digits === undefined) return undefined
  const count = (Number(digits) * (MILLISECONDS[suffix] ?? Number.NaN)) / (MILLISECONDS[unit] ?? Number.NaN)
  return Number.isSafeInteger(count) ? count : undefined
}
