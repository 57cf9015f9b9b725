/** Greatest difference between the time of a request and the server's, either way. */
export const MAX_SKEW_MS = 60_000
/** A time in milliseconds since 1970. */
export const MILLISECONDS_PATTERN = '^[0-9]{1,16}$'
const MILLISECONDS = new RegExp(MILLISECONDS_PATTERN)

/** Whether a text is a time in milliseconds since 1970, in decimal digits. */
export function isMilliseconds(text: string): boolean {
  return MILLISECONDS.test(text)
}
