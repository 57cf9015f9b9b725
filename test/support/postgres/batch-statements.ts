const COMMIT = /^WITH (q AS .{1,150}, )?l AS \(INSERT INTO log/

/** Whether a statement commits a batch. */
export function commitsBatch(text: string): boolean {
  return COMMIT.test(text)
}
