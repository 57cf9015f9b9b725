/** Strings, or whatever opens, closes or separates. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/** One member of an object. */
export type Member = readonly [key: string, value: string]

/**
 * The members of a JSON object or array as texts, in the order of the text: `JSON.parse` puts keys that are integers first.
 * @param text valid JSON
 * @returns none for other JSON
 */
export function orderedMembers(text: string): readonly Member[] {
  const trimmed = text.trim()
  const isArray = trimmed.startsWith('[')
  if (!isArray && !trimmed.startsWith('{')) return []
  const members: Member[] = []
  let depth = 0
  let key = ''
  let from = 1
  const end = (at: number) => {
    const value = trimmed.slice(from, at).trim()
    if (value !== '') members.push([isArray ? String(members.length) : key, value])
    from = at + 1
  }
  for (const { 0: token, index } of trimmed.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') {
      if (depth === 1) end(index)
      depth--
    } else if (depth === 1 && token === ',') end(index)
    else if (depth === 1 && token === ':') {
      key = JSON.parse(trimmed.slice(from, index)) as string
      from = index + 1
    }
  }
  return members
}
