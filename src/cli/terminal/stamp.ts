/** A time for file names, such as `2026-11-21T100000000Z`. */
export function stampOf(time: Date): string {
  return time.toISOString().replace(/[:.]/g, '')
}
