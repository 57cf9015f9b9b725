/** Name of a failure; each belongs to one row of the error table. */
export type ErrorCode =
  | 'app-not-named'
  | 'json-suffix-missing'
  | 'sockets-not-offered'
  | 'app-unknown'
  | 'unavailable'
  | 'https-required'
  | 'bad-parameter'
  | 'method-not-allowed'
  | 'bad-data'
  | 'bad-patch'
  | 'no-data'
  | 'too-deep'
  | 'key-too-long'
  | 'bad-path'
  | 'bad-key'
  | 'empty-key'
  | 'priority-method'
  | 'key-reused'
  | 'condition-failed'
  | 'bad-order'
  | 'shallow-with-order'
  | 'count-with-limit'
  | 'order-missing'
  | 'boolean-bound'
  | 'bound-types-differ'
  | 'both-limits'
  | 'bad-limit'
  | 'index-missing'
  | 'key-bound'
  | 'bad-bound'
  | 'priority-type'
  | 'priority-boolean'
  | 'bad-server-value'
  | 'permission-denied'
  | 'read-too-big'
  | 'leaf-too-big'
  | 'write-too-big'
  | 'bad-token'
  | 'token-expired'
  | 'token-payload'
  | 'token-refused'
  | 'token-missing'
  | 'too-many-failures'
  | 'quota'
  | 'too-busy'
  | 'body-too-slow'
  | 'bad-rules'
  | 'rule-wildcards'
  | 'priority-on-nothing'
  | 'internal'
  | 'sms-app-unknown'
  | 'sms-bad-arguments'
  | 'sms-no-mobiles'
  | 'sms-too-many-mobiles'
  | 'sms-bad-timestamp'
  | 'sms-no-signature'
  | 'sms-bad-signature'
  | 'sms-failed'
  | 'sms-unavailable'
  | 'sms-key-unknown'
  | 'sms-bad-mobile'
  | 'sms-bad-array'
  | 'sms-too-often'
  | 'sms-not-offered'

/**
 * Every way a request can fail, as one closed list. The texts are interoperability constants: clients of the
 * Wilddog family read `errcode` and `message`, clients of the Firebase family read `error`.
 * @see docs/reference/protocol.md#errors
 */
interface ErrorEntry {
  readonly errcode: number
  readonly message: string
  /** Firebase's text where it differs from `message`. */
  readonly error?: string
}

