import { DholeError } from '../../error.ts'
import type { Exchange } from '../exchange.ts'

/** A method of the tree; HEAD is GET without a body. */
export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

const METHODS: ReadonlySet<string> = new Set<Method>(['GET', 'PUT', 'POST', 'PATCH', 'DELETE'])

/**
 * The method meant: POST can stand for another.
 * @throws `method-not-allowed`, `bad-parameter`
 */
export function methodOf({ method: sent, request, target }: Exchange): Method {
  if (sent === 'GET' || sent === 'HEAD') return 'GET'
  if (!METHODS.has(sent)) throw new DholeError('method-not-allowed')
  if (sent !== 'POST') return sent as Method
  const override = request.headers.get('x-http-method-override') ?? target.raw.values['x-http-method-override']
  if (override === undefined) return 'POST'
  const method = override.trim().toUpperCase()
  if (!METHODS.has(method)) throw new DholeError('bad-parameter')
  return method as Method
}
