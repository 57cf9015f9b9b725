/** 0 not sent, 1 being sent, 2 delivered, 3 failed. 2 and 3 are final. @see docs/reference/protocol.md#states */
export type State = 0 | 1 | 2 | 3

/** Which message a report is about. */
export type MessageName =
  | { readonly rrid: string; readonly mobile: string }
  /** Number that the gateway gave it. */
  | { readonly messageId: string }

/** What a carrier says of one message. */
export interface Report {
  readonly message: MessageName
  readonly state: Exclude<State, 0>
  /** The carrier's code, to the letter. */
  readonly code: string
  /** When the carrier said so, in milliseconds since 1970. */
  readonly receivedAt: number
}

/** What became of reports. */
export interface ReportCount {
  /** Reports that a message was told of, known ones told again among them. */
  readonly accepted: number
  /** Reports about unknown messages, and those that contradict or come after a final one. */
  readonly ignored: number
}
