/** Text of a reply, as far as it was read. */
export interface LimitedText {
  readonly text: string
  /** Whether the reply is longer than what was read. */
  readonly isCut: boolean
}

/** Reads at most so many bytes of a reply and gives up the rest. */
export async function limitedText(reply: Response, maxBytes: number): Promise<LimitedText> {
  if (reply.body === null) return { text: '', isCut: false }
  const reader = reply.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength
    text += decoder.decode(part.value, { stream: true })
    if (bytes <= maxBytes) continue
    reader.cancel().catch(() => {})
    return { text, isCut: true }
  }
  return { text: text + decoder.decode(), isCut: false }
}
