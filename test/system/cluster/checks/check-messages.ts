import type { Messages } from '../clients/message-client.ts'

/**
 * Every final state that was reported is told, and told again only if a fault came in between.
 * @param faultsEnded when the last fault was over, on the monotonic clock
 */
export function checkMessages({ reported, sent, tellings, problems }: Messages, faultsEnded: number): string[] {
  const found = [...problems]
  for (const message of reported) if (!tellings.has(message)) found.push(`${message}: reported, and nobody was told`)
  for (const [message, all] of tellings) {
    if (!sent.has(message)) found.push(`${message}: told, and never reported`)
    const inOrder = all.toSorted((one, other) => one.sentAt - other.sentAt)
    for (const [index, { sentAt }] of inOrder.entries()) {
      if (index > 0 && (inOrder[index - 1]?.sentAt ?? 0) > faultsEnded)
        found.push(`${message}: told again at ${sentAt}`)
    }
  }
  return found
}
