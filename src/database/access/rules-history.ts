/** Name of the setting that holds the history of the rules, as JSON. */
export const RULES_HISTORY = 'rulesHistory'

const MOST_VERSIONS = 50
/** Longest history, in characters of JSON. It is held in memory, and read with each change of the rules. */
const LONGEST = 1024 * 1024

/** Rules that were stored. */
export interface RulesVersion {
  /** When they were stored, in milliseconds since 1970; of those that were never stored, when others replaced them. */
  readonly at: number
  readonly source: string
  /**
   * How: `REST` with the `uid` of its token if there is one, `operator`, `application`, `host`, `settings`, or `unknown`
   * for those that an earlier version of the program stored.
   */
  readonly by: string
}

/** The versions of a history, newest first. */
export function readHistory(text: string | undefined): readonly RulesVersion[] {
  return text === undefined ? [] : (JSON.parse(text) as readonly RulesVersion[])
}

/**
 * A history with one more version. The oldest ones that do not fit are left out; so is a version that does not fit alone.
 * @param before what was in force when there was no history yet
 */
export function addToHistory(text: string | undefined, added: RulesVersion, before: RulesVersion): string {
  const known = text === undefined ? [before] : readHistory(text)
  const isSame = known[0]?.source === added.source
  const kept: string[] = []
  let length = 2
  for (const version of isSame ? known : [added, ...known]) {
    if (kept.length === MOST_VERSIONS) break
    // JSON is never shorter than its text.
    if (length + version.source.length > LONGEST) continue
    const printed = JSON.stringify(version)
    if (length + printed.length > LONGEST) continue
    kept.push(printed)
    length += printed.length + 1
  }
  return `[${kept.join(',')}]`
}
