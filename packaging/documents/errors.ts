import { DholeError, ERROR_CODES, type ErrorCode } from '../../src/error.ts'
import { bodyOf, statusOf } from '../../src/http/response/error-texts.ts'
import { tableOf } from './page-block.ts'

/** When each error is answered. Says as well where the text of `error` is another than the one in the table. */
const CONDITIONS: Record<ErrorCode, string> = {
  'app-not-named': 'the request names no application',
  'json-suffix-missing': 'the path does not end in `.json`',
  'sockets-not-offered': 'a request to `/.ws` that asks for no WebSocket',
  'app-unknown': 'the application does not exist',
  unavailable:
    'the storage cannot be reached or written, or the server is stopping; the application cannot be opened, or too many others are busy; with `Retry-After`',
  'https-required': 'plain HTTP',
  'bad-parameter':
    'a wrong parameter, paths of a PATCH that overlap, a combination that is not supported; `error` may say which one',
  'method-not-allowed': 'the method; the header `Allow` lists the others',
  'bad-data': 'the body is not JSON, or its encoding is not supported',
  'bad-patch': 'the body of a PATCH is not a JSON object',
  'no-data': 'there is no body',
  'too-deep': 'the path or the body is too deep',
  'key-too-long': 'a key or path is too long',
  'bad-path': 'a forbidden character in the path, or an unknown setting below `/.settings`, which `error` then says',
  'bad-key': 'a forbidden character in a key of the body',
  'empty-key': 'an empty key in the body',
  'priority-method': 'POST or PATCH of a `.priority`',
  'key-reused': 'the `Idempotency-Key` belongs to another request',
  'condition-failed': 'the condition `if-match` does not hold; over HTTP the body is the current value instead',
  'bad-order': '`orderBy` is no JSON string, empty, a bad path or an unknown `$…`; a filter is given twice',
  'shallow-with-order': '`shallow` with `orderBy`',
  'count-with-limit': '`count` with a limit',
  'order-missing': 'a filter without `orderBy`',
  'boolean-bound': 'a boolean in `startAt` or `endAt`, profile `wilddog`',
  'bound-types-differ': '`startAt` and `endAt` of different types, profile `wilddog`',
  'both-limits': 'both limits',
  'bad-limit': 'a limit that is no whole number, or less than 1; `error` names it',
  'index-missing': 'no declared index where one is required; `error` names the rule to add',
  'key-bound': 'a bound of `"$key"` that is no string, or has a second key',
  'bad-bound': 'a bound that is no JSON, an object, an array, no finite number, or has a lone surrogate',
  'priority-type': 'a priority that is an object or array',
  'priority-boolean': 'a priority, or a bound of `"$priority"`, that is a boolean',
  'bad-server-value': 'an unknown `.sv`, or one with siblings',
  'permission-denied': 'no permission; to Firebase clients with status 401',
  'read-too-big': 'the answer is too big, or the read takes too long',
  'leaf-too-big': 'a string is too long',
  'write-too-big': 'the body, or the work of the write, is too big',
  'bad-token': 'no credential of the application',
  'token-expired': 'the token has expired',
  'token-payload': 'claims of the token are missing, of a wrong type, or named twice',
  'token-refused': 'a token of another algorithm or type, for another application, or not valid yet',
  'token-missing': 'no token to exchange',
  'sign-in-not-offered':
    'a call of Firebase Authentication that is not offered: passwords, other providers, changes of accounts',
  'too-many-failures': 'too many wrong credentials from the address; with `Retry-After`',
  quota: 'too many requests from the address or to the application; with `Retry-After`',
  'too-busy':
    'too many requests, streams or pending bodies, or no memory for a body or a long answer; with `Retry-After`',
  'body-too-slow': 'the body arrives too slowly',
  'bad-rules': 'the rules are wrong; `error` says where and why: `Line 7: why (column 5)`',
  'rule-wildcards': 'two `$name` keys in one node of the rules; `error` says where',
  'priority-on-nothing': 'a priority for a node that does not exist',
  internal: 'an unexpected error; the log has its cause',
  'admin-input': 'admin API: no JSON object, or a wrong member; `error` says which one',
  'admin-session': 'admin API: no session, an ended one, or a wrong secret',
  'admin-refused':
    'admin API: another application than that of the session, an operation for the operator alone, no or another CSRF token, or a page of another site',
  'admin-unknown': 'admin API: no such operation, application or other thing',
  'admin-state': 'admin API: the operation cannot be done now, or not on this storage; `error` says why',
  'sms-app-unknown': 'the application does not exist',
  'sms-bad-arguments': 'wrong parameters; `error` says which one, and what it should be',
  'sms-no-mobiles': 'no telephone numbers',
  'sms-too-many-mobiles': 'more than 100 telephone numbers',
  'sms-bad-timestamp': '`timestamp` is no time, or not the current one',
  'sms-no-signature': 'no signature',
  'sms-bad-signature': 'the signature, or the token, does not match',
  'sms-failed': 'an unexpected error about text messages',
  'sms-unavailable':
    'the storage cannot be reached; the application cannot be opened, or has stopped; with `Retry-After`',
  'sms-key-unknown': 'the SMS key cannot be read',
  'sms-bad-mobile': 'a telephone number of another form; `error` says which one',
  'sms-bad-array': 'no JSON array, or not the expected one; `error` says what is expected',
  'sms-too-often': 'two batch queries within the interval, or too many requests; with `Retry-After`',
  'sms-not-offered': 'no such call, or a call that sends messages',
}

/** The table of docs/reference/errors.md. */
export function errorsBlock(): string {
  const rows = ERROR_CODES.map((code) => {
    const { errcode, message, error } = bodyOf(new DholeError(code))
    return [
      String(errcode),
      String(statusOf(code)),
      CONDITIONS[code],
      message,
      error === message ? '' : error,
      `\`${code}\``,
    ]
  })
  rows.sort((a, b) => Number(a[0]) - Number(b[0]))
  return `\n${tableOf(['errcode', 'HTTP', 'when', '`message`', '`error`, where it differs', 'name'], rows)}\n\n`
}
