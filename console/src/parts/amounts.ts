const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** Such as `1.5 MiB`. */
export function bytesText(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1024 ** power
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[power]}`
}

/** Such as `12,345`, or `0.25`. */
export function numberText(amount: number): string {
  return amount.toLocaleString('en', { maximumFractionDigits: Math.abs(amount) < 10 ? 2 : 0 })
}

/** Such as `0.42 ms`, `12 ms`, or `3.1 s`. */
export function durationText(ms: number): string {
  if (ms >= 1000) return `${numberText(ms / 1000)} s`
  return `${numberText(ms)} ms`
}

/** @param many default: `one` with an s */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`
}
