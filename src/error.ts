/**
 * Every way a request can fail, as one closed list: the code, and a message for developers. Protocols have texts of
 * their own.
 * @see src/http/response/error-texts.ts
 */
const MESSAGES = {
  'app-not-named': 'Please use domain',
  'json-suffix-missing': 'append .json to your request URI to use the REST API.',
  'sockets-not-offered':
    'This path is for WebSockets of SDKs: use the REST API (paths that end in .json) and its event streams (Accept: text/event-stream).',
  'app-unknown': 'The app requested does not exist',
  unavailable: 'The app is out of service',
  'https-required': 'HTTPS is required',
  'bad-parameter': 'Invalid parameters',
  'method-not-allowed': 'Method not allowed',
  'bad-data': "Invalid data; couldn't parse JSON object, array, or value.",
  'bad-patch': "Invalid data; couldn't parse JSON object. Are you sending a JSON object with valid key names?",
  'no-data': 'Error: No data supplied.',
  'too-deep': 'The depth of path requested exceeded the depth limitation(32)',
  'key-too-long': 'Invalid key name exceeded max length limitation(768 bytes)',
  'bad-path': 'Invalid path: Invalid token in path.',
  'bad-key': "Invalid data; couldn't parse key. Key value can't be empty or contain $ # [ ] / or .",
  'empty-key': "Invalid data; couldn't parse key. Key value can't be empty or contain $ # [ ] / or .",
  'priority-method': "Patch and Post Method can't handle path end with '.priority'",
  'key-reused': 'The idempotency key has been used for another request',
  'condition-failed': 'The condition of the write does not hold',
  'bad-order': 'orderBy must be a valid JSON encoded path',
  'shallow-with-order': 'Parameter shallow and orderBy are mutual exclusive',
  'count-with-limit': 'Parameter count and orderBy are mutual exclusive',
  'order-missing': 'orderBy must be defined when other query parameters are defined',
  'boolean-bound': 'Use equalTo instead of startAt or endAt when value is boolean',
  'bound-types-differ': 'Parameter startAt and endAt should have same type',
  'both-limits': 'Only one of limitToFirst and limitToLast may be specified',
  'bad-limit': 'Parameter limitToFirst or limitToLast must be integer',
  'index-missing': "Add '.indexOn' in relevant path in Rule",
  'key-bound': 'Provided key index type is invalid, must be string',
  'bad-bound': 'Constraint index field must be a JSON primitive',
  'priority-type': 'The type of priority is not correct',
  'priority-boolean': "The priority can't be set as boolean",
  'bad-server-value': "Value of '.sv' must be 'timestamp'",
  'permission-denied': 'Permission denied',
  'read-too-big': 'Data requested exceeds the maximum size that can be accessed with a single query request',
  'leaf-too-big': 'Size of the leaf node exceeds the limitation',
  'write-too-big': 'Data to write exceeds the maximum size that can be modified with a single request.',
  'bad-token': 'Could not parse auth token.',
  'token-expired': 'Auth token is expired',
  'token-payload': 'Could not parse auth token.',
  'token-refused': 'Could not parse auth token.',
  'token-missing': 'The custom token is null',
  'sign-in-not-offered': 'Only custom tokens sign users in: call signInWithCustomToken()',
  'too-many-failures': 'Quota limit exceeded.',
  quota: 'Too many requests',
  'too-busy': 'Too much is under way',
  'body-too-slow': 'The body did not come in time.',
  'bad-rules': 'The rule has a invalid format',
  'rule-wildcards': "Single node can't has multi wildcards",
  'priority-on-nothing': 'Could not set priority on non-existent node',
  internal: 'Server error',
  'admin-input': 'The input of the operation is wrong',
  'admin-session': 'There is no session: log in',
  'admin-refused': 'The session may not do this',
  'admin-unknown': 'There is no such operation or thing',
  'admin-state': 'This cannot be done now',
  'sms-app-unknown': 'invalid appId',
  'sms-bad-arguments': 'invalid arguments',
  'sms-no-mobiles': 'sms phones empty',
  'sms-too-many-mobiles': 'sms phones exceeded max number(100)',
  'sms-bad-timestamp': 'sms send invalid timestamp',
  'sms-no-signature': 'sms params signature empty',
  'sms-bad-signature': 'sms params signature invalid',
  'sms-failed': 'sms status query failure',
  'sms-unavailable': 'The app is out of service',
  'sms-key-unknown': 'sms key query failure',
  'sms-bad-mobile': 'sms phone format invalid',
  'sms-bad-array': 'sms params array format invalid',
  'sms-too-often': 'exceeded max api call frequency',
  'sms-not-offered': 'There is no such call',
}

/** Code of an error. */
export type ErrorCode = keyof typeof MESSAGES

export const ERROR_CODES: readonly ErrorCode[] = Object.keys(MESSAGES) as ErrorCode[]

/** Body of an error reply over HTTP. */
export interface ErrorBody {
  readonly errcode: number
  readonly message: string
  readonly error: string
}

/**
 * An error of the closed list.
 * @param hint says more exactly what is wrong, in place of the general message; it is sent to clients
 * @param options `cause` is logged, never sent
 */
export class DholeError extends Error {
  override readonly name = 'DholeError'
  readonly code: ErrorCode
  readonly hint: string | undefined

  constructor(code: ErrorCode, hint?: string, options?: { readonly cause?: unknown }) {
    super(hint ?? MESSAGES[code], options)
    this.code = code
    this.hint = hint
  }
}
