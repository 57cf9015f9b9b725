import type { Connection } from '../file/connection.ts'
import { type Problem, type Violation, violations } from './problem.ts'

/** Idempotency records are numbered in the order of their times and hold JSON. Their number is not checked. */
const NOTES: readonly Violation[] = [
  [
    'the notes go back in time',
    'SELECT seq, at, before FROM (SELECT seq, at, lag(at) OVER (ORDER BY seq) AS before FROM note) WHERE at < before',
  ],
  ['a note cannot be read', 'SELECT seq, key, substr(text, 1, 60) AS text FROM note WHERE NOT json_valid(text)'],
]

/** Sessions of clients, and what they want written when they have ended. */
const SESSIONS: readonly Violation[] = [
  [
    'a value of a session has none',
    'SELECT session, position FROM session_value WHERE session NOT IN (SELECT session FROM session)',
  ],
  [
    'a session cannot be read',
    'SELECT session, substr(caller, 1, 60) AS caller FROM session WHERE NOT json_valid(caller)',
  ],
  [
    'a value of a session cannot be read',
    'SELECT session, position FROM session_value WHERE NOT json_valid(path) OR NOT json_valid(json)',
  ],
]

/**
 * The tables of text messages. A clock that is put forward and back may empty `sms_final` and make ranges of
 * `sms_handover` overlap, so neither is checked.
 */
const MESSAGES: readonly Violation[] = [
  [
    'a message has no batch',
    'SELECT batch_id, position FROM sms_message WHERE batch_id NOT IN (SELECT id FROM sms_batch)',
  ],
  [
    'the state of a message does not fit',
    'SELECT batch_id, position, status, received_at, produced_at, final_seq FROM sms_message ' +
      'WHERE status NOT IN (0, 1, 2, 3) OR (status < 2 AND produced_at IS NOT NULL) OR (final_seq IS NOT NULL AND ' +
      '(status < 2 OR received_at IS NULL OR produced_at IS NULL))',
  ],
  [
    'a final state is not that of its message',
    'SELECT f.seq, f.rrid, f.mobile FROM sms_message m JOIN sms_final f ON f.seq = m.final_seq ' +
      'LEFT JOIN sms_batch b ON b.id = m.batch_id WHERE f.rrid IS NOT b.rrid OR f.mobile <> m.mobile ' +
      'OR f.status <> m.status OR f.code <> m.code OR f.received_at IS NOT m.received_at',
  ],
  [
    // The oldest are removed first.
    'a final state is missing',
    'SELECT batch_id, position, final_seq FROM sms_message WHERE final_seq > (SELECT min(seq) FROM sms_final) ' +
      'AND final_seq < (SELECT max(seq) FROM sms_final) AND final_seq NOT IN (SELECT seq FROM sms_final)',
  ],
  ['a final state is none', 'SELECT seq, rrid, mobile, status FROM sms_final WHERE status NOT IN (2, 3)'],
  ['a contradiction is of no final state', 'SELECT id, status FROM sms_contradiction WHERE status NOT IN (2, 3)'],
  ['a handover ends before it begins', 'SELECT first_seq, last_seq FROM sms_handover WHERE last_seq < first_seq'],
  [
    'a stored answer is not that of its messages',
    // Times depend on a time zone that the file does not know, and the order of submission is not compared.
    'SELECT t.batch_id FROM sms_text t LEFT JOIN sms_batch b ON b.id = t.batch_id WHERE b.id IS NULL ' +
      "OR NOT json_valid(t.text) OR iif(json_valid(t.text), json_array_length(t.text, '$.data'), 0) <> " +
      '(SELECT count(*) FROM sms_message m WHERE m.batch_id = t.batch_id AND m.status > 1) ' +
      'OR EXISTS (SELECT 1 FROM sms_message m WHERE m.batch_id = t.batch_id AND m.status < 2) ' +
      "OR EXISTS (SELECT 1 FROM json_each(iif(json_valid(t.text), t.text, '{}'), '$.data') r " +
      "LEFT JOIN sms_message m ON m.batch_id = t.batch_id AND m.mobile = r.value ->> '$.mobile' " +
      "WHERE m.status IS NOT r.value ->> '$.status' OR m.code IS NOT r.value ->> '$.deliveryStatus' " +
      "OR b.rrid IS NOT r.value ->> '$.rrid')",
  ],
  [
    'a number of messages is wrong',
    "WITH state(status, name) AS (VALUES (0, 'notSent'), (1, 'sending'), (2, 'delivered'), (3, 'failed')), " +
      'found AS (SELECT status, count(*) AS messages FROM sms_message GROUP BY status) ' +
      'SELECT state.name, coalesce(value, 0) AS counted, coalesce(messages, 0) AS kept FROM state ' +
      'LEFT JOIN found USING (status) LEFT JOIN sms_count USING (name) WHERE counted <> kept',
  ],
]

/** Inconsistencies in the tables beside the tree: idempotency records, sessions and text messages. */
export function* sideTableProblems({ client }: Connection): Generator<Problem, void> {
  yield* violations(client, NOTES)
  yield* violations(client, SESSIONS)
  yield* violations(client, MESSAGES)
}
