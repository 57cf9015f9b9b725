/** Reply to an operation that returns one value: its result, or the message of its error. */
export type ControlReply = { readonly result?: unknown } | { readonly error: string }

/** Content type of a stream operation. It distinguishes the text of a stream from a `ControlReply`. */
export const STREAM_TYPE = 'application/vnd.dhole.export+json'

/** Last byte of a complete stream. The text of a stream is JSON without line breaks, so it never holds this byte. */
export const END_OF_STREAM = '\n'
