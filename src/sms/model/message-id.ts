/** What the name of a message at its gateway may be, in words. */
export const MESSAGE_ID_FORM = '1 to 64 printable characters without spaces'

/** Letters, marks, digits, punctuation and symbols of any script; nothing that is blank or cannot be seen. */
const MESSAGE_ID = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]{1,64}$/u

/** Whether a gateway may call a message so. @see docs/reference/protocol.md#taking-in */
export function isMessageId(text: string): boolean {
  return MESSAGE_ID.test(text)
}
