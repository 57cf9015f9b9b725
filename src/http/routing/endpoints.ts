import { Stay } from '../../applications/stay.ts'
import { DholeError } from '../../error.ts'
import type { Operation } from '../../observer.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { adminErrors, privateOptions } from '../admin/admin-reply.ts'
import type { Admission } from '../admin/admission.ts'
import { answerOperation, OPERATIONS_PATH } from '../admin/operation-route.ts'
import { answerSession, answerSessions } from '../admin/session-routes.ts'
import { CONSOLE_PATHS, consoleOr } from '../console/console-route.ts'
import { DOCUMENT_PATHS, documentOr } from '../docs/docs.ts'
import type { Answer, Endpoint, ErrorFormat, Exchange } from '../exchange.ts'
import { plainErrors, treeErrors } from '../response/error-reply.ts'
import { preflightReply } from '../response/reply.ts'
import { answerNode } from '../rest/node-route.ts'
import { answerRules, answerWriteSize, refuseSetting } from '../rest/settings-routes.ts'
import { exchangeToken, refuseTokenPath, tokenErrors } from '../rest/token-route.ts'
import { answerPolling } from '../sdk/polling/open-polling.ts'
import { orFarewell } from '../sdk/socket/farewell-socket.ts'
import { openSocket } from '../sdk/socket/open-socket.ts'
import { enginePreflight } from '../sdk/wilddog/engine-reply.ts'
import { answerLookup } from '../sdk/wilddog/lookup.ts'
import { answerEngine, orEngineFarewell } from '../sdk/wilddog/open-engine.ts'
import { accountInfo, signInErrors, verifyCustomToken } from '../sdk/wilddog/sign-in.ts'
import * as sms from '../sms/calls.ts'
import { answerCarrierCodes } from '../sms/carrier-codes-page.ts'
import { smsErrors } from '../sms/sms-errors.ts'
import { answerHealth, answerMetrics, answerReady } from '../system/system-routes.ts'
import { NO_TARGET, splitTarget, type Target } from '../url/target.ts'
import { adminOperation, jsonOperation, nodeOperation } from './operation.ts'

type NameOf = (target: Target) => string | undefined

const READS = ['GET', 'HEAD']
const GET_OR_POST = ['GET', 'POST']
const POST = ['POST']
const SUFFIX = '.json'
const SESSION_PATH = '/.admin/session'
const SESSIONS_PATH = '/.admin/sessions'
/** Thrown for hundreds of requests at once, so it is made only once. */
const TOO_BUSY = new DholeError('too-busy')

/** A node of the tree, and every path that no other endpoint has. */
const node: Endpoint = {
  path: '/*',
  methods: ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE'],
  operation: nodeOperation,
  answer: inTree(answerNode),
  errors: treeErrors,
}

/**
 * Every endpoint below the mount point; the first whose path matches answers. Routing, the header `Allow`, the
 * operations of metrics and the OpenAPI document are made from this table.
 */
export const ENDPOINTS: readonly Endpoint[] = [
  system('/health', answerHealth),
  system('/ready', answerReady),
  system('/metrics', answerMetrics),
  ...DOCUMENT_PATHS.map(document),
  { ...node, path: '/.ws', methods: ['GET'], operation: 'socket', answer: orFarewell(inDatabase(openSocket)) },
  { ...node, path: '/.lp', methods: ['GET'], operation: 'socket', answer: inDatabase(answerPolling) },
  {
    ...node,
    path: '/.ws/',
    methods: GET_OR_POST,
    operation: 'socket',
    answer: orEngineFarewell(inDatabaseOf(answerEngine, ({ raw: { values } }) => values['ns'] || undefined)),
    options: enginePreflight,
  },
  { ...node, path: '/v1/lookup', methods: READS, operation: 'socket', answer: answerLookup, isPlain: true },
  signIn('/v2/{app}/auth/verifyCustomToken', verifyCustomToken),
  signIn('/v2/{app}/auth/getAccountInfo', accountInfo),
  ...CONSOLE_PATHS.map(consolePage),
  setting('/.settings/rules.json', answerRules),
  setting('/.settings/defaultWriteSizeLimit.json', answerWriteSize),
  setting('/.settings/*', refuseSetting),
  token('/.auth/customTokenToIdToken.json', exchangeToken),
  token('/.auth/*', refuseTokenPath),
  carrierCodes('/api/v1/carrier-codes'),
  call('/api/v2/{app}/status', GET_OR_POST, 'sms-status', sms.statuses),
  call('/api/v2/{app}/send', POST, 'sms-status', sms.statusesBySend),
  call('/api/v1/{app}/status', GET_OR_POST, 'sms-batch', sms.batch),
  call('/api/v1/{app}/send', POST, 'sms-batch', sms.batchBySend),
  call('/api/v1/{app}/batch/record', POST, 'sms-record', sms.record),
  call('/api/v1/{app}/report', POST, 'sms-report', sms.report),
  call('/api/v1/{app}/dlr', GET_OR_POST, 'sms-dlr', sms.delivery),
  call('/api/v2/*', POST, 'sms-other', sms.refuseCall),
  call('/api/v1/*', POST, 'sms-other', sms.refuseCall),
  admin(SESSION_PATH, ['GET', 'HEAD', 'POST', 'DELETE'], answerSession),
  admin(SESSIONS_PATH, ['DELETE'], answerSessions),
  admin(`${OPERATIONS_PATH}*`, POST, answerOperation),
  node,
]

