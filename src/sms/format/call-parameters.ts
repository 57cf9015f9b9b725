import { DholeError } from '../../error.ts'

/** Decoded parameters of a call about text messages by name: all that were sent, because all are signed. */
export type SmsParameters = ReadonlyMap<string, string>

const ESCAPED = /[%+]/
/** Far more than any call has; bounds the time to sort them for the signature. */
const MAX_PARAMETERS = 100
/** The same with empty ones, and with those that are sent again: bounds the time to read them. */
const MAX_MEMBERS = 1000
/** Longest part of a name that an error quotes. */
const LONGEST_SHOWN = 64

/**
 * Parameters of a query string.
 * @throws `sms-bad-arguments` when something cannot be decoded, or a name has two values
 */
export function parametersOf(search: string): Map<string, string> {
  const parameters = new Map<string, string>()
  addForm(search, parameters)
  return parameters
}

/** @throws `sms-bad-arguments` when there is another value of that name, or there are too many */
export function addParameter(parameters: Map<string, string>, name: string, value: string): void {
  const known = parameters.get(name)
  if (known !== undefined && known !== value) {
    throw new DholeError('sms-bad-arguments', `${name.slice(0, LONGEST_SHOWN)}: given twice, with two values`)
  }
  if (known === undefined && parameters.size === MAX_PARAMETERS) throw tooMany()
  parameters.set(name, value)
}

/** Adds the parameters of a form. @throws as `parametersOf` */
export function addForm(text: string, parameters: Map<string, string>): void {
  let members = 0
  for (let start = 0; start < text.length; ) {
    if (++members > MAX_MEMBERS) throw tooMany()
    const ampersand = text.indexOf('&', start)
    const end = ampersand === -1 ? text.length : ampersand
    if (end > start) addMember(text.slice(start, end), parameters)
    start = end + 1
  }
}

function tooMany(): DholeError {
  return new DholeError('sms-bad-arguments', `Parameters: expected at most ${MAX_PARAMETERS}`)
}

function addMember(member: string, parameters: Map<string, string>): void {
  const equals = member.indexOf('=')
  if (equals === -1) addParameter(parameters, decode(member), '')
  else addParameter(parameters, decode(member.slice(0, equals)), decode(member.slice(equals + 1)))
}

/** Refuses malformed escapes: a lenient reading would have another signature than the client's. */
function decode(text: string): string {
  if (!ESCAPED.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw new DholeError('sms-bad-arguments', 'Parameters: expected UTF-8, escaped as in forms', { cause })
  }
}
