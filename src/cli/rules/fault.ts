/** Puts the name of what is at fault before what went wrong. */
export function within<T>(name: string, use: () => T): T {
  try {
    return use()
  } catch (cause) {
    throw cause instanceof Error ? new Error(`${name}: ${cause.message}`, { cause }) : cause
  }
}
