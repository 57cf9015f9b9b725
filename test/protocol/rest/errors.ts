/** The rows of the error table of the protocol, written down a second time: the tests' own opinion. */
export interface ErrorRow {
  readonly status: number
  readonly errcode: number
  readonly message: string
  readonly error: string
}

function row(status: number, errcode: number, message: string, error: string = message): ErrorRow {
  return { status, errcode, message, error }
}

const INVALID_DATA = 'The data of request is invalid'
const INVALID_PARAMETERS = 'Invalid parameters'
const ILLEGAL_KEY = 'Invalid key name including illeagle characters'
const BAD_LIMIT = 'Parameter limitToFirst or limitToLast must be integer'
const BODY_KEY = "Invalid data; couldn't parse key. Key value can't be empty or contain $ # [ ] / or ."

export const errors = {
  noApplication: row(417, 20101, 'Please use domain'),
  noSuffix: row(
    400,
    20102,
    "The url requested must end with '.json'",
    'append .json to your request URI to use the REST API.',
  ),
  noSockets: row(
    404,
    20102,
    "The url requested must end with '.json'",
    'This path is for WebSockets of SDKs: use the REST API (paths that end in .json) and ' +
      'its event streams (Accept: text/event-stream).',
  ),
  unknownSetting: row(
    400,
    20205,
    ILLEGAL_KEY,
    'Unknown setting: there are /.settings/rules.json and /.settings/defaultWriteSizeLimit.json',
  ),
  unknownApplication: row(404, 20103, 'The app requested does not exist'),
  unavailable: row(503, 20104, 'The app is out of service'),
  plainHttp: row(404, 20106, 'HTTPS is required'),
  parameter: row(400, 20201, INVALID_PARAMETERS),
  readSizeAlone: row(400, 20201, INVALID_PARAMETERS, 'readSizeLimit needs format=export'),
  readSizeEtag: row(400, 20201, INVALID_PARAMETERS, 'ETags are not supported with readSizeLimit'),
  writeFilter: row(400, 20201, INVALID_PARAMETERS, 'Query parameters are not supported for writes'),
  getIfMatch: row(400, 20201, INVALID_PARAMETERS, 'if-match is not supported for GET'),
  postIfMatch: row(400, 20201, INVALID_PARAMETERS, 'if-match is not supported for POST'),
  patchEtag: row(400, 20201, INVALID_PARAMETERS, 'ETag and if-match are not supported for PATCH'),
  method: row(405, 20201, INVALID_PARAMETERS, 'Method not allowed'),
  idempotencyKey: row(400, 20201, INVALID_PARAMETERS, 'Idempotency-Key must have 1 to 255 printable ASCII characters'),
  keyReused: row(422, 20208, 'The idempotency key has been used for another request'),
  data: row(400, 20202, INVALID_DATA, "Invalid data; couldn't parse JSON object, array, or value."),
  patchData: row(
    400,
    20202,
    INVALID_DATA,
    "Invalid data; couldn't parse JSON object. Are you sending a JSON object with valid key names?",
  ),
  noData: row(400, 20202, INVALID_DATA, 'Error: No data supplied.'),
  depth: row(400, 20203, 'The depth of path requested exceeded the depth limitation(32)'),
  keyLength: row(400, 20204, 'Invalid key name exceeded max length limitation(768 bytes)'),
  pathKey: row(400, 20205, ILLEGAL_KEY, 'Invalid path: Invalid token in path.'),
  bodyKey: row(400, 20205, ILLEGAL_KEY, BODY_KEY),
  emptyKey: row(400, 20206, 'Key name must not be null', BODY_KEY),
  priorityMethod: row(400, 20207, "Patch and Post Method can't handle path end with '.priority'"),
  order: row(400, 20301, 'The orderBy parameter is invalid', 'orderBy must be a valid JSON encoded path'),
  shallowOrder: row(400, 20302, 'Parameter shallow and orderBy are mutual exclusive'),
  countLimit: row(400, 20303, 'Parameter count and orderBy are mutual exclusive'),
  noOrder: row(
    400,
    20304,
    'Lack of orderBy parameter',
    'orderBy must be defined when other query parameters are defined',
  ),
  booleanBound: row(400, 20305, 'Use equalTo instead of startAt or endAt when value is boolean'),
  boundTypes: row(400, 20306, 'Parameter startAt and endAt should have same type'),
  bothLimits: row(
    400,
    20307,
    'Parameter limitToFirst and limitToLast are mutual exclusive',
    'Only one of limitToFirst and limitToLast may be specified',
  ),
  firstInteger: row(400, 20308, BAD_LIMIT, 'limitToFirst must be an integer'),
  firstPositive: row(400, 20308, BAD_LIMIT, 'limitToFirst must be positive'),
  lastInteger: row(400, 20308, BAD_LIMIT, 'limitToLast must be an integer'),
  lastPositive: row(400, 20308, BAD_LIMIT, 'limitToLast must be positive'),
  noIndex: row(400, 20309, "Add '.indexOn' in relevant path in Rule"),
  keyBound: row(
    400,
    20310,
    'The type of range parameters of orderByKey must be string',
    'Provided key index type is invalid, must be string',
  ),
  bound: row(
    400,
    20311,
    'Constraint index field must be a JSON primitive when use OrderBy',
    'Constraint index field must be a JSON primitive',
  ),
  bounds: row(
    400,
    20201,
    INVALID_PARAMETERS,
    'equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore',
  ),
  priorityType: row(400, 20312, 'The type of priority is not correct'),
  priorityBoolean: row(400, 20313, "The priority can't be set as boolean"),
  priorityOnNothing: row(400, 26301, 'Could not set priority on non-existent node'),
  serverValue: row(400, 20314, "Value of '.sv' must be 'timestamp'"),
  denied: row(403, 20401, 'This client does not have permission to perform this operation', 'Permission denied'),
  deniedFirebase: row(
    401,
    20401,
    'This client does not have permission to perform this operation',
    'Permission denied',
  ),
  readTooBig: row(
    400,
    20402,
    'Data requested exceeds the maximum size that can be accessed with a single query request',
  ),
  leafTooBig: row(400, 20403, 'Size of the leaf node exceeds the limitation'),
  writeTooBig: row(
    400,
    20404,
    'Data of single write operation exceeded limitation',
    'Data to write exceeds the maximum size that can be modified with a single request.',
  ),
  token: row(401, 20510, 'The token is invalid', 'Could not parse auth token.'),
  tokenExpired: row(401, 20510, 'The token is invalid', 'Auth token is expired'),
  tokenPayload: row(401, 20506, 'Token payload exception', 'Could not parse auth token.'),
  tokenRefused: row(401, 20505, 'Unkown error occured about the token', 'Could not parse auth token.'),
  override: row(400, 20201, INVALID_PARAMETERS, 'auth_variable_override must be an object or null'),
} as const satisfies Record<string, ErrorRow>

/** The refusal of a query that lacks an index. @param list path of the list, `/` for the root */
export function noIndex(name: string, list: string): ErrorRow {
  return {
    ...errors.noIndex,
    error: `Index not defined, add ".indexOn": "${name}", for path "${list}", to the rules`,
  }
}

/** The body of an error as it stands on the wire. */
export function errorBody({ errcode, message, error }: ErrorRow): Omit<ErrorRow, 'status'> {
  return { errcode, message, error }
}

/** Every errcode that a request may be refused with. */
/** What a whole export does not go with. */
export function readSizeWith(name: string): ErrorRow {
  return row(400, 20201, INVALID_PARAMETERS, `${name} is not supported with readSizeLimit`)
}

export const errcodes: ReadonlySet<number> = new Set(Object.values(errors).map(({ errcode }) => errcode))
