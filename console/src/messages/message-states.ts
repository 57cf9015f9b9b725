/** Names of the states of a message. */
export const STATES = ['not sent', 'being sent', 'delivered', 'failed'] as const

/** @param status 0 to 3 */
export function stateText(status: number): string {
  return STATES[status] ?? String(status)
}

/** Words of the counts of the server. */
const COUNTS: Readonly<Record<string, string>> = {
  notSent: 'Not sent',
  sending: 'Being sent',
  delivered: 'Delivered',
  failed: 'Failed',
  reportsAccepted: 'Reports accepted',
  reportsRepeated: 'Reports repeated',
  reportsContradicting: 'Reports that contradict',
  reportsLate: 'Reports too late',
  reportsUnknown: 'Reports of unknown messages',
  statusesReturned: 'States handed over',
}

/** @param name such as `notSent` */
export function countName(name: string): string {
  return COUNTS[name] ?? name
}
