import type { DholeError, ErrorBody, ErrorCode } from '../../error.ts'

/** How REST words an error. */
interface ErrorText {
  /** Default 400. */
  readonly status?: number
  /** Read by clients of the Wilddog family, with `message`. */
  readonly errcode: number
  readonly message: string
  /** Read by clients of the Firebase family. Default `message`. */
  readonly error?: string
}

/** Statuses, numbers and texts are interoperability constants. @see docs/reference/errors.md */
const TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  'app-not-named': { status: 417, errcode: 20101, message: 'Please use domain' },
  'json-suffix-missing': {
    errcode: 20102,
    message: "The url requested must end with '.json'",
    error: 'append .json to your request URI to use the REST API.',
  },
  'sockets-not-offered': {
    status: 404,
    errcode: 20102,
    message: "The url requested must end with '.json'",
    error:
      'The WebSocket and long-polling protocols are not offered here: use the REST API (paths that end in .json) and its event streams (Accept: text/event-stream).',
  },
  'app-unknown': { status: 404, errcode: 20103, message: 'The app requested does not exist' },
  unavailable: { status: 503, errcode: 20104, message: 'The app is out of service' },
  'https-required': { status: 404, errcode: 20106, message: 'HTTPS is required' },
  'bad-parameter': { errcode: 20201, message: 'Invalid parameters' },
  'method-not-allowed': { status: 405, errcode: 20201, message: 'Invalid parameters', error: 'Method not allowed' },
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
  'priority-method': { errcode: 20207, message: "Patch and Post Method can't handle path end with '.priority'" },
  'key-reused': { status: 422, errcode: 20208, message: 'The idempotency key has been used for another request' },
  'condition-failed': { status: 412, errcode: 20209, message: 'The condition of the write does not hold' },
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
    status: 403,
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
  'bad-token': { status: 401, errcode: 20510, message: 'The token is invalid', error: 'Could not parse auth token.' },
  'token-expired': { status: 401, errcode: 20510, message: 'The token is invalid', error: 'Auth token is expired' },
  'token-payload': {
    status: 401,
    errcode: 20506,
    message: 'Token payload exception',
    error: 'Could not parse auth token.',
  },
  'token-refused': {
    status: 401,
    errcode: 20505,
    message: 'Unkown error occured about the token',
    error: 'Could not parse auth token.',
  },
  'token-missing': { errcode: 20507, message: 'The custom token is null' },
  'too-many-failures': { status: 429, errcode: 20105, message: 'Quota limit exceeded.' },
  quota: { status: 429, errcode: 20105, message: 'Quota limit exceeded.', error: 'Too many requests' },
  'too-busy': { status: 503, errcode: 20104, message: 'The app is out of service', error: 'Too much is under way' },
  'body-too-slow': {
    status: 408,
    errcode: 20202,
    message: 'The data of request is invalid',
    error: 'The body did not come in time.',
  },
  'bad-rules': { errcode: 20602, message: 'The rule has a invalid format' },
  'rule-wildcards': { errcode: 20601, message: "Single node can't has multi wildcards" },
  'priority-on-nothing': { errcode: 26301, message: 'Could not set priority on non-existent node' },
  internal: { status: 500, errcode: 20901, message: 'Server error' },
  'sms-app-unknown': { status: 404, errcode: 70001, message: 'invalid appId' },
  'sms-bad-arguments': { errcode: 70002, message: 'invalid arguments' },
  'sms-no-mobiles': { errcode: 70201, message: 'sms phones empty' },
  'sms-too-many-mobiles': { errcode: 70202, message: 'sms phones exceeded max number(100)' },
  'sms-bad-timestamp': { errcode: 70203, message: 'sms send invalid timestamp' },
  'sms-no-signature': { errcode: 70206, message: 'sms params signature empty' },
  'sms-bad-signature': { status: 401, errcode: 70207, message: 'sms params signature invalid' },
  'sms-failed': { status: 500, errcode: 70210, message: 'sms status query failure' },
  'sms-unavailable': {
    status: 503,
    errcode: 70210,
    message: 'sms status query failure',
    error: 'The app is out of service',
  },
  'sms-key-unknown': { status: 500, errcode: 70211, message: 'sms key query failure' },
  'sms-bad-mobile': { errcode: 70214, message: 'sms phone format invalid' },
  'sms-bad-array': { errcode: 70220, message: 'sms params array format invalid' },
  'sms-too-often': { status: 429, errcode: 70304, message: 'exceeded max api call frequency' },
  'sms-not-offered': { status: 404, errcode: 70002, message: 'invalid arguments', error: 'There is no such call' },
}

export function statusOf(code: ErrorCode): number {
  return TEXTS[code].status ?? 400
}

/** Body of an error reply. @param hint replaces the Firebase text */
export function bodyOf({ code, hint }: Pick<DholeError, 'code' | 'hint'>): ErrorBody {
  const { errcode, message, error = message } = TEXTS[code]
  return { errcode, message, error: hint ?? error }
}
