/** Local time such as `2026-11-24 16:05:10`. @param at in ms since 1970, or ISO 8601 */
export function momentText(at: number | string): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return String(at)
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${day} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`
}

/** A point in time, in the time zone of the browser. */
export function Moment({ at }: { readonly at: number | string }) {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return <span>{String(at)}</span>
  return <time dateTime={time.toISOString()}>{momentText(at)}</time>
}
