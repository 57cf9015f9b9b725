import { swagger } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import type { AdminService } from '../admin/admin-service.ts'
import type { Endpoint } from '../exchange.ts'
import { documentation } from './openapi/openapi.ts'

/** Default path of the plugin. */
const PATH = '/swagger/json'

/**
 * The text of the OpenAPI document, made by the plugin on an instance of its own: on that of the host it would list the
 * host's routes and models, and yield to a `swagger()` of the host.
 * @param prefix path the service lives under
 * @param hasMetrics whether `/metrics` is there
 * @param operations of the admin API, if that is there
 */
export async function specificationText(
  prefix: string,
  hasMetrics: boolean,
  endpoints: readonly Endpoint[],
  operations?: AdminService['operations'],
): Promise<string> {
  const publisher = new Elysia().use(
    swagger({ documentation: documentation(prefix, hasMetrics, endpoints, operations) }),
  )
  const reply = await publisher.handle(new Request(`http://localhost${PATH}`))
  return reply.text()
}
