import { Elysia } from 'elysia'
import type { DataRoutes } from './data-routes.ts'
import { docsPlugin } from './docs.ts'

/** What the plugin is made of. */
export interface TreePluginOptions {
  readonly routes: DataRoutes
  /** Path it lives under, without a slash at the end. */
  readonly prefix: string
  /** Whether to serve the documents too. */
  readonly docs: boolean
  /** Called when the host stops. */
  readonly onStop: () => Promise<void>
}

/**
 * Every path below the prefix as an endpoint of the tree. The routes read the request themselves: bodies are JSON
 * whatever their type, and paths keep their percent escapes. The documents describe them from the same schemas.
 */
export function treePlugin({ routes, prefix, docs, onStop }: TreePluginOptions): Elysia {
  const tree = new Elysia({ name: 'dhole', seed: routes, prefix }).onStop(onStop)
  if (docs) tree.use(docsPlugin(prefix))
  return tree.all('/*', ({ request, server }) => routes.handle(request, () => server?.requestIP(request)?.address), {
    parse: 'none',
    detail: { hide: true },
  }) as unknown as Elysia
}
