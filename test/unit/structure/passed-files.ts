/** Lines that a request runs may be counted a little too low where the engine has compiled them. */
const LEAST_SHARE = 0.9

/** Hits of each line as an LCOV report lists them, by `file:line`. */
function hitsOf(lcov: string): ReadonlyMap<string, number> {
  const hits = new Map<string, number>()
  let file = ''
  for (const line of lcov.split('\n')) {
    if (line.startsWith('SF:')) file = line.slice('SF:'.length)
    const [, number, count] = /^DA:(\d+),(\d+)/.exec(line) ?? []
    if (number !== undefined) hits.set(`${file}:${number}`, Number(count))
  }
  return hits
}

/**
 * Files of `src/` with a line that every request runs.
 * @param without report of a run without the requests
 * @param requests number of requests that `after` has more
 */
export function passedFiles(without: string, after: string, requests: number): readonly string[] {
  const before = hitsOf(without)
  const passed = [...hitsOf(after)]
    .filter(([line, count]) => count - (before.get(line) ?? 0) >= requests * LEAST_SHARE)
    .map(([line]) => line.slice(0, line.lastIndexOf(':')))
  return [...new Set(passed)].filter((file) => file.startsWith('src/')).toSorted()
}
