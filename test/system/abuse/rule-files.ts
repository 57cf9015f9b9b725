/** Rules files that are large in several ways, the same in every run. */

const MEBIBYTE = 1024 * 1024
/** A little shorter than the longest file that is read. */
const LONGEST = 4 * MEBIBYTE - 100

type Rules = Record<string, unknown>

function fileOf(rules: Rules): string {
  return JSON.stringify({ rules })
}

function nodes(count: number, rulesOf: (index: number) => Rules): string {
  return fileOf(Object.fromEntries(Array.from({ length: count }, (_, index) => [`node${index}`, rulesOf(index)])))
}

/** Nodes with a rule each, no two alike: some 126 bytes for each. */
export function manyRules(count: number): string {
  return nodes(count, (index) => ({
    '.read': `auth != null && auth.uid === 'user-${index}' && root.child('members/' + auth.uid).exists()`,
  }))
}

/** Chains of 30 nodes with a rule at the end of each. */
function deepRules(count: number): string {
  return nodes(count, (index) => {
    let rules: Rules = { '.write': `now > ${index}` }
    for (let depth = 30; depth > 0; depth--) rules = { [`key${depth}`]: rules }
    return rules
  })
}

/** Expressions nearly as long as one may be. */
function longExpressions(count: number): string {
  return nodes(count, (index) => ({ '.read': `now == ${index}${'||(1==1)'.repeat(2000)}` }))
}

function manyPatterns(): string {
  const tests = Array.from({ length: 400 }, (_, index) => `newData.val().matches(/^(a${index}.{6}){6}z/)`)
  return fileOf({
    '.validate': tests
      .join('||')
      .slice(0, 16_000)
      .replace(/\|\|[^|]*$/, ''),
  })
}

const indexNames = () =>
  fileOf({ list: { '.indexOn': Array.from({ length: 99_000 }, (_, index) => `child/n${index}`) } })
const indexLists = () => nodes(33_000, () => ({ '.indexOn': 'height' }))
const withComment = (comment: string) => `{"rules":{".read":true}}${comment}`
const withRule = (rule: string) => `{"rules":{".read":${rule}}}`

/** What is large in each file, the file, and the status of the answer. */
export const LARGE_FILES: readonly (readonly [string, () => string, number])[] = [
  ['400 KB of rules', () => manyRules(3200), 200],
  ['2 MB of rules', () => manyRules(16_000), 200],
  ['rules below each other', () => deepRules(3000), 200],
  ['too many values', () => deepRules(10_000), 400],
  ['expressions', () => longExpressions(60), 200],
  ['patterns', manyPatterns, 200],
  ['names of .indexOn', indexNames, 200],
  ['lists with .indexOn', indexLists, 200],
  ['a comment', () => withComment(`/*${'x'.repeat(LONGEST)}*/`), 200],
  ['a comment of a line', () => withComment(`//${'é'.repeat(LONGEST)}`), 200],
  ['comments', () => withComment('/**/'.repeat(LONGEST / 4)), 200],
  ['spaces', () => withComment(' '.repeat(LONGEST)), 200],
  ['lines', () => withComment('\n'.repeat(LONGEST)), 200],
  ['lines before a mistake', () => `${'\n'.repeat(LONGEST)}${withRule('1')}`, 400],
  ['a string', () => withRule(`"${'x'.repeat(LONGEST)}"`), 400],
  ['a string of escapes', () => withRule(`"${'\\u0041'.repeat(LONGEST / 6)}"`), 400],
  ['a string of control characters', () => withRule(`"${'\n'.repeat(LONGEST)}"`), 400],
  ['a key', () => `{"rules":{"${'x'.repeat(LONGEST)}":{}}}`, 400],
  ['the name of a wildcard', () => `{"rules":{"$${'x'.repeat(LONGEST)}":{}}}`, 200],
  ['a name of .indexOn', () => `{"rules":{".indexOn":"${'a/'.repeat(LONGEST / 2)}"}}`, 400],
  ['a number', () => withRule('1'.repeat(LONGEST)), 400],
  ['a word', () => withRule('t'.repeat(LONGEST)), 400],
  ['brackets', () => '['.repeat(LONGEST), 400],
  ['commas', () => `{"rules":{${','.repeat(LONGEST)}}}`, 400],
]
