/** Numbers as people read them. */

/** `10`, `10k`, `1M`, `1G`. */
export function size(leaves: number): string {
  if (leaves < 1000) return String(leaves)
  if (leaves >= 1_000_000_000) return `${leaves / 1_000_000_000}G`
  return leaves >= 1_000_000 ? `${leaves / 1_000_000}M` : `${leaves / 1000}k`
}

/** `0.62x`, `25474/s`, `24.7 us CPU`. */
export function withUnit(value: number, unit: string): string {
  const isClose = unit === 'x' || unit.startsWith('/')
  return `${short(value)}${isClose ? '' : ' '}${unit}`
}

/** Two or three digits that mean something, thousands written out. */
export function short(value: number): string {
  if (value === 0) return '0'
  if (value >= 100) return String(Math.round(value))
  if (value > 0 && value < 0.01) return String(Number(value.toPrecision(1)))
  return value.toFixed(value >= 10 ? 1 : 2)
}
