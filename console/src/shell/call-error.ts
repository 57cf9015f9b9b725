/** A refusal by the server, or a request that did not reach it. */
export class CallError extends Error {
  /** Status of the reply; 0 when there was none. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The error that a reply which is not ok stands for; takes the `error` of its body. */
export async function errorOf(reply: Response): Promise<CallError> {
  const text = await reply.text().catch(() => '')
  return new CallError(reply.status, messageOf(text) ?? `The server answered ${reply.status}.`)
}

function messageOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown }
    return typeof error === 'string' ? error : undefined
  } catch {
    return undefined
  }
}

/** The words of whatever was thrown. */
export function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
