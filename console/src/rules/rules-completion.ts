import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { placeAt } from './rules-text.ts'

const KEYS: readonly Completion[] = [
  { label: '.read', detail: 'who may read', type: 'keyword' },
  { label: '.write', detail: 'who may write', type: 'keyword' },
  { label: '.validate', detail: 'which values may be written', type: 'keyword' },
  { label: '.indexOn', detail: 'what children are sorted by', type: 'keyword' },
]

const NAMES: readonly Completion[] = [
  { label: 'auth', detail: 'the user, or null', type: 'variable' },
  { label: 'now', detail: 'time of the request in ms', type: 'variable' },
  { label: 'root', detail: 'the root before the request', type: 'variable' },
  { label: 'data', detail: 'this node before the request', type: 'variable' },
  { label: 'true', type: 'constant' },
  { label: 'false', type: 'constant' },
  { label: 'null', type: 'constant' },
]

const NEW_DATA: Completion = { label: 'newData', detail: 'this node after the request', type: 'variable' }
const QUERY: Completion = { label: 'query', detail: 'the query of the read', type: 'variable' }

const SNAPSHOT: readonly Completion[] = [
  call('val', '()', 'the value of a leaf'),
  call('exists', '()', 'whether it is there'),
  call('child', "('')", 'a node below'),
  call('parent', '()', 'the node above'),
  call('hasChild', "('')", 'whether a child exists'),
  call('hasChildren', "([''])", 'whether all these exist'),
  call('getPriority', '()', 'the priority, or null'),
  call('isNumber', '()', 'type of the leaf'),
  call('isString', '()', 'type of the leaf'),
  call('isBoolean', '()', 'type of the leaf'),
]

const STRING: readonly Completion[] = [
  { label: 'length', detail: 'UTF-16 code units', type: 'property' },
  call('contains', "('')", 'whether it occurs'),
  call('beginsWith', "('')", 'how it begins'),
  call('startsWith', "('')", 'how it begins'),
  call('endsWith', "('')", 'how it ends'),
  call('replace', "('', '')", 'every occurrence'),
  call('toLowerCase', '()', ''),
  call('toUpperCase', '()', ''),
  call('matches', '(/^$/)', 'a pattern'),
]

const QUERY_MEMBERS: readonly Completion[] = [
  'orderByKey',
  'orderByValue',
  'orderByPriority',
  'orderByChild',
  'startAt',
  'endAt',
  'equalTo',
  'limitToFirst',
  'limitToLast',
].map((label) => ({ label, type: 'property' }))

const AUTH_MEMBERS: readonly Completion[] = [
  { label: 'uid', detail: 'the user', type: 'property' },
  { label: 'token', detail: 'claims of the token', type: 'property' },
]

function call(label: string, rest: string, detail: string): Completion {
  return { label, apply: `${label}${rest}`, detail, type: 'method' }
}

/** Offers what can stand at the cursor of a rules file. */
export function completeRules(context: CompletionContext): CompletionResult | null {
  const { pos, state, explicit } = context
  const { path, isKey } = placeAt(state.doc.toString(), pos)
  if (isKey) return keys(context)
  const kind = path.at(-1)
  if (kind !== '.read' && kind !== '.write' && kind !== '.validate') return null
  const member = context.matchBefore(/(?:[$\w]+|['")\]])\s*\.\s*\w*/)
  if (member !== null) return members(member.text, pos)
  const word = context.matchBefore(/[$\w]*/)
  if (word === null || (word.from === word.to && !explicit)) return null
  const wildcards = path
    .filter((key) => key.startsWith('$'))
    .map((label) => ({ label, type: 'variable', detail: 'a key' }))
  return {
    from: word.from,
    options: [...wildcards, kind === '.read' ? QUERY : NEW_DATA, ...NAMES],
    validFor: /^[$\w]*$/,
  }
}

function keys(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/"[.$\w]*/)
  if (word === null) return null
  return { from: word.from + 1, options: KEYS, validFor: /^[.$\w]*$/ }
}

/** @param before such as `data.child('a').va` */
function members(before: string, pos: number): CompletionResult | null {
  const [, owner = '', typed = ''] = /^(.*?)\s*\.\s*(\w*)$/s.exec(before) ?? []
  const options = membersOf(owner)
  return { from: pos - typed.length, options, validFor: /^\w*$/ }
}

function membersOf(owner: string): readonly Completion[] {
  if (owner === 'auth') return AUTH_MEMBERS
  if (owner === 'query') return QUERY_MEMBERS
  if (/^(?:root|data|newData)$/.test(owner)) return SNAPSHOT
  if (/^\$/.test(owner) || /['"]$/.test(owner)) return STRING
  // The result of a call or a claim: a snapshot or a string.
  return owner.endsWith(')') ? [...SNAPSHOT, ...STRING] : STRING
}
