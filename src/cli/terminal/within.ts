/** Runs a function, and puts the name of the faulty part before the text of an error. */
export function within<T>(name: string, use: () => T): T {
  try {
    return use()
  } catch (cause) {
    throw cause instanceof Error ? new Error(`${name}: ${cause.message}`, { cause }) : cause
  }
}
