/** 0 not sent, 1 being sent, 2 delivered, 3 failed. 2 and 3 are final. @see docs/reference/protocol.md#states */
export type State = 0 | 1 | 2 | 3

/** How a report names its message. */
export type MessageName =
  | { readonly rrid: string; readonly mobile: string }
  /** Id that the gateway gave it. */
  | { readonly messageId: string }

/** A carrier's report about one message. */
export interface Report {
  readonly message: MessageName
  readonly state: Exclude<State, 0>
  /** The carrier's code, exactly as sent. */
  readonly code: string
  /** When the carrier reported it, in milliseconds since 1970. */
  readonly receivedAt: number
}

/** Outcome of reports. */
export interface ReportCount {
  /** Reports applied to a message, repeated ones included. */
  readonly accepted: number
  /** Reports about unknown messages, and reports that contradict or follow a final one. */
  readonly ignored: number
}
