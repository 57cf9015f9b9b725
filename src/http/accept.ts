const EVENT_STREAM = 'text/event-stream'

/** Whether an `Accept` list names event streams, with a weight above zero. */
export function acceptsStream(accept: string | null): boolean {
  // Nearly all requests have a list without it.
  if (accept === null || !/event-stream/i.test(accept)) return false
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === EVENT_STREAM && !parameters.some((parameter) => /^q\s*=\s*0*(\.0*)?$/.test(parameter))
  })
}
