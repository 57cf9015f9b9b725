/** What is published: a text that tells when, padded so that the message of the stream is 100 bytes long. */

/** First character of the text; nothing else that a connection carries has it. */
export const MARK = '@'
export const STAMP_LENGTH = 16
const TEXT_LENGTH = 60

/** Microseconds since 1970, by the clock that all processes share. */
export function stampNow(): number {
  return (performance.timeOrigin + performance.now()) * 1000
}

export function stampedText(): string {
  return `${MARK}${Math.round(stampNow())}`.padEnd(TEXT_LENGTH, '.')
}
