import type { DholeError, ErrorBody, ErrorCode } from '../../error.ts'

/**
 * How REST words an error: `message` is read by clients of the Wilddog family, `error` by those of the Firebase family;
 * by default it is `message`.
 */
type ErrorText = readonly [status: number, errcode: number, message: string, error?: string]

const NO_SUFFIX = "The url requested must end with '.json'"
const INVALID_DATA = 'The data of request is invalid'
const ILLEGAL_KEY = 'Invalid key name including illeagle characters'
const BAD_KEY = "Invalid data; couldn't parse key. Key value can't be empty or contain $ # [ ] / or ."
const BAD_TOKEN = 'Could not parse auth token.'
const INVALID_TOKEN = 'The token is invalid'
const OUT_OF_SERVICE = 'The app is out of service'
const SMS_FAILURE = 'sms status query failure'
const SMS_ARGUMENTS = 'invalid arguments'
const QUOTA = 'Quota limit exceeded.'
const INVALID_PARAMETERS = 'Invalid parameters'

/** Statuses, numbers and texts are interoperability constants. @see docs/reference/errors.md */
const TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  'app-not-named': [417, 20101, 'Please use domain'],
  'json-suffix-missing': [400, 20102, NO_SUFFIX, 'append .json to your request URI to use the REST API.'],
  'sockets-not-offered': [
    404,
    20102,
    NO_SUFFIX,
    'This path is for WebSockets of SDKs: use the REST API (paths that end in .json) and its event streams (Accept: text/event-stream).',
  ],
  'app-unknown': [404, 20103, 'The app requested does not exist'],
  unavailable: [503, 20104, OUT_OF_SERVICE],
  'https-required': [404, 20106, 'HTTPS is required'],
  'bad-parameter': [400, 20201, INVALID_PARAMETERS],
  'method-not-allowed': [405, 20201, INVALID_PARAMETERS, 'Method not allowed'],
  'bad-data': [400, 20202, INVALID_DATA, "Invalid data; couldn't parse JSON object, array, or value."],
  'bad-patch': [
    400,
    20202,
    INVALID_DATA,
    "Invalid data; couldn't parse JSON object. Are you sending a JSON object with valid key names?",
  ],
  'no-data': [400, 20202, INVALID_DATA, 'Error: No data supplied.'],
  'too-deep': [400, 20203, 'The depth of path requested exceeded the depth limitation(32)'],
  'key-too-long': [400, 20204, 'Invalid key name exceeded max length limitation(768 bytes)'],
  'bad-path': [400, 20205, ILLEGAL_KEY, 'Invalid path: Invalid token in path.'],
  'bad-key': [400, 20205, ILLEGAL_KEY, BAD_KEY],
  'empty-key': [400, 20206, 'Key name must not be null', BAD_KEY],
  'priority-method': [400, 20207, "Patch and Post Method can't handle path end with '.priority'"],
  'key-reused': [422, 20208, 'The idempotency key has been used for another request'],
  'condition-failed': [412, 20209, 'The condition of the write does not hold'],
  'bad-order': [400, 20301, 'The orderBy parameter is invalid', 'orderBy must be a valid JSON encoded path'],
  'shallow-with-order': [400, 20302, 'Parameter shallow and orderBy are mutual exclusive'],
  'count-with-limit': [400, 20303, 'Parameter count and orderBy are mutual exclusive'],
  'order-missing': [
    400,
    20304,
    'Lack of orderBy parameter',
    'orderBy must be defined when other query parameters are defined',
  ],
  'boolean-bound': [400, 20305, 'Use equalTo instead of startAt or endAt when value is boolean'],
  'bound-types-differ': [400, 20306, 'Parameter startAt and endAt should have same type'],
  'both-limits': [
    400,
    20307,
    'Parameter limitToFirst and limitToLast are mutual exclusive',
    'Only one of limitToFirst and limitToLast may be specified',
  ],
  'bad-limit': [400, 20308, 'Parameter limitToFirst or limitToLast must be integer'],
  'index-missing': [400, 20309, "Add '.indexOn' in relevant path in Rule"],
  'key-bound': [
    400,
    20310,
    'The type of range parameters of orderByKey must be string',
    'Provided key index type is invalid, must be string',
  ],
  'bad-bound': [
    400,
    20311,
    'Constraint index field must be a JSON primitive when use OrderBy',
    'Constraint index field must be a JSON primitive',
  ],
  'priority-type': [400, 20312, 'The type of priority is not correct'],
  'priority-boolean': [400, 20313, "The priority can't be set as boolean"],
  'bad-server-value': [400, 20314, "Value of '.sv' must be 'timestamp'"],
  'permission-denied': [
    403,
    20401,
    'This client does not have permission to perform this operation',
    'Permission denied',
  ],
  'read-too-big': [
    400,
    20402,
    'Data requested exceeds the maximum size that can be accessed with a single query request',
  ],
  'leaf-too-big': [400, 20403, 'Size of the leaf node exceeds the limitation'],
  'write-too-big': [
    400,
    20404,
    'Data of single write operation exceeded limitation',
    'Data to write exceeds the maximum size that can be modified with a single request.',
  ],
  'bad-token': [401, 20510, INVALID_TOKEN, BAD_TOKEN],
  'token-expired': [401, 20510, INVALID_TOKEN, 'Auth token is expired'],
  'token-payload': [401, 20506, 'Token payload exception', BAD_TOKEN],
  'token-refused': [401, 20505, 'Unkown error occured about the token', BAD_TOKEN],
  'token-missing': [400, 20507, 'The custom token is null'],
  'sign-in-not-offered': [
    400,
    20508,
    'The sign-in is not offered',
    'Only custom tokens sign users in: call signInWithCustomToken()',
  ],
  'too-many-failures': [429, 20105, QUOTA],
  quota: [429, 20105, QUOTA, 'Too many requests'],
  'too-busy': [503, 20104, OUT_OF_SERVICE, 'Too much is under way'],
  'body-too-slow': [408, 20202, INVALID_DATA, 'The body did not come in time.'],
  'bad-rules': [400, 20602, 'The rule has a invalid format'],
  'rule-wildcards': [400, 20601, "Single node can't has multi wildcards"],
  'priority-on-nothing': [400, 26301, 'Could not set priority on non-existent node'],
  internal: [500, 20901, 'Server error'],
  'admin-input': [400, 20701, 'The input of the operation is wrong'],
  'admin-session': [401, 20702, 'There is no session: log in'],
  'admin-refused': [403, 20703, 'The session may not do this'],
  'admin-unknown': [404, 20704, 'There is no such operation or thing'],
  'admin-state': [409, 20705, 'This cannot be done now'],
  'sms-app-unknown': [404, 70001, 'invalid appId'],
  'sms-bad-arguments': [400, 70002, SMS_ARGUMENTS],
  'sms-no-mobiles': [400, 70201, 'sms phones empty'],
  'sms-too-many-mobiles': [400, 70202, 'sms phones exceeded max number(100)'],
  'sms-bad-timestamp': [400, 70203, 'sms send invalid timestamp'],
  'sms-no-signature': [400, 70206, 'sms params signature empty'],
  'sms-bad-signature': [401, 70207, 'sms params signature invalid'],
  'sms-failed': [500, 70210, SMS_FAILURE],
  'sms-unavailable': [503, 70210, SMS_FAILURE, OUT_OF_SERVICE],
  'sms-key-unknown': [500, 70211, 'sms key query failure'],
  'sms-bad-mobile': [400, 70214, 'sms phone format invalid'],
  'sms-bad-array': [400, 70220, 'sms params array format invalid'],
  'sms-too-often': [429, 70304, 'exceeded max api call frequency'],
  'sms-not-offered': [404, 70002, SMS_ARGUMENTS, 'There is no such call'],
}

export function statusOf(code: ErrorCode): number {
  return TEXTS[code][0]
}

/** Body of an error reply. @param hint replaces the Firebase text */
export function bodyOf({ code, hint }: Pick<DholeError, 'code' | 'hint'>): ErrorBody {
  const [, errcode, message, error = message] = TEXTS[code]
  return { errcode, message, error: hint ?? error }
}
