const EVENT_STREAM = 'text/event-stream'

/** Whether an `Accept` list names event streams, with a weight above zero. */
export function acceptsStream(accept: string | null): boolean {
  // Most requests have a list without event streams.
  if (accept === null || !/event-stream/i.test(accept)) return false
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === EVENT_STREAM && !parameters.some((parameter) => /^q\s*=\s*0*(\.0*)?$/.test(parameter))
  })
}

/** Whether an `Accept` list prefers HTML to JSON, as that of a browser that opens a page. */
export function prefersPage(accept: string | null): boolean {
  return accept !== null && weightOf('text/html', accept) > weightOf('application/json', accept)
}

/** Weight of a type, 0 to 1: that of the narrowest range that contains it. */
function weightOf(type: string, accept: string): number {
  const ranges = accept.split(',').map(readRange)
  for (const name of [type, `${type.split('/', 1)[0]}/*`, '*/*']) {
    const range = ranges.find((candidate) => candidate.name === name)
    if (range !== undefined) return range.weight
  }
  return 0
}

function readRange(text: string): { readonly name: string; readonly weight: number } {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.map((parameter) => /^q\s*=\s*([0-9.]+)$/.exec(parameter)?.[1]).find(Boolean)
  return { name, weight: weight === undefined ? 1 : Number(weight) }
}
