import { Elysia } from 'elysia'
import { loopTurn } from '../../scheduling/loop-turn.ts'
import type { AdminService } from '../admin/admin-service.ts'
import type { Endpoint } from '../exchange.ts'

/** Default path of the plugin. */
const PATH = '/swagger/json'

/**
 * The text of the OpenAPI document, made by the plugin on an instance of its own: on that of the host it would list the
 * host's routes and models, and yield to a `swagger()` of the host. Several turns of the event loop share the work: loading the
 * plugin, and each part of the rest, take some ten milliseconds.
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
  const { swagger } = await import('@elysiajs/swagger')
  await loopTurn.pause()
  const { documentation } = await import('./openapi/openapi.ts')
  await loopTurn.pause()
  const described = documentation(prefix, hasMetrics, endpoints, operations)
  await loopTurn.pause()
  const publisher = new Elysia().use(swagger({ documentation: described }))
  await loopTurn.pause()
  const reply = await publisher.handle(new Request(`http://localhost${PATH}`))
  return reply.text()
}