const entries: Record<ErrorCode, ErrorEntry> = {
  'app-not-named': { errcode: 20101, message: 'Please use domain' },
  'json-suffix-missing': {
    errcode: 20102,
    message: "The url requested must end with '.json'",
    error: 'append .json to your request URI to use the REST API.',
  },
  'sockets-not-offered': {
    errcode: 20102,
    message: "The url requested must end with '.json'",
    error:
      'The WebSocket and long-polling protocols are not offered here: use the REST API (paths that end in .json) and ' +
      'its event streams (Accept: text/event-stream).',
  },
  'app-unknown': { errcode: 20103, message: 'The app requested does not exist' },
  unavailable: { errcode: 20104, message: 'The app is out of service' },
  'https-required': { errcode: 20106, message: 'HTTPS is required' },
  'bad-parameter': { errcode: 20201, message: 'Invalid parameters' },
  'method-not-allowed': { errcode: 20201, message: 'Invalid parameters', error: 'Method not allowed' },
  'bad-data': {
    errcode: 20202,
    message: 'The data of request is invalid',
    error: "Invalid data; couldn't parse JSON object, array, or value.",
  },
  'bad-patch': {
    errcode: 20202,
    message: 'The data of request is invalid',
    error: "Invalid data; couldn't parse JSON object. Are you sending a JSON object with valid key names?",
  },
  'no-data': { errcode: 20202, message: 'The data of request is invalid', error: 'Error: No data supplied.' },
  'too-deep': { errcode: 20203, message: 'The depth of path requested exceeded the depth limitation(32)' },
  'key-too-long': { errcode: 20204, message: 'Invalid key name exceeded max length limitation(768 bytes)' },
  'bad-path': {
    errcode: 20205,
    message: 'Invalid key name including illeagle characters',
    error: 'Invalid path: Invalid token in path.',
  },
  'bad-key': {
    errcode: 20205,
    message: 'Invalid key name including illeagle characters',
    error: "Invalid data; couldn't parse key. Key value can't be empty or contain $ # [ ] / or .",
  },
  'empty-key': {
    errcode: 20206,
    message: 'Key name must not be null',
    error: "Invalid data; couldn't parse key. Key value can't be empty or contain $ # [ ] / or .",
  },
  'priority-method': {
    errcode: 20207,
    message: "Patch and Post Method can't handle path end with '.priority'",
  },
  'key-reused': { errcode: 20208, message: 'The idempotency key has been used for another request' },
  // Over HTTP a failed condition is answered with the node; only the embedded database throws this.
  'condition-failed': { errcode: 20209, message: 'The condition of the write does not hold' },
  'bad-order': {
    errcode: 20301,
    message: 'The orderBy parameter is invalid',
    error: 'orderBy must be a valid JSON encoded path',
  },
  'shallow-with-order': { errcode: 20302, message: 'Parameter shallow and orderBy are mutual exclusive' },
  'count-with-limit': { errcode: 20303, message: 'Parameter count and orderBy are mutual exclusive' },
  'order-missing': {
    errcode: 20304,
    message: 'Lack of orderBy parameter',
    error: 'orderBy must be defined when other query parameters are defined',
  },
  'boolean-bound': { errcode: 20305, message: 'Use equalTo instead of startAt or endAt when value is boolean' },
  'bound-types-differ': { errcode: 20306, message: 'Parameter startAt and endAt should have same type' },
  'both-limits': {
    errcode: 20307,
    message: 'Parameter limitToFirst and limitToLast are mutual exclusive',
    error: 'Only one of limitToFirst and limitToLast may be specified',
  },
  'bad-limit': { errcode: 20308, message: 'Parameter limitToFirst or limitToLast must be integer' },
  'index-missing': { errcode: 20309, message: "Add '.indexOn' in relevant path in Rule" },
  'key-bound': {
    errcode: 20310,
    message: 'The type of range parameters of orderByKey must be string',
    error: 'Provided key index type is invalid, must be string',
  },
  'bad-bound': {
    errcode: 20311,
    message: 'Constraint index field must be a JSON primitive when use OrderBy',
    error: 'Constraint index field must be a JSON primitive',
  },
  'priority-type': { errcode: 20312, message: 'The type of priority is not correct' },
  'priority-boolean': { errcode: 20313, message: "The priority can't be set as boolean" },
  'bad-server-value': { errcode: 20314, message: "Value of '.sv' must be 'timestamp'" },
  'permission-denied': {
    errcode: 20401,
    message: 'This client does not have permission to perform this operation',
    error: 'Permission denied',
  },
  'read-too-big': {
    errcode: 20402,
    message: 'Data requested exceeds the maximum size that can be accessed with a single query request',
  },
  'leaf-too-big': { errcode: 20403, message: 'Size of the leaf node exceeds the limitation' },
  'write-too-big': {
    errcode: 20404,
    message: 'Data of single write operation exceeded limitation',
    error: 'Data to write exceeds the maximum size that can be modified with a single request.',
  },
  'bad-token': { errcode: 20510, message: 'The token is invalid', error: 'Could not parse auth token.' },
  'token-expired': { errcode: 20510, message: 'The token is invalid', error: 'Auth token is expired' },
  'token-payload': { errcode: 20506, message: 'Token payload exception', error: 'Could not parse auth token.' },
  'token-refused': {
    errcode: 20505,
    message: 'Unkown error occured about the token',
    error: 'Could not parse auth token.',
  },
  'token-missing': { errcode: 20507, message: 'The custom token is null' },
  'too-many-failures': { errcode: 20105, message: 'Quota limit exceeded.' },
  quota: { errcode: 20105, message: 'Quota limit exceeded.', error: 'Too many requests' },
  'too-busy': { errcode: 20104, message: 'The app is out of service', error: 'Too much is under way' },
  'body-too-slow': {
    errcode: 20202,
    message: 'The data of request is invalid',
    error: 'The body did not come in time.',
  },
  'bad-rules': { errcode: 20602, message: 'The rule has a invalid format' },
  'rule-wildcards': { errcode: 20601, message: "Single node can't has multi wildcards" },
  'priority-on-nothing': { errcode: 26301, message: 'Could not set priority on non-existent node' },
  internal: { errcode: 20901, message: 'Server error' },
  'sms-app-unknown': { errcode: 70001, message: 'invalid appId' },
  'sms-bad-arguments': { errcode: 70002, message: 'invalid arguments' },
  'sms-no-mobiles': { errcode: 70201, message: 'sms phones empty' },
  'sms-too-many-mobiles': { errcode: 70202, message: 'sms phones exceeded max number(100)' },
  'sms-bad-timestamp': { errcode: 70203, message: 'sms send invalid timestamp' },
  'sms-no-signature': { errcode: 70206, message: 'sms params signature empty' },
  'sms-bad-signature': { errcode: 70207, message: 'sms params signature invalid' },
  'sms-failed': { errcode: 70210, message: 'sms status query failure' },
  'sms-unavailable': { errcode: 70210, message: 'sms status query failure', error: 'The app is out of service' },
  'sms-key-unknown': { errcode: 70211, message: 'sms key query failure' },
  'sms-bad-mobile': { errcode: 70214, message: 'sms phone format invalid' },
  'sms-bad-array': { errcode: 70220, message: 'sms params array format invalid' },
  'sms-too-often': { errcode: 70304, message: 'exceeded max api call frequency' },
  'sms-not-offered': { errcode: 70002, message: 'invalid arguments', error: 'There is no such call' },
}

/** Every name of a failure. */
export const ERROR_CODES: readonly ErrorCode[] = Object.keys(entries) as ErrorCode[]

/** What travels to the client: nothing else of an error ever does. */
export interface ErrorBody {
  readonly errcode: number
  readonly message: string
  readonly error: string
}

/**
 * A failure of the closed list.
 * @param code the row of the table
 * @param hint replaces the Firebase text (`error`) where the protocol names a more exact one
 * @param options `cause` stays on the machine: it is logged, never sent
 */
export class DholeError extends Error {
  override readonly name = 'DholeError'
  readonly code: ErrorCode
  readonly body: ErrorBody

  constructor(code: ErrorCode, hint?: string, options?: { readonly cause?: unknown }) {
    const entry = entries[code]
    super(hint ?? entry.error ?? entry.message, options)
    this.code = code
    this.body = {
      errcode: entry.errcode,
      message: entry.message,
      error: hint ?? entry.error ?? entry.message,
    }
  }
}
