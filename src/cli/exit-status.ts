/** Exit status of a negative result: a problem, a failed case, refused data. */
export const EXIT_FAILED = 1
/** Exit status for a wrong command line or setting, a port or file in use, and the like. */
export const EXIT_UNUSABLE = 2
/** Exit status of an interrupted program, as in shells. */
const EXIT_INTERRUPTED = 130

/** Makes SIGINT and SIGTERM run the exit handlers, which remove unfinished files. */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(EXIT_INTERRUPTED))
}