/** Endpoint of paths that are not below the mount point. */
export const OUTSIDE: Endpoint = { ...node, operation: 'other' }

const exact: ReadonlyMap<string, Endpoint> = new Map(ENDPOINTS.map((endpoint) => [endpoint.path, endpoint]))
const patterns = ENDPOINTS.filter(({ path }) => /[*{]/.test(path)).map(
  (endpoint) => [patternOf(endpoint.path), endpoint] as const,
)

/** The endpoint that answers a path below the mount point. */
export function endpointOf(rawPath: string): Endpoint {
  // Nearly all paths are nodes, and only paths with a dot in front share their suffix.
  if (rawPath.endsWith(SUFFIX) && !rawPath.startsWith('/.')) return node
  return exact.get(rawPath) ?? patterns.find(([pattern]) => pattern.test(rawPath))?.[1] ?? node
}

function patternOf(path: string): RegExp {
  const pattern = path.replaceAll('.', '\\.').replaceAll('{app}', '[^/]*').replace(/\*$/, '.*')
  return new RegExp(`^${pattern}$`, 's')
}

function system(path: string, answer: Answer): Endpoint {
  return { path, methods: READS, operation: 'system', answer, errors: plainErrors, isPlain: true }
}

function document(path: string): Endpoint {
  return { path, methods: READS, operation: 'docs', answer: documentOr(node.answer), errors: treeErrors }
}

function consolePage(path: string): Endpoint {
  return { path, methods: READS, operation: 'console', answer: consoleOr(node.answer), errors: treeErrors }
}

/** A path of the admin API; where that is not served, the tree answers. */
function admin(
  path: string,
  methods: readonly string[],
  answer: (exchange: Exchange, admission: Admission) => Promise<Response>,
): Endpoint {
  const served = (admission: Admission) =>
    bounded((exchange) => exchange.limits.within(exchange, (each) => answer(each, admission)))
  const errors: ErrorFormat = {
    errorOf: adminErrors.errorOf,
    reply: (exchange, error) =>
      (exchange.service.admin === undefined ? treeErrors : adminErrors).reply(exchange, error),
  }
  return {
    path,
    methods,
    operation: adminOperation,
    answer: (exchange) => {
      const { admin: admission } = exchange.service
      return admission === undefined ? node.answer(exchange) : served(admission)(exchange)
    },
    errors,
    options: (exchange) => (exchange.service.admin === undefined ? preflightReply() : privateOptions(exchange)),
  }
}

function setting(path: string, answer: Answer): Endpoint {
  const methods = ['GET', 'HEAD', 'PUT']
  return { path, methods, operation: jsonOperation('settings'), answer: inTree(answer), errors: treeErrors }
}

function token(path: string, answer: Answer): Endpoint {
  return { path, methods: POST, operation: jsonOperation('token'), answer: inTree(answer), errors: tokenErrors }
}

function carrierCodes(path: string): Endpoint {
  const answer: Answer = (exchange) => exchange.limits.within(exchange, answerCarrierCodes)
  return { path, methods: ['GET'], operation: 'sms-other', answer, errors: smsErrors }
}

function call(path: string, methods: readonly string[], operation: Operation, answer: Answer): Endpoint {
  const checked: Answer = (exchange) => {
    if (operation !== 'sms-other' && !methods.includes(exchange.method)) throw new DholeError('method-not-allowed')
    return answer(exchange)
  }
  const scoped = withApplication(({ rawPath }) => rawPath.split('/', 4)[3], checked)
  return { path, methods, operation, answer: scoped, errors: smsErrors }
}

/** An answer for the application that parameters or the host name. */
function inTree(answer: Answer): Answer {
  const nameOf = ({ raw: { values } }: Target) => values['app'] ?? values['ns']
  return bounded(withApplication(nameOf, answer))
}

/** An answer for the database that a client of the socket protocol names, or the host. */
function inDatabase(answer: Answer): Answer {
  return bounded(withApplication(({ raw: { values } }) => values['ns'] || undefined, answer))
}

/** A call by which SDKs of Wilddog sign users in. */
function signIn(path: string, answer: Answer): Endpoint {
  const scoped = inDatabaseOf(answer, ({ rawPath }) => rawPath.split('/', 3)[2])
  return { path, methods: POST, operation: 'token', answer: scoped, errors: signInErrors }
}

/**
 * An answer for the application that the host names, as SDKs of Wilddog have it. The first label of their URL, which most of
 * them repeat in requests, counts where the host names none.
 */
function inDatabaseOf(answer: Answer, labelOf: NameOf): Answer {
  const nameOf = (target: Target) => (target.host.startsWith(`${labelOf(target)}.`) ? undefined : labelOf(target))
  return bounded(withApplication(nameOf, answer, labelOf))
}

/** Refuses requests with a body at once while too many bodies are pending. */
function bounded(answer: Answer): Answer {
  return (exchange) => {
    if (exchange.mayHaveBody && exchange.limits.refusesBody(exchange)) throw TOO_BUSY
    return answer(exchange)
  }
}

/**
 * An answer that needs an application: counts the request, opens the application, and keeps it open until the reply is
 * made, except while a body is awaited.
 * @param nameOf the application that a target names before its host does
 * @param otherwise the one that it names where its host names none
 */
function withApplication(nameOf: NameOf, answer: Answer, otherwise: NameOf = () => undefined): Answer {
  const use = (exchange: Exchange): Awaitable<Response> => {
    const { application, limits } = exchange
    if (exchange.mayHaveBody) {
      exchange.stay = new Stay(exchange.service.applications, application)
      return limits.withinApplication(application.id, exchange, answer)
    }
    const reply = limits.withinApplication(application.id, exchange, answer)
    return reply instanceof Promise ? reply.finally(application.hold()) : reply
  }
  const choose = (exchange: Exchange): Awaitable<Response> => {
    const { target } = exchange
    const chosen = exchange.service.applications.choose(nameOf(target), target.host, otherwise(target))
    if (!(chosen instanceof Promise)) {
      exchange.choose(chosen)
      return use(exchange)
    }
    return chosen.then((application) => {
      exchange.choose(application)
      return use(exchange)
    })
  }
  return (exchange) => exchange.limits.within(exchange, choose)
}

/** Destinations kept for the next request, and the longest URL worth keeping: a few megabytes at the most. */
const KEPT = 8192
const LONGEST_KEPT = 256

/** What a URL names. */
interface Destination {
  readonly target: Target
  readonly endpoint: Endpoint
}

const NOWHERE: Destination = { target: NO_TARGET, endpoint: OUTSIDE }

/** Destinations of the URLs below one mount point. Repeated URLs are parsed once. */
export class Destinations {
  readonly #prefix: string
  readonly #kept = new Map<string, Destination>()

  /** @param prefix path of the mount point, without a slash at the end */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  of(url: string): Destination {
    return this.#kept.get(url) ?? this.#read(url)
  }

  #read(url: string): Destination {
    const target = splitTarget(url, this.#prefix)
    if (target === undefined) return NOWHERE
    const destination = { target, endpoint: endpointOf(target.rawPath) }
    // Other URLs rarely repeat: calls about text messages carry a time.
    if (url.length > LONGEST_KEPT || !target.rawPath.endsWith(SUFFIX) || hasCredential(target)) return destination
    if (this.#kept.size >= KEPT) this.#kept.clear()
    this.#kept.set(url, destination)
    return destination
  }
}

/** Credentials are not kept longer than their request. */
function hasCredential({ raw: { values } }: Target): boolean {
  return 'auth' in values || 'access_token' in values
}
