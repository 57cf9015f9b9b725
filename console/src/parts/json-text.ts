/** @param what the field, for the error @throws Error `<what>: …` unless the text is JSON */
export function jsonOf(what: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${what}: this is not JSON (${why})`, { cause })
  }
}

/** @throws Error `<what>: …` unless the text is a JSON object */
export function objectOf(what: string, text: string): Readonly<Record<string, unknown>> {
  const json = jsonOf(what, text)
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>
  throw new Error(`${what}: expected an object such as {"role": "editor"}`)
}
