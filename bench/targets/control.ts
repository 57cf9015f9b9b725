/** In a server to be measured: does what it is told over a plain socket beside the listener. */
import { stampedText } from '../load/stream-message.ts'

/** Tells every watcher of each text; resolves when that is under way. */
export type Publish = (texts: readonly string[]) => Promise<unknown>

/** Orders are `publish <count>` and `collect`, one after the other; each is answered with `done`. @returns the port */
export function listenForOrders(publish: Publish): number {
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      async data(socket, bytes) {
        await obey(bytes.toString(), publish)
        socket.write('done')
      },
    },
  })
  return listener.port
}

async function obey(order: string, publish: Publish): Promise<void> {
  const [verb, count] = order.split(' ')
  if (verb === 'collect') Bun.gc(true)
  else await publish(Array.from({ length: Number(count) }, stampedText))
}
