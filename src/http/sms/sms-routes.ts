import type { Application } from '../../applications/application.ts'
import type { Applications } from '../../applications/applications.ts'
import { Stay } from '../../applications/stay.ts'
import { DholeError, type ErrorCode } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { Origin } from '../request/caller.ts'
import { withRequestId } from '../request/request-id.ts'
import { allowedMethods, errorReply, knownError } from '../response/error-reply.ts'
import type { Target } from '../url/target.ts'
import { answerCall, type SmsRequest } from './calls.ts'
import { carrierCodesReply } from './carrier-codes-page.ts'

/** What the calls about text messages need to be answered. */
export interface SmsRoutesOptions {
  readonly applications: Applications
  /** An error nobody foresaw, for the log. */
  readonly onUnforeseen: (request: Request, error: unknown) => void
}

const PREFIX = '/api/v'
const PATH = /^\/api\/(v[12])\/([^/]*)\/?(.*)$/s
const SUFFIX_OF_TREE = '.json'
const CARRIER_CODES_PATH = '/api/v1/carrier-codes'
const NO_DRESS = {}

/** Failures of every application that have names of their own here. */
const NAMES_HERE: Partial<Record<ErrorCode, ErrorCode>> = {
  'app-unknown': 'sms-app-unknown',
  unavailable: 'sms-unavailable',
  quota: 'sms-too-often',
  'too-busy': 'sms-unavailable',
}

/** Whether a path below the mount point is a call about text messages. Asked for every request of the tree as well. */
export function isSms(rawPath: string): boolean {
  return rawPath.startsWith(PREFIX) && PATH.test(rawPath) && !rawPath.endsWith(SUFFIX_OF_TREE)
}

/**
 * Takes calls about text messages to where they are answered.
 * @see docs/reference/protocol.md#text-messages
 */
export class SmsRoutes {
  readonly #options: SmsRoutesOptions
  readonly #onRefused: (request: Request, error: DholeError) => void

  /** @param onRefused hears of every request that is answered with an error */
  constructor(options: SmsRoutesOptions, onRefused: (request: Request, error: DholeError) => void) {
    this.#options = options
    this.#onRefused = onRefused
  }

  /** @param target of which `isSms` is true */
  answer(origin: Origin, target: Target): Awaitable<Response> {
    const refusal = (thrown: unknown) => this.#refusal(origin.request, target, thrown)
    try {
      const reply = origin.limits.within(origin, () => this.#choose(origin, target))
      return reply instanceof Promise ? reply.catch(refusal) : reply
    } catch (thrown) {
      return refusal(thrown)
    }
  }

  #choose(origin: Origin, { rawPath, search }: Target): Awaitable<Response> {
    if (rawPath === CARRIER_CODES_PATH) return carrierCodes(origin.request)
    const [, version = '', id = '', name = ''] = PATH.exec(rawPath) ?? []
    const use = (application: Application) =>
      origin.limits.withinApplication(application.id, () =>
        this.#use(application, `${version}/${name}`, search, origin),
      )
    const chosen = this.#options.applications.choose({ name: id, host: '' })
    return chosen instanceof Promise ? chosen.then(use) : use(chosen)
  }

  /** What takes its time keeps the application open, but for the time in which a body is awaited. */
  #use(application: Application, name: string, search: string, origin: Origin): Awaitable<Response> {
    const { request } = origin
    const { applications } = this.#options
    const onFailed = (error: unknown) => this.#options.onUnforeseen(request, error)
    if (request.method === 'GET') {
      const reply = answerCall(name, { ...origin, search, application, messages: application.messages, onFailed })
      return reply instanceof Promise ? reply.finally(application.hold()) : reply
    }
    const stay = new Stay(applications, application)
    const call: SmsRequest = {
      ...origin,
      stay,
      search,
      get application() {
        return stay.application
      },
      get messages() {
        return stay.application.messages
      },
      onFailed,
    }
    return answeredWithin(stay, () => answerCall(name, call))
  }

  #refusal(request: Request, { rawPath }: Target, thrown: unknown): Response {
    const error = errorHere(thrown)
    if (error.code === 'sms-failed') this.#options.onUnforeseen(request, thrown)
    this.#onRefused(request, error)
    return withRequestId(errorReply(error, NO_DRESS, false, allowedMethods(rawPath)), request)
  }
}

async function answeredWithin(stay: Stay, answer: () => Awaitable<Response>): Promise<Response> {
  try {
    return await answer()
  } finally {
    stay.end()
  }
}

function carrierCodes({ method, headers }: Request): Response {
  if (method !== 'GET') throw new DholeError('method-not-allowed')
  return carrierCodesReply(headers.get('accept'))
}

function errorHere(thrown: unknown): DholeError {
  const error = knownError(thrown)
  if (error.code.startsWith('sms-') || error.code === 'method-not-allowed') return error
  return new DholeError(NAMES_HERE[error.code] ?? 'sms-failed', undefined, { cause: thrown })
}
