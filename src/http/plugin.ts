import { Elysia } from 'elysia'
import { docsPlugin } from './docs.ts'
import type { Routes } from './routes.ts'
import type { Transport } from './transport.ts'

/** What the plugin is made of. */
export interface TreePluginOptions {
  readonly routes: Routes
  /** Path it lives under, without a slash at the end. */
  readonly prefix: string
  /** Whether to serve the documents too. */
  readonly docs: boolean
  /** Decides which requests may see the documents. */
  readonly transport: Transport
  /** Called when the host stops. */
  readonly onStop: () => Promise<void>
}

/**
 * Every path below the prefix as an endpoint of the tree. The routes read the request themselves: bodies are JSON
 * whatever their type, and paths keep their percent escapes. The documents describe them from the same schemas.
 */
export function treePlugin({ routes, prefix, docs, transport, onStop }: TreePluginOptions): Elysia {
  // The seed makes this instance one of its own: the framework drops the hooks of a plugin it takes for another's copy.
  const tree = new Elysia({ name: 'dhole', seed: crypto.randomUUID(), prefix }).onStop(onStop)
  if (docs) tree.use(docsPlugin({ prefix, transport }))
  return tree.all('/*', ({ request, server }) => routes.handle(request, server), {
    parse: 'none',
    detail: { hide: true },
  }) as unknown as Elysia
}
