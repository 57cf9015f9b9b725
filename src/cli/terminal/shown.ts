/** What is wrong is shown, but not all of it. */
const SHOWN_CHARACTERS = 60

/** A value in a message: as JSON, which keeps control characters from the terminal. */
export function shown(value: unknown): string {
  const json = JSON.stringify(value)
  return json.length > SHOWN_CHARACTERS ? `${json.slice(0, SHOWN_CHARACTERS)}…` : json
}
