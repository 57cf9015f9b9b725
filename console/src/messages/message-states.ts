/** Names of the states of a message. */
export const STATES = ['not sent', 'being sent', 'delivered', 'failed'] as const

/** @param status 0 to 3 */
export function stateText(status: number): string {
  return STATES[status] ?? String(status)
}
