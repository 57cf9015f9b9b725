/** Form of the id that a gateway gives a message, in words. */
export const MESSAGE_ID_FORM = '1 to 64 printable characters without spaces'

/** Letters, marks, digits, punctuation and symbols of any script; no blanks or invisible characters. */
const MESSAGE_ID = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]{1,64}$/u

/** Whether a text is a valid gateway id. @see docs/reference/protocol.md#taking-in */
export function isMessageId(text: string): boolean {
  return MESSAGE_ID.test(text)
}
