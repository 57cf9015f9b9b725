const TEXT = Symbol('text')
const LENGTH = Symbol('length')
const RECEIVED = Symbol('received')

/** An answer whose text is known. Its length is looked at only where somebody counts. */
type Told = Response & { [TEXT]?: string; [LENGTH]?: number }
type Read = Request & { [RECEIVED]?: number }

/** Notes the text that an answer is made of. */
export function withText(reply: Response, text: string): Response {
  const told: Told = reply
  told[TEXT] = text
  return reply
}

/** Notes the length of a body that is no text at hand, in bytes. */
export function withLength(reply: Response, bytes: number): Response {
  const told: Told = reply
  told[LENGTH] = bytes
  return reply
}

/** Notes how much of a body came, in bytes, before it is unpacked. */
export function noteReceived(request: Request, bytes: number): void {
  const read: Read = request
  read[RECEIVED] = bytes
}

/** Whether an answer is made of text that is known; a stream is not. */
export function isText(reply: Response): boolean {
  return (reply as Told)[TEXT] !== undefined
}

/** Length of the body of an answer in bytes; 0 where it is sent bit by bit. */
export function sentBytes(reply: Response): number {
  const { [TEXT]: text, [LENGTH]: length = 0 } = reply as Told
  return text === undefined ? length : Buffer.byteLength(text)
}

/** Length of a body in bytes as it came; 0 where nobody has read it. */
export function receivedBytes(request: Request): number {
  return (request as Read)[RECEIVED] ?? 0
}
