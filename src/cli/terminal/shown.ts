/** Maximum length of a shown value. */
const SHOWN_CHARACTERS = 60

/** A value in a message, as JSON: it has no control characters. */
export function shown(value: unknown): string {
  const json = JSON.stringify(value)
  return json.length > SHOWN_CHARACTERS ? `${json.slice(0, SHOWN_CHARACTERS)}…` : json
}
