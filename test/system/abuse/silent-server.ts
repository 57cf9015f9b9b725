/**
 * The listener with next to nothing behind it: only the honest client is answered, and nothing is read of what others
 * send. What he notices of them here is the doing of the listener and of the machine.
 */
import { listen } from './listener.ts'

if (import.meta.main) {
  await listen((request) => {
    // Hostile clients do not name the port.
    if (new URL(request.url).port === '') return new Promise<Response>(() => {})
    return new Response('"kept"')
  })
}
